import { activityOf, isWithin, type Reach, type Scope } from './activity.ts';
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

export function headsOf(timeline: Timeline, session: string): Heads {
  const turns = timeline.sessions.get(session)?.turns ?? [];
  const head = (scope: Scope): string | undefined => {
    const activity = activityOf(timeline, scope);
    return turns.findLast(id => activity.abandonedBy(session, timeline.turns.get(id)?.seq ?? 0) === undefined);
  };
  return { code: head('code'), conversation: head('conversation') };
}
