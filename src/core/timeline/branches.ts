import { derivedId } from '../base/ids.ts';
import { endedOperations, isInScope, isTravel, reachOf, type Reach } from './activity.ts';
import type { Operation, Timeline } from './model.ts';
import { activePath, differenceOf, goesOnFrom, isSamePath, type PathEntry } from './activePath.ts';

/** A line of work: one is checked out, the others were left by a rewind, a fork, a switch, or the undo of one. */
export interface Branch {
  readonly id: string;
  readonly current: boolean;
  /** The turn after which it leaves what is checked out now; undefined at the very beginning. */
  readonly from: string | undefined;
  /** The turns that are on it and not on what is checked out, oldest first; of the current one, those since it began. */
  readonly turns: readonly string[];
  /** Whom going there moves: the one session that is not there any more, or all. */
  readonly reach: Reach;
  /** The first record that is not on it any more: `reconstruct(end - 1)` is its tip. */
  readonly end: number;
}

/** What a branch is while the history is walked through. */
interface Line {
  readonly id: string;
  readonly begunBy: Operation | undefined;
  leftBy: Operation | undefined;
}

function lineBegunBy(operation: Operation): string {
  return derivedId('branch', operation.id);
}

/** The line that everything begins on. */
export const firstBranch = derivedId('branch', 'first');

/** The path of the whole workspace just before a record. */
function pathAt(timeline: Timeline, before?: number): readonly PathEntry[] {
  return activePath(timeline, 'code', { session: undefined }, before);
}

/** How what is in force now differs from what was just before a record; what only went on from there is no difference. */
function differenceSince(then: readonly PathEntry[], end: number, now: readonly PathEntry[]): readonly PathEntry[] {
  return differenceOf(then, now.filter(({ seq }) => seq < end));
}

/** Whether, just after a restore, all of a line is in force that was when it was left last, and nothing else but what came after it. */
function isAgain(timeline: Timeline, { leftBy }: Line, { seq }: Operation): boolean {
  return leftBy !== undefined && differenceSince(pathAt(timeline, leftBy.seq), leftBy.seq, pathAt(timeline, seq + 1)).length === 0;
}

/**
 * Follows which line was checked out through all restores. A rewind or a fork begins a new line, a switch goes to one
 * that was left, an undo (or redo) back to the one that was checked out before what it undoes, unless that one has gone on or been gone back over
 * meanwhile. So a branch keeps its id from its first turn on, whether it is checked out or not, and what it ended with is never lost.
 */
function linesOf(timeline: Timeline): { readonly lines: ReadonlyMap<string, Line>; readonly current: Line } {
  let current: Line = { id: firstBranch, begunBy: undefined, leftBy: undefined };
  const lines = new Map<string, Line>([[current.id, current]]);
  /** By operation that changed the line: the line before it. */
  const before = new Map<string, Line>();
  for (const operation of endedOperations(timeline)) {
    const { intent } = operation;
    if (!isInScope(intent, 'code')) continue;
    const line = intent.kind === 'undo' || intent.kind === 'redo' ? before.get(intent.target) : undefined;
    if (!isTravel(intent) && line === undefined) continue;
    before.set(operation.id, current);
    current.leftBy = operation;
    const named = intent.kind === 'switch' ? lines.get(intent.target) : line;
    // A switch that another folder asked for may have brought only a part of it here.
    const isThere = named !== undefined && ((intent.kind === 'switch' && named === before.get(operation.id)) || isAgain(timeline, named, operation));
    current = isThere ? named : { id: lineBegunBy(operation), begunBy: operation, leftBy: undefined };
    lines.set(current.id, current);
  }
  return { lines, current };
}

/** The turns of which there is anything in a path, oldest first: one may have gone on after a later one had begun. */
function turnsIn(entries: readonly PathEntry[], timeline: Timeline): readonly string[] {
  const ids = new Set(entries.flatMap(({ kind, id }) => (kind === 'turn' ? [id] : kind === 'call' ? [timeline.calls.get(id)?.turn ?? id] : [])));
  const seqOf = (id: string): number => timeline.turns.get(id)?.seq ?? 0;
  return [...ids].sort((a, b) => seqOf(a) - seqOf(b));
}

