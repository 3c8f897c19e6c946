import { TurnstoneError } from '../base/errors.ts';
import { modeOf, sameContent, type State } from '../snapshot/state.ts';
import { activityOf } from '../timeline/activity.ts';
import { effectiveChanges } from '../timeline/chain.ts';
import { isExpected } from '../timeline/fold.ts';
import type { Call, Change, DirectoryEntry, Operation, Timeline } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
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
}

/** Everything a restore would undo, path by path; nothing of it looks at the disk but open calls' files. */
export interface Selection {
  readonly kind: RecordOf<'restore.intent'>['kind'];
  readonly target: string;
  readonly session: string | undefined;
  readonly fromSeq: number;
  readonly calls: readonly string[] | undefined;
  readonly goals: readonly PathGoal[];
  /** Calls in reach that never ended: the restore closes them with what is on the disk. */
  readonly openCalls: readonly Call[];
  /** Folders that what is undone had brought, or had removed. */
  readonly emptied: readonly DirectoryEntry[];
  readonly made: readonly DirectoryEntry[];
  /** Whether anything in reach is still in force: if not, and no file differs, there is nothing to record. */
  readonly moves: boolean;
}

/** Looks at the disk for a path, once. */
export type Look = (path: string) => State;

function describe(change: Change, session: string | undefined, timeline: Timeline): string {
  switch (change.by.kind) {
    case 'drift':
      return 'it was changed outside the recorded calls';
    case 'operation':
      return 'another restore changed it';
    case 'call': {
      if (change.by.session !== session) return `another session (${timeline.sessions.get(change.by.session)?.agent ?? 'unknown'}) changed it`;
      return 'a call that stays changed it too';
    }
  }
}

/** Changes of a path, and after them what an open call has done so far, taken from the disk. */
function withOpenCall(timeline: Timeline, path: string, recorded: readonly Change[], openCalls: readonly Call[], look: Look): readonly Change[] {
  const open = openCalls.find(call => call.snapshots.has(path));
  const last = timeline.paths.get(path);
  if (open === undefined || last === undefined) return recorded;
  const now = look(path);
  if (sameContent(now, last)) return recorded;
  const snapshot = open.snapshots.get(path);
  // Only what the call was to leave is provably its work; anything else may be the user's.
  const isItsWork = snapshot !== undefined && isExpected(snapshot, now);
  const by: Change['by'] = isItsWork ? { kind: 'call', call: open.id, turn: open.turn, session: open.session } : { kind: 'drift' };
  return [...recorded, { seq: timeline.seq + 1, path, before: last, after: now, by }];
}

// Permissions are no content: that they changed between two recorded changes is nobody's record.
function modeChanged(left: State, found: State): boolean {
  const [before, after] = [modeOf(left), modeOf(found)];
  return before !== undefined && after !== undefined && before !== after;
}

/** Works out what undoing the chosen changes of a path means; undefined when none of them is there. */
function goalOf(path: string, changes: readonly Change[], choice: Choice, session: string | undefined, timeline: Timeline): PathGoal | undefined {
  const first = changes.findIndex(choice.isChosen);
  if (first < 0) return undefined;
  const goal = (changes[first] as Change).before;
  let tail = changes.slice(first);
  // A path that was back at its goal in between owes nothing to what happened before that.
  const returned = tail.findLastIndex(change => sameContent(change.before, goal));
  if (returned > 0) tail = tail.slice(returned);
  // Nothing of what is being undone is left in the file: what is there now is somebody else's, and stays.
  if (!tail.some(choice.isChosen)) return undefined;
  const expected = (tail.at(-1) as Change).after;
  const intrusion = intrusionIn(changes, first, choice);
  return {
    path,
    goal,
    expected,
    foreign: intrusion === undefined ? undefined : describe(intrusion.change, session, timeline),
    base: intrusion === undefined ? expected : intrusion.mixed ? undefined : intrusion.change.before,
    keepsMode: tail.some((change, index) => index > 0 && modeChanged((tail[index - 1] as Change).after, change.before)),
  };
}

function callsIn(timeline: Timeline, which: (call: Call) => boolean): readonly Call[] {
  return [...timeline.calls.values()].filter(which);
}

