import type { Call, History, Operation } from './history.ts';

export type Scope = 'code' | 'conversation';

/** A restore that abandons a stretch: it goes back to where `from` was not there yet, for one session or for all. */
interface Travel {
  readonly seq: number;
  readonly from: number;
  readonly session: string | undefined;
}

export function isTravel({ intent }: Operation): boolean {
  return intent.kind === 'rewind' || intent.kind === 'switch' || intent.kind === 'fork';
}

export function isIn(scope: Scope, { intent }: Operation): boolean {
  return intent.scope === 'both' || intent.scope === scope;
}

export function isWithin(reach: string | undefined, session: string | undefined): boolean {
  return reach === undefined || reach === session;
}

function travelOf({ seq, session, intent }: Operation): Travel {
  return { seq, from: intent.fromSeq, session };
}

function abandons(travel: Travel, seq: number, session: string | undefined): boolean {
  return seq >= travel.from && seq < travel.seq && isWithin(travel.session, session);
}

/**
 * What is in force at a moment, said recursively and for one session: a restore that concerns it is, unless a later one that concerns it
 * and is in force undoes it or goes back past it; a turn or a call of it is, unless a restore in force goes back past it.
 */
export class InForce {
  private readonly history: History;
  private readonly scope: Scope;
  private readonly end: number;
  private readonly known = new Map<string, boolean>();
  private readonly moments = new Map<number, InForce>();
  private readonly intended: Travel | undefined;

  /** At the moment just before `end`; with `intended`, as it would be after that restore. */
  constructor(history: History, scope: Scope, end: number = Number.POSITIVE_INFINITY, intended?: { readonly from: number; readonly session: string | undefined }) {
    this.history = history;
    this.scope = scope;
    this.end = end;
    this.intended = intended === undefined ? undefined : { ...intended, seq: Number.POSITIVE_INFINITY };
  }

  /** Restores in force for a session that came after a record. */
  private later(seq: number, session: string | undefined): readonly Operation[] {
    return this.history.operations.filter(
      operation => operation.done !== undefined && operation.seq > seq && operation.seq < this.end && isIn(this.scope, operation) && isWithin(operation.session, session) && this.isFor(operation, session),
    );
  }

  private justBefore(seq: number): InForce {
    const then = this.moments.get(seq) ?? new InForce(this.history, this.scope, seq);
    this.moments.set(seq, then);
    return then;
  }

  private isAbandoned(seq: number, session: string | undefined): boolean {
    if (this.intended !== undefined && abandons(this.intended, seq, session)) return true;
    return this.later(seq, session).some(operation => isTravel(operation) && abandons(travelOf(operation), seq, session));
  }

  isFor(operation: Operation, session: string | undefined): boolean {
    const key = `${operation.id} ${session}`;
    let answer = this.known.get(key);
    if (answer === undefined) {
      // Where it was not in force when it was undone, there was nothing to undo.
      const isUndone = this.later(operation.seq, session).some(({ intent, seq }) => (intent.kind === 'undo' || intent.kind === 'redo') && intent.target === operation.id && this.justBefore(seq).isFor(operation, session));
      answer = !isUndone && !this.isAbandoned(operation.seq, session);
      this.known.set(key, answer);
    }
    return answer;
  }

  /** Whether a restore is in force for anybody. */
  restore(operation: Operation): boolean {
    const sessions = operation.session === undefined ? [undefined, ...this.history.turns.map(({ session }) => session)] : [operation.session];
    return sessions.some(session => this.isFor(operation, session));
  }

  /** Whether it is for any of the sessions that it moved; where there was none, for what is nobody's. */
  isForWork(operation: Operation): boolean {
    const sessions = new Set(this.history.turns.filter(({ seq, session }) => seq < operation.seq && isWithin(operation.session, session)).map(({ session }) => session));
    return isIn(this.scope, operation) && (sessions.size === 0 ? this.restore(operation) : [...sessions].some(session => this.isFor(operation, session)));
  }

  restores(): readonly Operation[] {
    return this.history.operations.filter(operation => operation.done !== undefined && operation.seq < this.end && isIn(this.scope, operation) && this.restore(operation));
  }

  did({ seq, session }: { readonly seq: number; readonly session: string }): boolean {
    return seq < this.end && !this.isAbandoned(seq, session);
  }

  /** Everything in force within a reach, by kind and id, oldest first: two moments with the same are the same place. */
  items(reach: string | undefined): ReadonlySet<string> {
    const within = (item: { readonly session: string | undefined }): boolean => isWithin(reach, item.session);
    const rollbacks = this.restores().filter(operation => operation.intent.kind === 'rollback' && within(operation) && !(this.intended !== undefined && abandons(this.intended, operation.seq, operation.session)));
    const all = [
      ...this.history.turns.filter(turn => within(turn) && this.did(turn)).map(({ id, seq }) => ({ seq, name: `turn ${id}` })),
      ...this.history.calls.filter(call => within(call) && this.did(call)).map(({ id, seq }) => ({ seq, name: `call ${id}` })),
      ...rollbacks.map(({ id, seq }) => ({ seq, name: `rollback ${id}` })),
    ];
    return new Set(all.sort((a, b) => a.seq - b.seq).map(({ name }) => name));
  }

  /** The restore in force that took back what a call did to a path, if one did. */
  takenBackBy(call: Call, path: string): Operation | undefined {
    return this.later(0, call.session).find(operation => {
      const takes = isTravel(operation) ? abandons(travelOf(operation), call.seq, call.session) : operation.intent.kind === 'rollback' && operation.intent.calls?.includes(call.id) === true;
      return takes && isTaken(operation, path);
    });
  }
}

/** Whether a restore took a path along: it wrote it, or it held the right thing already. */
function isTaken({ intent, done }: Operation, path: string): boolean {
  const written = done?.paths.find(candidate => candidate.path === path);
  return written === undefined ? intent.left.some(left => left.path === path && left.action === 'unchanged') : written.outcome === 'done';
}

/** The restore that undo without a name means: the newest one in force that is no undo itself. */
export function newestUndoable(history: History): Operation | undefined {
  return restoresInForce(history).find(({ intent }) => intent.kind !== 'undo');
}

/** The newest undo in force that no new restore came after. */
export function newestRedoable(history: History): Operation | undefined {
  for (const operation of restoresInForce(history)) {
    if (operation.intent.kind === 'undo') return operation;
    if (operation.intent.kind !== 'redo') return undefined;
  }
  return undefined;
}

/** Restores in force for the code or the conversation, latest first. */
export function restoresInForce(history: History): readonly Operation[] {
  const scopes = (['code', 'conversation'] as const).map(scope => new InForce(history, scope));
  return history.operations.filter(operation => operation.done !== undefined && scopes.some((inForce, index) => isIn(index === 0 ? 'code' : 'conversation', operation) && inForce.restore(operation))).toReversed();
}
