import type { Operation, Timeline } from '../timeline/model.ts';
import { isWithin, moved, reachOf, restoresInForce, type Reach } from '../timeline/activity.ts';
import { findBranch, sessionsApart } from '../timeline/branches.ts';
import { pointOf, type Point } from '../timeline/points.ts';
import type { Select } from './restore.ts';
import { selectRollback } from './selection.ts';
import { selectTravel, type Travel } from './travel.ts';
import { selectUndo } from './undo.ts';

/** What a request means in other folders than the one in which it is made. */
export interface Elsewhere {
  /** Nothing older than this, in milliseconds since 1970, has a part in it. */
  readonly since: number;
  /** The sessions and restores of the request's own folder that bring others in, because they were at work there too. */
  readonly concerned: readonly string[];
  /** What is to be done in a folder, if anything; `concerned` are the sessions and restores of all folders that have a part in it so far. */
  select(there: Timeline, concerned: ReadonlySet<string>): Select | undefined;
  /** The sessions and restores that a folder with a part in it adds to them. */
  concernedBy(there: Timeline): readonly string[];
}

/** When something began in one folder: the cut in all others. */
interface Cut {
  /** The turn, call, point or restore. */
  readonly target: string;
  readonly at: number;
  readonly reach: Reach;
  /** Whether what happened at the same time was there already. */
  readonly isAfter: boolean;
}

/** Where a cut is in another folder: at the same record, or the first one of the reach that is not older; undefined where there is none. */
function fromSeqAt(timeline: Timeline, { target, at, reach, isAfter }: Cut): number | undefined {
  const same = timeline.operations.get(target)?.seq;
  if (same !== undefined) return same;
  const isSince = (item: { readonly at: number }): boolean => (isAfter ? item.at > at : item.at >= at);
  const begun = [...timeline.turns.values(), ...timeline.calls.values()].filter(item => isSince(item) && isWithin(reach, item.session)).map(({ seq }) => seq);
  const restored = [...timeline.operations.values()].filter(operation => isSince(operation) && moved(reach, operation)).map(({ seq }) => seq);
  // A turn begins in each folder with the first that it did there: which one that was, no clock has to tell.
  const itself = timeline.turns.get(target)?.seq ?? Number.POSITIVE_INFINITY;
  const first = Math.min(itself, ...begun, ...restored);
  return Number.isFinite(first) ? first : undefined;
}

/** The sessions that did anything in a folder from a record on, and the restores that reached beyond it. */
function atWorkFrom(timeline: Timeline, fromSeq: number): readonly string[] {
  const items = [...timeline.turns.values(), ...timeline.calls.values()].filter(({ seq }) => seq >= fromSeq).map(({ session }) => session);
  const restores = [...timeline.operations.values()].filter(({ seq }) => seq >= fromSeq).flatMap(({ id, intent }) => [reachOf(intent).session, ...(intent.roots === undefined ? [] : [id])]);
  return [...new Set([...items, ...restores])].filter(one => one !== undefined);
}

function timeOf(timeline: Timeline, id: string): number {
  return (timeline.turns.get(id) ?? timeline.calls.get(id) ?? timeline.points.get(id))?.at ?? timeline.at;
}

/** When a turn or a call began, in whichever folder: all that other folders know of it is not older. */
function begunAt(timeline: Timeline, id: string): number {
  // In any other folder than the one in which the agent was asked, a turn begins when it comes there. One without a prompt has come from somewhere, too.
  const turn = timeline.turns.get(id);
  const cameFromElsewhere = turn !== undefined && (turn.elsewhere || turn.prompt === undefined);
  return cameFromElsewhere ? Number.NEGATIVE_INFINITY : timeOf(timeline, id);
}

/** For what is found in other folders by its own id. */
const byId = { concerned: [], concernedBy: (): readonly string[] => [] };

/** Undo and redo reach wherever the same restore did. */
export function backElsewhere(kind: 'undo' | 'redo', operation: Operation): Elsewhere | undefined {
  if (operation.intent.roots === undefined) return undefined;
  return { ...byId, since: operation.at, select: there => (there.operations.has(operation.id) ? timeline => selectUndo(timeline, kind, timeline.operations.get(operation.id) as Operation) : undefined) };
}