/** The folders that calls brought. */
function madeBy(calls: readonly Call[]): readonly DirectoryEntry[] {
  const all = calls.flatMap(call => [...call.snapshots.values()]).flatMap(snapshot => [...snapshot.made, ...(snapshot.after === undefined ? snapshot.missing.map(path => ({ path, mode: 0o755 })) : [])]);
  return [...new Map(all.map(directory => [directory.path, directory])).values()];
}

/** Folders as they were at a point: what first happened to each after it tells whether it was there. */
function foldersBefore(calls: readonly Call[], operations: readonly Operation[]): Pick<Selection, 'emptied' | 'made'> {
  const brought = [...calls.map(call => ({ seq: call.seq, folders: madeBy([call]) })), ...operations.map(({ seq, done }) => ({ seq, folders: done?.made ?? [] }))];
  const removed = operations.map(({ seq, done }) => ({ seq, folders: done?.removed ?? [] }));
  const events = [...brought.map(event => ({ ...event, wasThere: false })), ...removed.map(event => ({ ...event, wasThere: true }))].sort((a, b) => a.seq - b.seq);
  const first = new Map<string, { readonly folder: DirectoryEntry; readonly wasThere: boolean }>();
  for (const { folders, wasThere } of events) for (const folder of folders) if (!first.has(folder.path)) first.set(folder.path, { folder, wasThere });
  const which = (wasThere: boolean): readonly DirectoryEntry[] => [...first.values()].filter(entry => entry.wasThere === wasThere).map(entry => entry.folder);
  return { emptied: which(false), made: which(true) };
}

/** Rewind to before a turn or a call: all that its session did from there on. */
export function selectRewind(timeline: Timeline, target: string, look: Look): Selection {
  const start = timeline.turns.get(target) ?? timeline.calls.get(target);
  if (start === undefined) throw new TurnstoneError('notFound', `There is no turn or call ${target}. Nothing was touched.`);
  const { session, seq: fromSeq } = start;
  const calls = callsIn(timeline, call => call.session === session && call.seq >= fromSeq);
  const ids = new Set(calls.map(call => call.id));
  const operations = [...timeline.operations.values()].filter(operation => operation.intent.session === session && operation.seq >= fromSeq);
  const operationIds = new Set(operations.map(operation => operation.id));
  const choice: Choice = {
    isChosen: ({ by }) => (by.kind === 'call' && ids.has(by.call)) || (by.kind === 'operation' && operationIds.has(by.operation)),
    isOwn: ({ by }) => by.kind !== 'drift' && by.session === session,
  };
  const openCalls = calls.filter(call => call.outcome === 'open');
  const paths = new Set([...timeline.changes.keys(), ...openCalls.flatMap(call => [...call.snapshots.keys()])]);
  const goals = [...paths].map(path => goalOf(path, withOpenCall(timeline, path, timeline.changes.get(path) ?? [], openCalls, look), choice, session, timeline)).filter(goal => goal !== undefined);
  const activity = activityOf(timeline);
  const turns = [...timeline.turns.values()].filter(turn => turn.session === session && turn.seq >= fromSeq);
  const inForce = [...turns, ...calls].some(item => activity.abandonedBy(session, item.seq) === undefined);
  return { kind: 'rewind', target, session, fromSeq, calls: undefined, goals, openCalls, ...foldersBefore(calls, operations), moves: inForce };
}

/** Roll back single calls, or one path of them; what came later stays. */
export function selectRollback(timeline: Timeline, target: string, path: string | undefined, look: Look): Selection {
  const turn = timeline.turns.get(target);
  const call = timeline.calls.get(target);
  if (turn === undefined && call === undefined) throw new TurnstoneError('notFound', `There is no turn or call ${target}. Nothing was touched.`);
  const calls = turn === undefined ? [call as Call] : callsIn(timeline, candidate => candidate.turn === turn.id);
  const session = (turn ?? (call as Call)).session;
  const ids = new Set(calls.map(candidate => candidate.id));
  const paths = [...new Set(calls.flatMap(candidate => [...candidate.snapshots.keys()]))].filter(candidate => path === undefined || candidate === path);
  if (path !== undefined && paths.length === 0) throw new TurnstoneError('notFound', `${target} has no file ${path}. Nothing was touched.`);
  const openCalls = calls.filter(candidate => candidate.outcome === 'open' && paths.some(of => candidate.snapshots.has(of)));
  const goals = paths
    .map(of => {
      const isChosen = ({ by }: Change): boolean => by.kind === 'call' && ids.has(by.call);
      return goalOf(of, withOpenCall(timeline, of, effectiveChanges(timeline, of), openCalls, look), { isChosen, isOwn: isChosen }, session, timeline);
    })
    .filter(goal => goal !== undefined);
  const undone = calls.filter(candidate => paths.some(of => candidate.snapshots.has(of)));
  return { kind: 'rollback', target, session, fromSeq: (turn ?? (call as Call)).seq, calls: undone.map(({ id }) => id), goals, openCalls, emptied: madeBy(undone), made: [], moves: goals.length > 0 };
}

