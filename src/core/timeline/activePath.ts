import { activityOf, isTravel, isWithin, reachOf, type Reach, type Scope } from './activity.ts';
import type { Timeline } from './model.ts';

/** A step of an active path: a turn that was begun, a call, or a roll back that holds. */
export interface PathEntry {
  readonly kind: 'turn' | 'call' | 'rollback';
  readonly id: string;
  readonly seq: number;
  readonly session: string | undefined;
}

/**
 * The active path of a scope and reach just before a record (by default at the end): all that was done and not abandoned,
 * oldest first. Two points of a history are the same place where their paths are the same.
 */
export function activePath(timeline: Timeline, scope: Scope, reach: Reach, before = Number.POSITIVE_INFINITY): readonly PathEntry[] {
  const activity = activityOf(timeline, scope, before);
  const done = (kind: 'turn' | 'call', items: Iterable<{ readonly id: string; readonly seq: number; readonly session: string }>): readonly PathEntry[] =>
    [...items]
      .filter(({ seq, session }) => seq < before && isWithin(reach, session) && activity.abandonedBy(session, seq) === undefined)
      .map(({ id, seq, session }) => ({ kind, id, seq, session }));
  const rollbacks = activity.effective
    .filter(({ intent }) => intent.kind === 'rollback' && isWithin(reach, intent.session))
    .map(({ id, seq, intent }): PathEntry => ({ kind: 'rollback', id, seq, session: intent.session }));
  return [...done('turn', timeline.turns.values()), ...done('call', timeline.calls.values()), ...rollbacks].sort((a, b) => a.seq - b.seq);
}

/** Whether a path only goes on from another, or is the same. */
export function goesOnFrom(path: readonly PathEntry[], from: readonly PathEntry[]): boolean {
  return from.length <= path.length && from.every(({ id }, index) => path[index]?.id === id);
}

export function isSamePath(one: readonly PathEntry[], other: readonly PathEntry[]): boolean {
  return one.length === other.length && goesOnFrom(one, other);
}

/** What is in one of two paths and not in the other, in no order. */
export function differenceOf(one: readonly PathEntry[], other: readonly PathEntry[]): readonly PathEntry[] {
  const [inOne, inOther] = [new Set(one.map(({ id }) => id)), new Set(other.map(({ id }) => id))];
  return [...one.filter(({ id }) => !inOther.has(id)), ...other.filter(({ id }) => !inOne.has(id))];
}

/** Where a session stands: the newest turn whose code, and the newest one whose conversation, is in force. */
export interface Heads {
  readonly code: string | undefined;
  readonly conversation: string | undefined;
}

/** By default at the end; else just before a record. */
export function headsOf(timeline: Timeline, session: string, before = Number.POSITIVE_INFINITY): Heads {
  const turns = (timeline.sessions.get(session)?.turns ?? []).filter(id => (timeline.turns.get(id)?.seq ?? 0) < before);
  const head = (scope: Scope): string | undefined => {
    const activity = activityOf(timeline, scope, before);
    return turns.findLast(id => activity.abandonedBy(session, timeline.turns.get(id)?.seq ?? 0) === undefined);
  };
  return { code: head('code'), conversation: head('conversation') };
}

/**
 * Whether a turn was gone back over, or its end was, or is just being: what its agent knows of the files is not so any more. `except` is a call that
 * does not count, because it has only just begun.
 */
export function isSuperseded(timeline: Timeline, turn: string, except?: string): boolean {
  const opened = timeline.turns.get(turn);
  if (opened === undefined) return false;
  const { session } = opened;
  const last = Math.max(opened.seq, ...opened.calls.filter(call => call !== except).map(call => timeline.calls.get(call)?.seq ?? 0));
  const isGoingBack = [...timeline.operations.values()].some(({ done, seq, intent }) => done === undefined && isTravel(intent) && isWithin(reachOf(intent), session) && intent.fromSeq <= last && last < seq);
  return isGoingBack || (['code', 'conversation'] as const).some(scope => activityOf(timeline, scope).abandonedBy(session, last) !== undefined);
}
