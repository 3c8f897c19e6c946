import { modeOf, sameContent, type State } from '../snapshot/state.ts';
import type { Reach } from '../timeline/activity.ts';
import { isExpected } from '../timeline/ownership.ts';
import type { Call, Change, Snapshot, Timeline } from '../timeline/model.ts';
import { intrusionIn, type Choice } from './intrusion.ts';

/** What one path is to become, and what was on record up to now. */
export interface PathGoal {
  readonly path: string;
  /** The state to bring back. */
  readonly goal: State;
  /** What the last undone change left: the disk has to hold this still. */
  readonly expected: State;
  /** Why the path's history holds somebody else's work; undefined when all of it is being undone. */
  readonly foreign: string | undefined;
  /** What a three-way merge starts from, where one makes sense. */
  readonly base: State | undefined;
  /** Somebody else changed the permissions on the way, and they stay as they are. */
  readonly keepsMode: boolean;
  /** Why it is only named, and stays whatever is decided. */
  readonly stays?: string;
}

/** Looks at the disk for a path, once. */
export interface Look {
  (path: string): State;
  /** Whether a call runs in this process: it can be stopped, and what it has written by then is its own. */
  readonly isRunning?: (call: string) => boolean;
}

export function describe(change: Change, session: string | undefined, timeline: Timeline): string {
  switch (change.by.kind) {
    case 'drift':
      return 'it was changed outside the recorded calls';
    case 'operation':
      return 'another restore changed it';
    case 'call': {
      if (session !== undefined && change.by.session !== session) return `another session (${timeline.sessions.get(change.by.session)?.agent ?? 'unknown'}) changed it`;
      return 'a call that stays changed it too';
    }
  }
}

/** Changes of a path, and after them what open calls have done so far, taken from the disk. */
export function withOpenCall(timeline: Timeline, path: string, recorded: readonly Change[], openCalls: readonly Call[], look: Look): readonly Change[] {
  const open = openCalls.filter(call => call.snapshots.has(path));
  const last = timeline.paths.get(path);
  if (open.length === 0 || last === undefined) return recorded;
  const now = look(path);
  if (sameContent(now, last)) return recorded;
  // Of a call that nobody here runs only what it was to leave is provably its work; anything else may be the user's.
  const worker = open.find(({ id, snapshots }) => look.isRunning?.(id) === true || isExpected(snapshots.get(path) as Snapshot, now));
  const by: Change['by'] = worker === undefined ? { kind: 'drift' } : { kind: 'call', call: worker.id, turn: worker.turn, session: worker.session };
  return [...recorded, { seq: timeline.seq + 1, path, before: last, after: now, by }];
}

/** The changes of a path, with what the disk holds by now and no record has seen. */
export function withDrift(timeline: Timeline, path: string, recorded: readonly Change[], look: Look): readonly Change[] {
  const last = timeline.paths.get(path);
  const now = look(path);
  if (last === undefined || now.kind === 'unreadable' || sameContent(now, last)) return recorded;
  return [...recorded, { seq: timeline.seq + 1, path, before: last, after: now, by: { kind: 'drift' } }];
}

/** The changes of a path, and what the disk holds by now: an open call's work, or the user's. */
export function withDisk(timeline: Timeline, path: string, recorded: readonly Change[], openCalls: readonly Call[], look: Look): readonly Change[] {
  return openCalls.some(call => call.snapshots.has(path)) ? withOpenCall(timeline, path, recorded, openCalls, look) : withDrift(timeline, path, recorded, look);
}

// Permissions are no content: that they changed between two recorded changes is nobody's record.
function modeChanged(left: State, found: State): boolean {
  const [before, after] = [modeOf(left), modeOf(found)];
  return before !== undefined && after !== undefined && before !== after;
}

/** The first change that goes: the first chosen one, or what is taken along right before it. A file that somebody else made stays as he made it. */
function beginOf(changes: readonly Change[], chosen: number, { isTakenAlong }: Choice): number {
  const along = changes.slice(0, chosen).findLastIndex(change => isTakenAlong?.(change) !== true) + 1;
  return changes.slice(along, chosen).some(({ before }) => before.kind === 'absent') ? chosen : along;
}

/** Where undoing the chosen changes of a path begins, and what of its changes counts from there on; undefined when none of them is there. */
export function spanOf(changes: readonly Change[], choice: Choice): { readonly first: number; readonly goal: State; readonly tail: readonly Change[] } | undefined {
  const chosen = changes.findIndex(choice.isChosen);
  if (chosen < 0) return undefined;
  const first = beginOf(changes, chosen, choice);
  const all = changes.slice(first);
  const goal = (all[0] as Change).before;
  // A path that was back at its goal in between owes nothing to what happened before that.
  return { first, goal, tail: all.slice(all.findLastIndex(change => sameContent(change.before, goal))) };
}

/** Works out what undoing the chosen changes of a path means; undefined when none of them is left in it. */
export function goalOf(path: string, changes: readonly Change[], choice: Choice, { session }: Reach, timeline: Timeline): PathGoal | undefined {
  const span = spanOf(changes, choice);
  // Nothing of what is being undone is left in the file: what is there now is somebody else's, and stays.
  if (span === undefined || !span.tail.some(choice.isChosen)) return undefined;
  const { first, goal, tail } = span;
  const all = changes.slice(first);
  const expected = (tail.at(-1) as Change).after;
  const shared = tail.find(change => choice.isShared?.(change));
  const intrusion = shared === undefined ? intrusionIn(changes, first, choice) : { change: shared, mixed: true };
  return {
    path,
    goal,
    expected,
    foreign: intrusion === undefined ? undefined : describe(intrusion.change, session, timeline),
    base: intrusion === undefined ? expected : intrusion.mixed ? undefined : intrusion.change.before,
    // Also where the path was back at its goal since: that somebody set its permissions is not taken back with it.
    keepsMode: all.some((change, index) => index > 0 && modeChanged((all[index - 1] as Change).after, change.before)),
  };
}
