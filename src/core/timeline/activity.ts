import type { Operation, Timeline } from './model.ts';
import type { RecordOf } from './records.ts';

/** The two things that have a way back of their own: the files, and what the agent was told. */
export type Scope = 'code' | 'conversation';

/** Whose records: those of one session, or, where it is undefined, of the whole workspace. */
export interface Reach {
  readonly session: string | undefined;
}

/**
 * What of the history is in force, for one scope. Restores are records like others: a rewind, a switch and a fork abandon the
 * stretch between their target and themselves, for their reach; an undo takes a restore's effect away, a redo
 * brings it back. So it is worked out from the latest record backwards: whatever a later one took away has no say.
 *
 * Each session has a head of its own, and a restore of the whole workspace moves all of them. What goes back for one session puts
 * its head where it was, over all that had moved it, and leaves the others' alone: so one restore of the whole workspace can be in
 * force for one session and not for another.
 */
export interface Activity {
  /** The restores in force for anybody, latest first. */
  readonly effective: readonly Operation[];
  /** Whether a restore is in force for a session, or for what belongs to none. */
  isInForceFor(session: string | undefined, operation: Operation): boolean;
  /** The restore that abandoned a record of a session (or one of the whole workspace), if one did. */
  abandonedBy(session: string | undefined, seq: number): Operation | undefined;
  /** Whether an operation's effect is taken away for everybody, by an undo or by going back past it. */
  isUndone(operation: string): boolean;
  /** Whether what a call did to a path was taken back. */
  isRolledBack(change: { readonly call: string; readonly session: string; readonly seq: number; readonly path: string }): boolean;
}

type Intent = RecordOf<'restore.intent'>;

/** Whether a restore goes back to a point and abandons all that came after it. */
export function isTravel({ kind }: Intent): boolean {
  return kind === 'rewind' || kind === 'switch' || kind === 'fork';
}

export function isInScope(intent: Intent, scope: Scope): boolean {
  return intent.scope === 'both' || intent.scope === scope;
}

export function reachOf(intent: Intent): Reach {
  return { session: intent.reach === 'workspace' ? undefined : intent.session };
}

/** Whether something of a session (undefined: of no single one) is within a reach. */
export function isWithin(reach: Reach, session: string | undefined): boolean {
  return reach.session === undefined || reach.session === session;
}

/** Whether a restore moved a head of a reach: its own, or all. */
export function moved(reach: Reach, { intent }: Operation): boolean {
  return isWithin(reach, reachOf(intent).session) || isWithin(reachOf(intent), reach.session);
}

/** Whether a restore took a path along: it wrote it, or found that it held the right thing already. */
function covers(operation: Operation, path: string): boolean {
  const outcome = operation.done?.paths.find(candidate => candidate.path === path);
  if (outcome !== undefined) return outcome.outcome === 'done';
  return operation.intent.left.some(left => left.path === path && left.action === 'unchanged');
}

/** The restores that ended and were not called off, oldest first. */
export function endedOperations(timeline: Timeline): readonly Operation[] {
  return [...timeline.operations.values()].filter(({ done }) => done !== undefined && done.cancelled !== true).sort((a, b) => a.seq - b.seq);
}

/**
 * The restores in force for one session (undefined: for what belongs to no single one), latest first, of those from a place in the list on. An undo
 * takes effect for whom its target was in force just before it: where a session had gone back past that, nothing was undone for it, then or later.
 */
function inForceFor(session: string | undefined, latestFirst: readonly Operation[], from = 0, known = new Map<number, readonly Operation[]>()): readonly Operation[] {
  const before = known.get(from);
  if (before !== undefined) return before;
  const effective: Operation[] = [];
  const undone = new Set<string>();
  for (let index = from; index < latestFirst.length; index += 1) {
    const operation = latestFirst[index] as Operation;
    const { intent } = operation;
    if (!isWithin(reachOf(intent), session) || undone.has(operation.id) || abandoning(effective, operation.seq) !== undefined) continue;
    effective.push(operation);
    if (intent.kind !== 'undo' && intent.kind !== 'redo') continue;
    if (inForceFor(session, latestFirst, index + 1, known).some(({ id }) => id === intent.target)) undone.add(intent.target);
  }
  known.set(from, effective);
  return effective;
}

function abandoning(effective: readonly Operation[], seq: number): Operation | undefined {
  return effective.find(({ intent, seq: end }) => isTravel(intent) && seq >= intent.fromSeq && seq < end);
}

/** What is in force; with `before`, what was just before that record. */
export function activityOf(timeline: Timeline, scope: Scope = 'code', before = Number.POSITIVE_INFINITY): Activity {
  const operations = endedOperations(timeline).filter(({ seq, intent }) => seq < before && isInScope(intent, scope)).reverse();
  // Sessions without a restore of their own see what belongs to none.
  const alone = new Set(operations.map(({ intent }) => reachOf(intent).session));
  const views = new Map([...alone.add(undefined)].map(session => [session, inForceFor(session, operations)]));
  const viewOf = (session: string | undefined): readonly Operation[] => views.get(session) ?? views.get(undefined) ?? [];
  const inForce = new Set([...views.values()].flat());
  const abandonedBy = (session: string | undefined, seq: number): Operation | undefined => abandoning(viewOf(session), seq);
  return {
    effective: operations.filter(operation => inForce.has(operation)),
    isInForceFor: (session, operation) => viewOf(session).includes(operation),
    abandonedBy,
    isUndone: id => operations.some(operation => operation.id === id && !inForce.has(operation)),
    isRolledBack({ call, session, seq, path }) {
      const travel = abandonedBy(session, seq);
      if (travel !== undefined && covers(travel, path)) return true;
      return viewOf(session).some(operation => operation.intent.kind === 'rollback' && operation.intent.calls?.includes(call) === true && covers(operation, path));
    },
  };
}

/** All restores in force, of whatever scope, latest first. */
export function restoresInForce(timeline: Timeline): readonly Operation[] {
  const inForce = new Set([...activityOf(timeline, 'code').effective, ...activityOf(timeline, 'conversation').effective]);
  return [...inForce].sort((a, b) => b.seq - a.seq);
}
