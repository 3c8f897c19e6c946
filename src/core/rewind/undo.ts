import { TurnstoneError } from '../base/errors.ts';
import { sameContent } from '../snapshot/state.ts';
import { activityOf, isTravel, isWithin, reachOf, restoresInForce, type Scope } from '../timeline/activity.ts';
import { sessionsMovedAt } from '../timeline/chain.ts';
import { stateBefore } from '../timeline/manifest.ts';
import type { DirectoryEntry, Operation, Timeline } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import { pathsTakenAlong } from '../timeline/takenAlong.ts';
import type { PathGoal } from './goals.ts';
import { broughtByOthers, heldByOthers, isUndoOf } from './heldUndo.ts';
import { leftBy, type Selection } from './selection.ts';

/** Whether a restore is one that undo takes back: not an undo or a redo itself. */
function isFirstHand(intent: RecordOf<'restore.intent'>): boolean {
  return isTravel(intent) || intent.kind === 'rollback';
}

/** The scopes in which a restore is in force: one of both may have been gone back past in one of them. */
function scopesInForce(timeline: Timeline, operation: Operation): readonly Scope[] {
  return (['code', 'conversation'] as const).filter(scope => activityOf(timeline, scope).effective.includes(operation));
}

/** Whether all sessions that a restore in force moved have gone back past it since: it is in force for nobody's work. */
function isPassedByAll(timeline: Timeline, operation: Operation, scope: Scope): boolean {
  const activity = activityOf(timeline, scope);
  const moved = [...timeline.sessions.values()].filter(({ id, seq }) => seq < operation.seq && isWithin(reachOf(operation.intent), id));
  return moved.length > 0 && moved.every(({ id }) => !activity.isInForceFor(id, operation));
}

/** Why there is nothing of a restore to take back, where it is not that an undo has done so. */
function passedNotes(timeline: Timeline, { id }: Operation, moves: boolean): readonly string[] {
  const isUndone = restoresInForce(timeline).some(other => isUndoOf(other, id));
  return moves || isUndone ? [] : [`${id} was taken back by a later restore that went back past it, so there is nothing of it left to take back.`];
}

/**
 * Whose work at a path a restore of the whole workspace moved, and for whom it is in force no more: a session has gone back past it since. `all`: nothing
 * there is to be taken back; `some`: it can't be told apart.
 */
function passedAt(timeline: Timeline, operation: Operation, path: string): 'none' | 'some' | 'all' {
  const moved = reachOf(operation.intent).session === undefined ? [...(sessionsMovedAt(timeline, path).get(operation.id) ?? [])] : [];
  const activity = activityOf(timeline);
  const passed = moved.filter(session => !activity.isInForceFor(session, operation));
  return passed.length === 0 ? 'none' : passed.length === moved.length ? 'all' : 'some';
}

/**
 * What a restore found as it was to be, and another restore has changed since: it can't be taken back as if nothing had happened. What
 * calls and the user do there later is theirs and stays.
 */
function quietGoals(timeline: Timeline, { id, seq }: Operation): readonly PathGoal[] {
  return [...pathsTakenAlong(timeline, id)].flatMap(path => {
    const held = stateBefore(timeline, path, seq);
    const last = timeline.changes.get(path)?.at(-1);
    if (held === undefined || last?.by.kind !== 'operation' || last.seq < seq || sameContent(last.after, held)) return [];
    return [{ path, goal: held, expected: held, foreign: undefined, base: undefined, keepsMode: false }];
  });
}

/** A path that a restore wrote, as it was before it; undefined where it did not write it, or where nobody is left for whom that is to be taken back. */
function writtenBy(timeline: Timeline, operation: Operation, path: string, isInForce: boolean): PathGoal | undefined {
  const ended = operation.done?.paths.find(candidate => candidate.path === path);
  const planned = operation.intent.paths.find(candidate => candidate.path === path);
  const passed = isInForce ? passedAt(timeline, operation, path) : 'none';
  if (ended === undefined || planned === undefined || passed === 'all') return undefined;
  const { outcome, after } = ended;
  // A write that failed halfway, or whose result could not be read, is taken back like one that was done. Where something else was found, it may be the user's.
  const written = outcome === 'done' || (outcome === 'failed' && !sameContent(after, planned.before));
  if (!written) return undefined;
  const found = after.kind === 'unreadable' ? planned.after : after;
  const isUnforeseen = outcome === 'failed' && !sameContent(found, planned.after);
  const foreign = passed === 'some' ? 'another restore changed it' : isUnforeseen ? 'it did not hold what was written' : undefined;
  return { path, goal: planned.before, expected: found, foreign, base: found, keepsMode: false };
}

/**
 * Undo (or redo: the undo of an undo) of one restore: the paths that it wrote, as they were before it. One that is not in force any more
 * has nothing to take back: what it wrote belongs to whatever came after it.
 */
