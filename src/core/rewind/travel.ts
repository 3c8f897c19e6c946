import { TurnstoneError } from '../base/errors.ts';
import { activePath, isSamePath } from '../timeline/activePath.ts';
import { isInScope, isWithin, moved, reachOf, restoresInForce, type Reach, type Scope } from '../timeline/activity.ts';
import { findBranch } from '../timeline/branches.ts';
import type { Call, Timeline } from '../timeline/model.ts';
import { pointOf, type Point } from '../timeline/points.ts';
import type { RecordOf } from '../timeline/records.ts';
import { foldersBefore, foldersOf } from './foldersBefore.ts';
import { withDrift, type Look } from './goals.ts';
import { callsIn, leftBy, type Selection } from './selection.ts';
import { goalsOfSession, goalsOfWorkspace, type Stretch } from './stretch.ts';

/** Where to go, and how much of the history is taken along. */
export interface Travel {
  readonly kind: 'rewind' | 'switch' | 'fork';
  /** The turn, call, step, checkpoint or branch that was named. */
  readonly target: string;
  readonly scope: RecordOf<'restore.intent'>['scope'];
  /** By default the target's own session; a checkpoint made by hand belongs to none, and takes the whole workspace. */
  readonly reach?: RecordOf<'restore.intent'>['reach'] | undefined;
  /** Where the target is in this history, if it is named in another folder's; `here`: it is where one is. */
  readonly point?: Point | 'here';
}

function scopesOf(scope: Travel['scope']): readonly Scope[] {
  return scope === 'both' ? ['code', 'conversation'] : [scope];
}

function reachFor({ reach }: Travel, target: Reach): Reach {
  if (reach === 'workspace') return { session: undefined };
  if (reach === 'session' && target.session === undefined) throw new TurnstoneError('usage', 'That point belongs to no session, so it takes the whole workspace along. Nothing was touched.');
  return target;
}

/**
 * Going to the branch that is checked out: one is there, whatever the user did since. Only what the way there
 * has left is tried again, as long as nothing was recorded on top of it.
 */
function selectStay(timeline: Timeline, { kind, target, scope }: Travel, look: Look): Selection {
  const newest = restoresInForce(timeline)[0];
  const arrival = newest?.intent.kind === 'switch' && newest.intent.target === target ? newest : undefined;
  const isFresh = arrival !== undefined && callsIn(timeline, ({ seq }) => seq > arrival.seq).length === 0;
  // A turn that was begun on the branch meanwhile stays on it, and so does what the user had decided to leave.
  const isBegunOn = arrival !== undefined && [...timeline.turns.values()].some(({ seq }) => seq > arrival.seq);
  const again = isFresh ? selectStretch(timeline, { kind, target, scope }, { fromSeq: arrival.intent.fromSeq, reach: reachOf(arrival.intent) }, look) : undefined;
  const left = arrival === undefined ? new Set<string>() : leftBy(arrival, !isBegunOn);
  const nothing = { kind, target, scope, reach: { session: undefined }, fromSeq: timeline.seq + 1, calls: undefined, goals: [], openCalls: [], drifted: [], emptied: [], made: [], moves: false };
  return again === undefined ? nothing : { ...again, fromSeq: isBegunOn ? nothing.fromSeq : again.fromSeq, goals: again.goals.filter(({ path }) => left.has(path)), drifted: again.drifted.filter(path => left.has(path)), moves: false };
}

/** Goes back to before a turn or a call, to a step or a checkpoint, or over to another branch: all that its reach did from there on. */
export function selectTravel(timeline: Timeline, travel: Travel, look: Look): Selection {
  const { kind, target } = travel;
  const { point } = travel;
  if (point === 'here' || (kind === 'switch' && point === undefined && findBranch(timeline, target)?.current === true)) return selectStay(timeline, travel, look);
  const { fromSeq, reach } = point ?? pointOf(timeline, target);
  return selectStretch(timeline, travel, { fromSeq, reach: reachFor(travel, reach) }, look);
}

function selectStretch(timeline: Timeline, { kind, target, scope }: Travel, { fromSeq, reach }: Pick<Stretch, 'fromSeq' | 'reach'>, look: Look): Selection {
  const takesCode = scope !== 'conversation';
  const calls = takesCode ? callsIn(timeline, call => isWithin(reach, call.session) && call.seq >= fromSeq) : [];
  const operations = takesCode ? [...timeline.operations.values()].filter(operation => isInScope(operation.intent, 'code') && moved(reach, operation) && operation.seq >= fromSeq) : [];
  const openCalls = calls.filter(call => call.outcome === 'open');
  const stretch = { fromSeq, target, reach, calls, operations };
  const goalsOf = reach.session === undefined ? goalsOfWorkspace : goalsOfSession;
  const goals = takesCode ? goalsOf(timeline, stretch, openCalls, look) : [];
  const drifted = takesCode && reach.session === undefined ? [...timeline.paths.keys()].filter(path => isDrifted(timeline, path, openCalls, look)) : [];
  return { kind, target, scope, reach, fromSeq, calls: undefined, goals, openCalls, drifted, ...foldersBefore(calls, operations.map(operation => foldersOf(operation, reach, goals))), moves: moves(timeline, scope, reach, fromSeq) };
}

function isDrifted(timeline: Timeline, path: string, openCalls: readonly Call[], look: Look): boolean {
  return !openCalls.some(call => call.snapshots.has(path)) && withDrift(timeline, path, [], look).length > 0;
}

/** Whether a head would stand elsewhere than now. */
function moves(timeline: Timeline, scope: Travel['scope'], reach: Reach, fromSeq: number): boolean {
  return scopesOf(scope).some(one => !isSamePath(activePath(timeline, one, reach, fromSeq), activePath(timeline, one, reach)));
}

/** Rewinds code to before a turn or a call, for the session that did it. */
export function selectRewind(timeline: Timeline, target: string, look: Look): Selection {
  return selectTravel(timeline, { kind: 'rewind', target, scope: 'code' }, look);
}
