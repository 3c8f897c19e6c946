import { sameState, type State } from '../snapshot/state.ts';
import type { BlobStore } from '../snapshot/blobs.ts';
import { activityOf, type Activity } from './activity.ts';
import { compare, countLines, type Counts, type Hunk } from './evidence.ts';
import type { Call, Change, Operation, Timeline, Turn } from './model.ts';

export type FileStatus = 'added' | 'modified' | 'deleted';
export type FileState = 'active' | 'partly' | 'rolledBack' | 'kept';

/** What a turn or a call did to one file, all in all. */
export interface FileView {
  readonly path: string;
  readonly status: FileStatus;
  readonly before: State;
  readonly after: State;
  readonly state: FileState;
}

export interface TurnView {
  readonly turn: Turn;
  readonly agent: string;
  readonly files: readonly FileView[];
  /** The restore that abandoned the turn, for one that is not on the active path. */
  readonly abandonedBy: string | undefined;
}

export function statusOf(before: State, after: State): FileStatus {
  if (before.kind === 'absent') return 'added';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

function filesOf(timeline: Timeline, activity: Activity, calls: readonly Call[]): readonly FileView[] {
  const ids = new Map(calls.map(call => [call.id, call]));
  const paths = new Set(calls.flatMap(call => [...call.snapshots.keys()]));
  return [...paths].sort().flatMap(path => {
    const own = (timeline.changes.get(path) ?? []).filter(({ by }) => by.kind === 'call' && ids.has(by.call));
    const first = own[0];
    const last = own.at(-1);
    // A file that ends as it began, or that a failed call never touched, was not changed by it.
    if (first === undefined || last === undefined || sameState(first.before, last.after)) return [];
    const rolledBack = own.filter(change => isRolledBack(activity, change, ids)).length;
    const state: FileState = rolledBack === 0 ? 'active' : rolledBack === own.length ? 'rolledBack' : 'partly';
    return [{ path, status: statusOf(first.before, last.after), before: first.before, after: last.after, state }];
  });
}

function isRolledBack(activity: Activity, { by, path }: Change, calls: ReadonlyMap<string, Call>): boolean {
  const call = by.kind === 'call' ? calls.get(by.call) : undefined;
  return call !== undefined && activity.isRolledBack({ call: call.id, session: call.session, seq: call.seq, path });
}

export function viewCall(timeline: Timeline, call: Call): readonly FileView[] {
  return filesOf(timeline, activityOf(timeline), [call]);
}

export function viewTurn(timeline: Timeline, turn: Turn, activity: Activity = activityOf(timeline)): TurnView {
  const calls = turn.calls.map(id => timeline.calls.get(id)).filter(call => call !== undefined);
  const agent = timeline.sessions.get(turn.session)?.agent ?? 'unknown';
  return { turn, agent, files: filesOf(timeline, activity, calls), abandonedBy: abandonedBy(activity, turn, calls)?.id };
}

/** What abandoned a turn. An agent that works on in a turn after that brings it back: what is in force is never hidden. */
function abandonedBy(activity: Activity, turn: Turn, calls: readonly Call[]): Operation | undefined {
  const isInForce = calls.some(({ session, seq }) => activity.abandonedBy(session, seq) === undefined);
  return isInForce ? undefined : activity.abandonedBy(turn.session, turn.seq);
}

/** Turns, newest first; those that a rewind abandoned only when asked for. */
export function viewTurns(timeline: Timeline, all: boolean): readonly TurnView[] {
  const activity = activityOf(timeline);
  return [...timeline.turns.values()]
    .sort((a, b) => b.seq - a.seq)
    .map(turn => viewTurn(timeline, turn, activity))
    .filter(view => all || view.abandonedBy === undefined);
}

const untold = '(prompt not recorded)';

/** The text of a turn's prompt; a stand-in where it was not seen or can't be read. */
export function promptOf(turn: Turn, blobs: BlobStore): string {
  if (turn.prompt === undefined) return untold;
  try {
    return Buffer.from(blobs.read(turn.prompt)).toString('utf8');
  } catch {
    return untold;
  }
}

/** The first line of a prompt, short enough for a label. */
export function titleOf(prompt: string, limit = 60): string {
  const line = prompt.trim().split('\n')[0]?.trim() ?? '';
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** A file with its counts of lines. */
export type CountedFile = FileView & Counts;

/** Also with the lines themselves. */
export type ComparedFile = CountedFile & { readonly hunks: readonly Hunk[] };

/** Adds counts; a content that can't be read leaves them empty, it doesn't hide the file. */
export function countFile(file: FileView, blobs: BlobStore): CountedFile {
  try {
    return { ...file, ...countLines(file.before, file.after, hash => blobs.read(hash)) };
  } catch {
    return { ...file, added: 0, removed: 0, kind: 'none' };
  }
}

/** Adds counts and hunks, likewise. */
export function compareFile(file: FileView, blobs: BlobStore, context: 0 | 1 | 3 | 5): ComparedFile {
  try {
    return { ...file, ...compare(file.before, file.after, hash => blobs.read(hash), context) };
  } catch {
    return { ...file, added: 0, removed: 0, kind: 'none', hunks: [] };
  }
}