/** Undo (or redo: the undo of an undo) of one restore: the paths that it wrote, as they were before it. */
export function selectUndo(timeline: Timeline, kind: 'undo' | 'redo', operation: Operation): Selection {
  const { intent, done } = operation;
  const goals = (done?.paths ?? []).flatMap(({ path, outcome, after }) => {
    const planned = intent.paths.find(candidate => candidate.path === path);
    if (planned === undefined) return [];
    // A write that failed halfway, or whose result could not be read, is taken back like one that was done.
    const written = outcome === 'done' || (outcome === 'failed' && !sameContent(after, planned.before));
    const left = after.kind === 'unreadable' ? planned.after : after;
    return !written ? [] : [{ path, goal: planned.before, expected: left, foreign: undefined, base: left, keepsMode: false }];
  });
  return {
    kind,
    target: operation.id,
    session: intent.session,
    fromSeq: operation.seq,
    calls: undefined,
    goals,
    openCalls: [],
    emptied: done?.made ?? [],
    made: done?.removed ?? [],
    moves: !activityOf(timeline).isUndone(operation.id),
  };
}

/** What the newest undo (or redo) was of, where it could not write all of it: it is not undone yet. */
function unfinished(timeline: Timeline, kind: 'undo' | 'redo'): Operation | undefined {
  const newest = activityOf(timeline).effective[0];
  const failed = newest?.intent.kind === kind && newest.done?.paths.some(({ outcome }) => outcome === 'failed') === true;
  return failed ? timeline.operations.get(newest.intent.target) : undefined;
}

/** The restore that `undo` without an id takes back: the newest one in force. */
export function newestUndoable(timeline: Timeline): Operation {
  const newest = unfinished(timeline, 'undo') ?? activityOf(timeline).effective.find(({ intent }) => intent.kind === 'rewind' || intent.kind === 'rollback');
  if (newest === undefined) throw new TurnstoneError('notFound', 'There is nothing to undo: no rewind or roll back is in force here. Nothing was touched.');
  return newest;
}

/** The undo that `redo` without an id takes back: the newest one since the last new restore. */
export function newestRedoable(timeline: Timeline): Operation {
  const again = unfinished(timeline, 'redo');
  if (again !== undefined) return again;
  for (const operation of activityOf(timeline).effective) {
    const { kind } = operation.intent;
    if (kind === 'undo') return operation;
    // Something new was restored after the last undo: there is no way forward past it.
    if (kind === 'rewind' || kind === 'rollback') break;
  }
  throw new TurnstoneError('notFound', 'There is nothing to redo. Nothing was touched.');
}

/**
 * The undo that `redo` of a named operation takes back: the operation itself, or the undo of it that is in
 * force. A restore that nobody undid is refused, because taking it back would be an undo.
 */
export function redoable(timeline: Timeline, named: Operation): Operation {
  if (named.intent.kind === 'undo') return named;
  const { effective, isUndone } = activityOf(timeline);
  // A redo that failed in part took its undo back for the record; naming it again tries the rest again.
  const undo = [unfinished(timeline, 'redo'), ...effective].find(candidate => candidate?.intent.kind === 'undo' && candidate.intent.target === named.id);
  if (undo !== undefined) return undo;
  const why = isUndone(named.id) ? 'was taken back by a later rewind, not by an undo' : 'is in force';
  throw new TurnstoneError('notFound', `${named.id} ${why}; there is nothing to redo. Nothing was touched.`);
}
