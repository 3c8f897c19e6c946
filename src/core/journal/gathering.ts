import type { Clock } from '../base/clock.ts';
import { TurnstoneError } from '../base/errors.ts';
import { lockWait, type Lock } from './lock.ts';

/** What came of something that was to be done. */
export type Outcome<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'failed'; readonly error: unknown };

/** Somebody who waits for the lock. */
export interface Waiting<Item, Value> {
  readonly item: Item;
  /** When the wait is over, in milliseconds since 1970. */
  readonly deadline: number;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** Gives each member's outcome, in their order; what it throws is told to all of them. */
export type WorkLocked<Item, Value> = (members: readonly Waiting<Item, Value>[]) => readonly Outcome<Value>[];

/**
 * Whatever waits for a lock at the same time, done under one hold of it.
 *
 * Invariants:
 * - A group is what has come in while the lock was awaited, in the order in which it came; nobody waits for others to come.
 * - What comes in while a group is worked on is in the next one.
 * - Each waits for the lock as long as it would have alone.
 */
export class Gathering<Item, Value> {
  private readonly lock: Lock;
  private readonly clock: Clock;
  private readonly work: WorkLocked<Item, Value>;
  private waiting: Waiting<Item, Value>[] = [];
  private isServed = false;

  constructor(lock: Lock, clock: Clock, work: WorkLocked<Item, Value>) {
    this.lock = lock;
    this.clock = clock;
    this.work = work;
  }

  /** Resolves with what came of the item when its group is done. Throws what `Lock.exclusively` throws. */
  add(item: Item): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, deadline: this.clock.now() + lockWait, resolve, reject });
      if (!this.isServed) void this.serve();
    });
  }

  // A hook is a process for one commit, and each function that runs first has to be compiled: so this is one, not four.
  private async serve(): Promise<void> {
    this.isServed = true;
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      let members: readonly Waiting<Item, Value>[] = [];
      try {
        const outcomes = await this.lock.exclusively(() => {
          members = this.waiting;
          this.waiting = [];
          return this.work(members);
        }, Math.max(0, first.deadline - this.clock.now()));
        for (const [index, member] of members.entries()) {
          const outcome = outcomes[index] as Outcome<Value>;
          if (outcome.kind === 'done') member.resolve(outcome.value);
          else member.reject(outcome.error);
        }
      } catch (error) {
        for (const member of members.length > 0 ? members : this.leave(error)) member.reject(error);
      }
    }
    this.isServed = false;
  }

  /** Those to whom it must be told that the lock could not be had; the others go on waiting. */
  private leave(error: unknown): readonly Waiting<Item, Value>[] {
    const now = this.clock.now();
    const isOver = ({ deadline }: Waiting<Item, Value>): boolean => !TurnstoneError.is(error, 'busy') || deadline <= now;
    const over = this.waiting.filter(isOver);
    this.waiting = this.waiting.filter(member => !isOver(member));
    return over;
  }
}
