import { TurnstoneError } from '../base/errors.ts';
import { sameContent } from '../snapshot/state.ts';
import { isTravel, reachOf, restoresInForce } from '../timeline/activity.ts';
import type { Operation, Timeline } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { Selection } from './selection.ts';

/** Whether a restore is one that undo takes back: not an undo or a redo itself. */
function isFirstHand(intent: RecordOf<'restore.intent'>): boolean {
  return isTravel(intent) || intent.kind === 'rollback';
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
    scope: intent.scope,
    reach: reachOf(intent),
    fromSeq: operation.seq,
    calls: undefined,
    goals,
    openCalls: [],
    drifted: [],
    emptied: done?.made ?? [],
    made: done?.removed ?? [],
    moves: restoresInForce(timeline).includes(operation),
  };
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