/** Going back for a session reaches wherever it worked; for the whole workspace, wherever those have worked, and those restores have reached, that did here since, and so on. */
function cutElsewhere(home: Timeline, travel: Travel, point: Point, cut: Cut, since: number): Elsewhere {
  const { session } = cut.reach;
  return {
    since,
    concerned: session === undefined ? atWorkFrom(home, point.fromSeq) : [],
    concernedBy: there => (session === undefined ? atWorkFrom(there, fromSeqAt(there, cut) ?? Number.POSITIVE_INFINITY) : []),
    select(there, concerned) {
      const from = fromSeqAt(there, cut);
      if (from === undefined) return undefined;
      if (session === undefined && !atWorkFrom(there, from).some(one => concerned.has(one))) return undefined;
      return (now, look) => selectTravel(now, { ...travel, point: { ...point, reach: cut.reach, fromSeq: fromSeqAt(now, cut) ?? now.seq + 1 } }, look);
    },
  };
}

/** A rewind or a fork. */
export function travelElsewhere(timeline: Timeline, travel: Travel): Elsewhere {
  const point = pointOf(timeline, travel.target);
  const reach = travel.reach === 'workspace' ? { session: undefined } : point.reach;
  const cut = { target: travel.target, at: timeOf(timeline, travel.target), reach, isAfter: timeline.points.has(travel.target) };
  return cutElsewhere(timeline, travel, point, cut, begunAt(timeline, travel.target));
}

/** What the way to a branch has left in other folders is tried again there too, when one goes where one is. */
function stayElsewhere(timeline: Timeline, travel: Travel): Elsewhere | undefined {
  const arrival = restoresInForce(timeline)[0];
  if (arrival?.intent.kind !== 'switch' || arrival.intent.target !== travel.target || arrival.intent.roots === undefined) return undefined;
  return { ...byId, since: arrival.at, select: there => (there.operations.has(arrival.id) ? (now, look) => selectTravel(now, { ...travel, point: 'here' }, look) : undefined) };
}

/** Whom going back to a branch moves in another folder: those who are not there any more, of the same sessions as here, or of all where the same restore left it. */
function reachElsewhere(there: Timeline, fromSeq: number, home: Reach, apartAtHome: ReadonlySet<string | undefined>, isSame: boolean): Reach | undefined {
  const apart = [...sessionsApart(there, fromSeq)].filter(session => isSame || apartAtHome.has(session));
  const [session, ...more] = apart;
  if (apart.length === 0) return isSame && apartAtHome.size === 0 ? home : undefined;
  return { session: more.length > 0 || home.session === undefined ? undefined : session };
}

/** A switch reaches wherever the restore that left the branch did, and wherever the sessions that it moves here are not any more as they were then. */
export function switchElsewhere(timeline: Timeline, travel: Travel): Elsewhere | undefined {
  const branch = findBranch(timeline, travel.target);
  if (branch?.current === true) return stayElsewhere(timeline, travel);
  const left = [...timeline.operations.values()].find(({ seq }) => seq === branch?.end);
  if (branch === undefined || left === undefined) return undefined;
  const cut = { target: left.id, at: left.at, reach: { session: undefined }, isAfter: false };
  const point: Point = { target: travel.target, kind: 'branch', fromSeq: branch.end, reach: branch.reach };
  const elsewhere = cutElsewhere(timeline, travel, point, cut, left.at);
  const apart = sessionsApart(timeline, branch.end);
  return {
    ...elsewhere,
    select(there, concerned) {
      const from = fromSeqAt(there, cut);
      const reach = from === undefined ? undefined : reachElsewhere(there, from, branch.reach, apart, there.operations.has(left.id));
      if (reach === undefined) return branch.reach.session === undefined ? elsewhere.select(there, concerned) : undefined;
      return (now, look) => selectTravel(now, { ...travel, point: { ...point, reach, fromSeq: fromSeqAt(now, cut) ?? now.seq + 1 } }, look);
    },
  };
}

export function rollbackElsewhere(timeline: Timeline, target: string): Elsewhere {
  return {
    ...byId,
    since: begunAt(timeline, target),
    select: there => ((there.turns.get(target)?.calls.length ?? 0) > 0 ? (now, look) => selectRollback(now, target, undefined, look) : undefined),
  };
}
