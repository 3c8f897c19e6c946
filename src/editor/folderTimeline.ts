import { activityOf, type Activity } from '../core/timeline/activity.ts';
import type { Operation, Timeline, Turn } from '../core/timeline/model.ts';
import { viewTurn, type TurnView } from '../core/timeline/view.ts';
import type { KnownFolder } from './knownFolder.ts';

/** An entry of a session's timeline, at its place in the order of things. */
export type Entry =
  | { readonly kind: 'turn'; readonly seq: number; readonly view: TurnView }
  | { readonly kind: 'operation'; readonly seq: number; readonly operation: Operation }
  /** Turns that a rewind took back, together. */
  | { readonly kind: 'branch'; readonly seq: number; readonly operation: Operation; readonly turns: readonly TurnView[] };

export interface SessionEntries {
  readonly id: string;
  readonly startedAt: number;
  /** Newest first. */
  readonly entries: readonly Entry[];
}

/** What the editor shows of one folder's history, worked out once for each state of its journal. */
export interface FolderTimeline {
  readonly folder: KnownFolder;
  readonly timeline: Timeline;
  readonly activity: Activity;
  readonly turns: ReadonlyMap<string, TurnView>;
  /** With turns only, the one with the newest entry first. */
  readonly sessions: readonly SessionEntries[];
  /** The newest turn in force: where the files stand. */
  readonly here: TurnView | undefined;
}

/** A view, and what it was made from. */
interface Viewed {
  readonly print: string | undefined;
  readonly view: TurnView;
}

// A call that was given up as interrupted can still be heard of.
const unsettled: ReadonlySet<string> = new Set(['open', 'interrupted']);

function entriesOf(timeline: Timeline, activity: Activity, views: readonly TurnView[], operations: readonly Operation[]): readonly Entry[] {
  const entries: Entry[] = [];
  const branches = new Map<string, TurnView[]>();
  for (const view of views) {
    if (view.abandonedBy === undefined) entries.push({ kind: 'turn', seq: view.turn.seq, view });
    else branches.set(view.abandonedBy, [...(branches.get(view.abandonedBy) ?? []), view]);
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

/** What a turn's view depends on; undefined while anything of it may still change unseen. */
function fingerprint(timeline: Timeline, turn: Turn, restores: string): string | undefined {
  const settled = turn.state !== 'open' && turn.calls.every(id => !unsettled.has(timeline.calls.get(id)?.outcome ?? 'open'));
  return settled ? `${turn.state} ${turn.calls.length} ${turn.gaps.length} ${restores}` : undefined;
}

/** Views of all turns. Nearly all are as they were: an agent works in one turn, and a history may hold a thousand. */
function viewsOf(timeline: Timeline, activity: Activity, earlier: ReadonlyMap<string, Viewed>): Map<string, Viewed> {
  const ended = [...timeline.operations.values()].filter(({ done }) => done !== undefined).length;
  const restores = `${timeline.operations.size} ${ended}`;
  return new Map(
    [...timeline.turns.values()].map(turn => {
      const print = fingerprint(timeline, turn, restores);
      const known = earlier.get(turn.id);
      const same = known !== undefined && print !== undefined && known.print === print;
      return [turn.id, same ? known : { print, view: viewTurn(timeline, turn, activity) }];
    }),
  );
}

function make(folder: KnownFolder, viewed: ReadonlyMap<string, Viewed>, activity: Activity): FolderTimeline {
  const { timeline } = folder.store;
  const turns = new Map([...viewed].map(([id, { view }]) => [id, view]));
  const operations = [...timeline.operations.values()];
  const sessions = [...timeline.sessions.values()].flatMap((session): SessionEntries[] => {
    const views = session.turns.map(id => turns.get(id)).filter(view => view !== undefined);
    const first = views[0];
    if (first === undefined) return [];
    const own = operations.filter(({ intent }) => intent.session === session.id);
    return [{ id: session.id, startedAt: first.turn.at, entries: entriesOf(timeline, activity, views, own) }];
  });
  sessions.sort((a, b) => (b.entries[0]?.seq ?? 0) - (a.entries[0]?.seq ?? 0));
  const active = [...turns.values()].filter(view => view.abandonedBy === undefined).sort((a, b) => b.turn.seq - a.turn.seq);
  return { folder, timeline, activity, turns, sessions, here: active[0] };
}

interface Made {
  readonly seq: number;
  readonly viewed: ReadonlyMap<string, Viewed>;
  readonly value: FolderTimeline;
}

const made = new WeakMap<KnownFolder, Made>();

/** The folder's timeline as it is now. */
export function folderTimeline(folder: KnownFolder): FolderTimeline {
  const { timeline } = folder.store;
  const known = made.get(folder);
  if (known !== undefined && known.seq === timeline.seq) return known.value;
  const activity = activityOf(timeline);
  const viewed = viewsOf(timeline, activity, known?.viewed ?? new Map());
  const value = make(folder, viewed, activity);
  made.set(folder, { seq: timeline.seq, viewed, value });
  return value;
}