function lastTurn(entries: readonly PathEntry[], timeline: Timeline): string | undefined {
  return turnsIn(entries, timeline).at(-1);
}

/** A line that was left, as it was then. */
interface LeftLine {
  readonly line: Line;
  readonly leftBy: Operation;
  readonly path: readonly PathEntry[];
}

function leftLines(timeline: Timeline): readonly LeftLine[] {
  const { lines, current } = linesOf(timeline);
  return [...lines.values()].flatMap(line => {
    const { leftBy } = line;
    return leftBy === undefined || line === current ? [] : [{ line, leftBy, path: pathAt(timeline, leftBy.seq) }];
  });
}

/** Whether a line only goes on from another, for each session by itself. */
function goesOn(path: readonly PathEntry[], from: readonly PathEntry[]): boolean {
  return [...new Set(from.map(({ session }) => session))].every(session => {
    const of = (entries: readonly PathEntry[]): readonly PathEntry[] => entries.filter(entry => entry.session === session);
    return goesOnFrom(of(path), of(from));
  });
}

/**
 * Going to a branch moves those who are not there any more: where it is one session, others keep what they have done since; where there are
 * several, it is the whole workspace.
 */
function reachOfGoing({ leftBy, path }: LeftLine, here: readonly PathEntry[]): Reach {
  const [off, ...more] = new Set(differenceSince(path, leftBy.seq, here).map(({ session }) => session));
  return off === undefined ? reachOf(leftBy.intent) : { session: more.length > 0 ? undefined : off };
}

/** The sessions for which, of what was done before a record, other things are in force now than were then. */
export function sessionsApart(timeline: Timeline, before: number): ReadonlySet<string | undefined> {
  return new Set(differenceSince(pathAt(timeline, before), before, pathAt(timeline)).map(({ session }) => session));
}

function branchOf(timeline: Timeline, left: LeftLine, here: readonly PathEntry[]): Branch {
  const { line, leftBy, path } = left;
  const shared = new Set(here.map(({ id }) => id));
  const own = path.filter(({ id }) => !shared.has(id));
  const parting = Math.min(...differenceSince(path, leftBy.seq, here).map(({ seq }) => seq));
  const common = path.filter(({ seq }) => seq < parting);
  return { id: line.id, current: false, from: lastTurn(common, timeline), turns: turnsIn(own, timeline), reach: reachOfGoing(left, here), end: leftBy.seq };
}

function currentBranch(timeline: Timeline): Branch {
  const { id, begunBy } = linesOf(timeline).current;
  const path = pathAt(timeline);
  const own = path.filter(({ seq }) => begunBy === undefined || seq > begunBy.seq);
  const from = begunBy === undefined ? undefined : lastTurn(path.filter(({ seq }) => seq < begunBy.seq), timeline);
  return { id, current: true, from, turns: turnsIn(own, timeline), reach: { session: undefined }, end: timeline.seq + 1 };
}

/**
 * The branches that can be gone to, the checked-out one first, then the one left last. A line from which another only
 * goes on is no branch of its own: it is a place on that other one, and a rewind goes there.
 */
export function branchesOf(timeline: Timeline): readonly Branch[] {
  const left = [...leftLines(timeline)].sort((a, b) => b.leftBy.seq - a.leftBy.seq);
  const here = pathAt(timeline);
  const listed: LeftLine[] = [];
  for (const candidate of left) {
    const { path } = candidate;
    const isPart = left.some(other => other !== candidate && goesOn(other.path, path) && (!isSamePath(other.path, path) || listed.includes(other)));
    if (!isPart && !goesOn(here, path)) listed.push(candidate);
  }
  return [currentBranch(timeline), ...listed.map(line => branchOf(timeline, line, here))];
}

/** A branch by its id, also one that is not listed because others go on from it. */
export function findBranch(timeline: Timeline, id: string): Branch | undefined {
  const left = leftLines(timeline).find(({ line }) => line.id === id);
  if (left !== undefined) return branchOf(timeline, left, pathAt(timeline));
  const current = currentBranch(timeline);
  return current.id === id ? current : undefined;
}

/** The ids of all branches, listed or not. */
export function branchIds(timeline: Timeline): readonly string[] {
  return [...linesOf(timeline).lines.keys()];
}
