import { sameContent } from '../snapshot/state.ts';
import { isWithin, reachOf, type Reach } from '../timeline/activity.ts';
import { effectiveChanges, sessionsMovedAt, type Treatment } from '../timeline/chain.ts';
import type { Call, Change, Operation, Timeline } from '../timeline/model.ts';
import { goalOf, withDisk, withOpenCall, type Look, type PathGoal } from './goals.ts';
import type { Choice } from './intrusion.ts';
import { inForceIn, restOf, usersFile } from './rest.ts';

/** What only the user changed since a point, and since the last call that stays: it goes only when that is decided, and a file that is all his own stays. */
function usersOwn(path: string, changes: readonly Change[], isSince: (change: Change) => boolean, stays: (change: Change) => boolean): PathGoal | undefined {
  const first = changes.slice(changes.findLastIndex(stays) + 1).find(isSince);
  const last = changes.at(-1);
  if (first === undefined || last === undefined || sameContent(first.before, last.after)) return undefined;
  const own = { path, goal: first.before, expected: last.after, foreign: 'it was changed outside the recorded calls', base: undefined, keepsMode: false };
  return first.before.kind === 'absent' ? { ...own, stays: usersFile } : own;
}

/** What is to be undone: all that a reach did from a record on. */
export interface Stretch {
  readonly fromSeq: number;
  /** The turn, call, point or branch at which it begins. */
  readonly target: string;
  readonly reach: Reach;
  readonly calls: readonly Call[];
  readonly operations: readonly Operation[];
}

/**
 * All that one session did from a point on; what others' restores took back of it is as if it had not been. A restore of the whole
 * workspace moved this session's head too, so what it did with this session's work alone is undone with the rest; where it took others' work along, the two can't be told apart.
 */
export function goalsOfSession(timeline: Timeline, { reach, calls, operations }: Stretch, openCalls: readonly Call[], look: Look): readonly PathGoal[] {
  const session = reach.session as string;
  const ids = new Set(calls.map(call => call.id));
  const operationIds = new Set(operations.map(operation => operation.id));
  const isInForce = inForceIn(timeline);
  const paths = new Set([...timeline.changes.keys(), ...openCalls.flatMap(call => [...call.snapshots.keys()])]);
  return [...paths].flatMap(path => {
    const moved = sessionsMovedAt(timeline, path);
    const isOthers = (operation: string): boolean => [...(moved.get(operation) ?? [undefined])].some(one => one !== session);
    const treat = ({ id, intent }: Operation): Treatment => {
      if (reachOf(intent).session !== undefined) return reachOf(intent).session === session ? 'change' : 'resolved';
      if (moved.get(id)?.size === 0) return 'change';
      return moved.get(id)?.has(session) === false ? 'resolved' : isOthers(id) ? 'shown' : 'change';
    };
    const recorded = effectiveChanges(timeline, path, treat);
    const isShared = ({ by }: Change): boolean => by.kind === 'operation' && by.session === undefined && isOthers(by.operation);
    const isChosen = ({ by }: Change): boolean => (by.kind === 'call' && ids.has(by.call)) || (by.kind === 'operation' && operationIds.has(by.operation));
    const choice: Choice = {
      isChosen,
      isOwn: change => change.by.kind !== 'drift' && isWithin({ session: change.by.session }, session) && !isShared(change),
      isShared: change => isChosen(change) && isShared(change),
    };
    const goal = goalOf(path, withOpenCall(timeline, path, recorded, openCalls, look), choice, reach, timeline);
    return goal ?? restOf(timeline, path, () => withDisk(timeline, path, recorded, openCalls, look), choice, isInForce, reach) ?? [];
  });
}

/** All that was done from a point on by anybody; what the user did himself is named, and guarded. */
export function goalsOfWorkspace(timeline: Timeline, { fromSeq, target, reach, calls, operations }: Stretch, openCalls: readonly Call[], look: Look): readonly PathGoal[] {
  const ids = new Set(calls.map(call => call.id));
  const operationIds = new Set(operations.map(operation => operation.id));
  // What a call found when it began was there before it.
  const isFoundByTarget = timeline.calls.get(target)?.seq === fromSeq;
  const isUsersSince = ({ by, seq }: Change): boolean => by.kind === 'drift' && (isFoundByTarget ? seq > fromSeq : seq >= fromSeq);
  const choice: Choice = {
    isChosen: ({ by }) => (by.kind === 'call' && ids.has(by.call)) || (by.kind === 'operation' && operationIds.has(by.operation)),
    isOwn: ({ by }) => by.kind !== 'drift',
    isTakenAlong: isUsersSince,
  };
  return [...timeline.paths.keys()].flatMap(path => {
    const recorded = timeline.changes.get(path) ?? [];
    const changes = withDisk(timeline, path, recorded, openCalls, look);
    const goal = goalOf(path, changes, choice, reach, timeline);
    const rest = goal ?? restOf(timeline, path, () => changes, choice, () => true, reach);
    if (rest !== undefined && (rest.stays ?? usersFile) === usersFile) return rest;
    return usersOwn(path, changes, isUsersSince, change => change.by.kind !== 'drift' && !choice.isChosen(change)) ?? rest ?? [];
  });
}
