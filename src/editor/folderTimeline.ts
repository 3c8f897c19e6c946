import { activityOf, type Activity } from '../core/timeline/activity.ts';
import type { Operation, Timeline } from '../core/timeline/model.ts';
import { promptOf, titleOf, viewTurn, type TurnView } from '../core/timeline/view.ts';
import type { RecordedFolder } from './recordedFolder.ts';

/** An entry of a session's timeline, at its place in the order of things. */
export type Entry =
  | { readonly kind: 'turn'; readonly seq: number; readonly view: TurnView }
  | { readonly kind: 'operation'; readonly seq: number; readonly operation: Operation }
  /** Turns that a rewind took back, together. */
  | { readonly kind: 'branch'; readonly seq: number; readonly operation: Operation; readonly turns: readonly TurnView[] };

export interface SessionEntries {
  readonly id: string;
  readonly agent: string;
  readonly startedAt: number;
  /** Newest first. */
  readonly entries: readonly Entry[];
}

/** What the editor shows of one folder's history, worked out once for each state of its journal. */
export interface FolderTimeline {
  readonly folder: RecordedFolder;
  readonly timeline: Timeline;
  readonly activity: Activity;
  readonly turns: ReadonlyMap<string, TurnView>;
  /** With turns only, the one with the newest entry first. */
  readonly sessions: readonly SessionEntries[];
  /** The newest turn in force: where the files stand. */
  readonly here: TurnView | undefined;
}

function entriesOf(timeline: Timeline, activity: Activity, views: readonly TurnView[], operations: readonly Operation[]): readonly Entry[] {
  const entries: Entry[] = [];
  const branches = new Map<string, TurnView[]>();
  for (const view of views) {
    if (view.branch === undefined) entries.push({ kind: 'turn', seq: view.turn.seq, view });
    else branches.set(view.branch, [...(branches.get(view.branch) ?? []), view]);
  }
  for (const operation of operations) {
    // What a rewind went back over belongs to the stretch that it took away.
    if (activity.abandonedBy(operation.intent.session ?? '', operation.seq) === undefined) entries.push({ kind: 'operation', seq: operation.seq, operation });
  }
  for (const [id, turns] of branches) {
    const operation = timeline.operations.get(id);
    if (operation !== undefined) entries.push({ kind: 'branch', seq: operation.seq - 0.5, operation, turns: turns.sort((a, b) => b.turn.seq - a.turn.seq) });
  }
  return entries.sort((a, b) => b.seq - a.seq);
}

function make(folder: RecordedFolder): FolderTimeline {
  const { timeline } = folder.store;
  const activity = activityOf(timeline);
  const turns = new Map([...timeline.turns.values()].map(turn => [turn.id, viewTurn(timeline, turn, activity)]));
  const operations = [...timeline.operations.values()];
  const sessions = [...timeline.sessions.values()].flatMap((session): SessionEntries[] => {
    const views = session.turns.map(id => turns.get(id)).filter(view => view !== undefined);
    const first = views[0];
    if (first === undefined) return [];
    const own = operations.filter(({ intent }) => intent.session === session.id);
    return [{ id: session.id, agent: session.agent, startedAt: first.turn.at, entries: entriesOf(timeline, activity, views, own) }];
  });
  sessions.sort((a, b) => (b.entries[0]?.seq ?? 0) - (a.entries[0]?.seq ?? 0));
  const active = [...turns.values()].filter(view => view.branch === undefined).sort((a, b) => b.turn.seq - a.turn.seq);
  return { folder, timeline, activity, turns, sessions, here: active[0] };
}

const made = new WeakMap<RecordedFolder, { readonly seq: number; readonly value: FolderTimeline }>();

/** The folder's timeline as it is now. */
export function folderTimeline(folder: RecordedFolder): FolderTimeline {
  const { seq } = folder.store.timeline;
  const known = made.get(folder);
  if (known !== undefined && known.seq === seq) return known.value;
  const value = make(folder);
  made.set(folder, { seq, value });
  return value;
}

/** The first line of a turn's prompt. */
export function turnTitle(folder: RecordedFolder, view: TurnView): string {
  return titleOf(promptOf(view.turn, folder.store.blobs));
}

/** The title of the turn that an id names, or holds: a call has no title of its own. */
export function titleById(folder: RecordedFolder, id: string): string {
  const { timeline, turns } = folderTimeline(folder);
  const view = turns.get(timeline.calls.get(id)?.turn ?? id);
  return view === undefined ? id : turnTitle(folder, view);
}