export function selectUndo(timeline: Timeline, kind: 'undo' | 'redo', operation: Operation): Selection {
  const { intent, done } = operation;
  const scopes = scopesInForce(timeline, operation);
  const [scope = intent.scope, ...more] = scopes;
  const isInForce = scopes.includes('code');
  const moves = scopes.some(one => !isPassedByAll(timeline, operation, one));
  const isHeld = isInForce ? heldByOthers(timeline, operation) : undefined;
  const hasFiles = isInForce || isLeftByNewest(timeline, kind, operation);
  const own = (hasFiles ? (done?.paths ?? []) : []).flatMap(({ path }) => (isHeld?.(path) === true ? [] : (writtenBy(timeline, operation, path, isInForce) ?? [])));
  const others = isInForce && isHeld === undefined ? broughtByOthers(timeline, operation) : [];
  const goals = [...own, ...others.flatMap(({ by, path }) => (own.some(goal => goal.path === path) ? [] : (writtenBy(timeline, by, path, false) ?? [])))];
  const makers = new Set(others.map(({ by }) => by));
  // Held paths need the folders that they are in.
  const isAbove = (folder: DirectoryEntry): boolean => goals.some(({ path }) => path.startsWith(`${folder.path}/`));
  const isWhole = isHeld === undefined && (moves || !isInForce);
  const mayTouch = (folder: DirectoryEntry): boolean => hasFiles && (isWhole || isAbove(folder));
  const folders = (which: 'made' | 'removed'): readonly DirectoryEntry[] => [...(done?.[which] ?? []).filter(mayTouch), ...[...makers].flatMap(({ done: ended }) => (ended?.[which] ?? []).filter(isAbove))];
  return {
    kind,
    target: operation.id,
    scope: more.length > 0 ? 'both' : scope,
    reach: reachOf(intent),
    fromSeq: operation.seq,
    calls: undefined,
    goals: isInForce && isHeld === undefined ? [...goals, ...quietGoals(timeline, operation)] : goals,
    openCalls: [],
    drifted: [],
    emptied: folders('made'),
    made: folders('removed'),
    moves,
    notes: passedNotes(timeline, operation, moves),
  };
}

/** Whether the newest restore was to take an operation back and left something of it: naming that one again tries the rest. */
function isLeftByNewest(timeline: Timeline, kind: 'undo' | 'redo', { id }: Operation): boolean {
  const newest = restoresInForce(timeline)[0];
  return newest?.intent.kind === kind && newest.intent.target === id && leftBy(newest).size > 0;
}

/** What the newest undo (or redo) was of, where it could not write all of it: it is not undone yet. */
function unfinished(timeline: Timeline, kind: 'undo' | 'redo'): Operation | undefined {
  const newest = restoresInForce(timeline)[0];
  const failed = newest?.intent.kind === kind && newest.done?.paths.some(({ outcome }) => outcome === 'failed') === true;
  return failed ? timeline.operations.get(newest.intent.target) : undefined;
}

/**
 * The restore that `undo` without an id takes back: the newest one in force that is no undo. A redo is taken back as
 * itself, and not as what it did again: what the user had decided to lose to it comes back, too.
 */
export function newestUndoable(timeline: Timeline): Operation {
  const newest = unfinished(timeline, 'undo') ?? restoresInForce(timeline).find(({ intent }) => intent.kind !== 'undo');
  if (newest === undefined) throw new TurnstoneError('notFound', 'There is nothing to undo: no rewind or roll back is in force here. Nothing was touched.');
  return newest;
}

/** The undo that `redo` without an id takes back: the newest one since the last new restore. */
export function newestRedoable(timeline: Timeline): Operation {
  const again = unfinished(timeline, 'redo');
  if (again !== undefined) return again;
  for (const operation of restoresInForce(timeline)) {
    const { kind } = operation.intent;
    if (kind === 'undo') return operation;
    // Something new was restored after the last undo: there is no way forward past it.
    if (isFirstHand(operation.intent)) break;
  }
  throw new TurnstoneError('notFound', 'There is nothing to redo. Nothing was touched.');
}

/**
 * The undo that `redo` of a named operation takes back: the operation itself, or the undo of it that is in
 * force. A restore that nobody undid is refused, because taking it back would be an undo.
 */
export function redoable(timeline: Timeline, named: Operation): Operation {
  if (named.intent.kind === 'undo') return named;
  const inForce = restoresInForce(timeline);
  // A redo that failed in part took its undo back for the record; naming it again tries the rest again.
  const undo = [unfinished(timeline, 'redo'), ...inForce].find(candidate => candidate?.intent.kind === 'undo' && candidate.intent.target === named.id);
  if (undo !== undefined) return undo;
  const why = inForce.includes(named) ? 'is in force' : 'was taken back by a later rewind, not by an undo';
  throw new TurnstoneError('notFound', `${named.id} ${why}; there is nothing to redo. Nothing was touched.`);
}
