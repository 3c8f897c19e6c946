import assert from 'node:assert/strict';
import { branchesOf, findBranch, type Branch } from '../../src/core/timeline/branches.ts';
import type { Timeline } from '../../src/core/timeline/model.ts';
import type { History, Operation } from './model/history.ts';
import { InForce, isIn, isTravel, isWithin } from './model/inForce.ts';

/** When a branch was left, and what was in force on it then. */
interface Left {
  readonly by: Operation;
  readonly items: ReadonlySet<string>;
}

/**
 * Follows which branch is checked out, as a user does who notes it down: after a rewind or a fork it is a new one, after a switch the one
 * that was named, after an undo the one from before what was undone, if all of that is back; and each that was left is there as it was left.
 */
export class BranchBook {
  private current: string | undefined;
  private readonly known = new Set<string>();
  /** By restore, the branch that was checked out before it. */
  private readonly before = new Map<string, string>();
  private readonly left = new Map<string, Left>();

  /** Looks at the list after each step; `operations` are the restores that ended in it. */
  check(timeline: Timeline, history: History, operations: readonly Operation[]): void {
    const listed = branchesOf(timeline);
    const [current, ...others] = listed;
    assert.ok(current?.current === true && others.every(branch => !branch.current), 'the checked-out branch comes first, and only one is');
    assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length, 'each branch is listed once');
    for (const operation of operations) this.follow(operation, history, current.id);
    assert.equal(current.id, this.current ?? current.id, 'the checked-out branch keeps its id');
    this.current = current.id;
    this.known.add(current.id);
    for (const branch of others) this.checkLeft(branch, history);
    this.checkAbandoned(others, history);
    for (const id of this.left.keys()) if (id !== current.id) assert.equal(findBranch(timeline, id)?.end, this.left.get(id)?.by.seq, `${id} is found by its id`);
  }

  private follow(operation: Operation, history: History, now: string): void {
    const { kind, target } = operation.intent;
    const previous = this.current;
    if (!isIn('code', operation) || previous === undefined) return;
    const back = kind === 'undo' || kind === 'redo' ? this.before.get(target) : undefined;
    if (!isTravel(operation) && back === undefined) return;
    this.before.set(operation.id, previous);
    this.left.set(previous, { by: operation, items: new InForce(history, 'code', operation.seq).items(undefined) });
    if (kind === 'switch') this.current = target;
    else if (back !== undefined && this.offFrom(back, history, operation.seq + 1).size === 0) this.current = back;
    else {
      assert.ok(!this.known.has(now), `a ${kind} begins a new branch`);
      this.current = now;
    }
  }

  /** The sessions for which, of all that was done before a branch was left, other things are in force than were then; undefined for a branch never left. */
  private offFrom(id: string, history: History, end = Number.POSITIVE_INFINITY): ReadonlySet<string | undefined> {
    const left = this.left.get(id);
    if (left === undefined) return new Set([undefined]);
    const now = new InForce(history, 'code', end).items(undefined);
    const differs = (items: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] => [...items].filter(item => !others.has(item) && itemOf(item, history).seq < left.by.seq);
    return new Set([...differs(left.items, now), ...differs(now, left.items)].map(item => itemOf(item, history).session));
  }

  private checkLeft(branch: Branch, history: History): void {
    const left = this.left.get(branch.id);
    assert.ok(left !== undefined, `${branch.id} was checked out once`);
    const off = [...this.offFrom(branch.id, history)];
    const moved = off.length === 0 ? left.by.session : off.length === 1 ? off[0] : undefined;
    assert.deepEqual([branch.end, branch.reach.session], [left.by.seq, moved], `${branch.id} ends where it was left, and moves who is not there`);
    const now = new InForce(history, 'code').items(undefined);
    const own = [...left.items].filter(item => !now.has(item));
    assert.deepEqual(new Set(branch.turns), turnsOf(own, history), `${branch.id} has the turns that are on it and not checked out`);
    assert.ok(branch.turns.every((turn, index) => index === 0 || seqOf(branch.turns[index - 1], history) < seqOf(turn, history)), `${branch.id} has its turns in order`);
    if (branch.from !== undefined) assert.ok(left.items.has(`turn ${branch.from}`) || turnsOf([...left.items], history).has(branch.from), `${branch.id} comes from a turn that is on it`);
  }

  /** An abandoned turn is never lost: there is a branch to find it on. */
  private checkAbandoned(listed: readonly Branch[], history: History): void {
    const inForce = new InForce(history, 'code');
    const on = new Set(listed.flatMap(({ turns }) => turns));
    for (const turn of history.turns) if (!inForce.did(turn)) assert.ok(on.has(turn.id), `${turn.id} was abandoned and is on a branch`);
  }

  /** Whether all that was in force on a branch when it was left is so again just after a switch to it; of those who were moved, nothing else is. */
  checkArrival(id: string, { seq, session }: Operation, history: History): void {
    const left = this.left.get(id);
    if (left === undefined) return;
    assert.deepEqual([...this.offFrom(id, history, seq + 1)], [], `what is in force is what was when ${id} was left`);
    const now = new InForce(history, 'code', seq + 1).items(session);
    assert.deepEqual(now, new Set([...left.items].filter(item => isWithin(session, itemOf(item, history).session))), `${session ?? 'everybody'} is where ${id} was left`);
  }
}

function itemOf(item: string, history: History): { readonly seq: number; readonly session: string | undefined } {
  const [kind, id] = item.split(' ');
  const items = kind === 'turn' ? history.turns : kind === 'call' ? history.calls : history.operations;
  return (items as readonly { readonly id: string; readonly seq: number; readonly session: string | undefined }[]).find(candidate => candidate.id === id) as { readonly seq: number; readonly session: string | undefined };
}

function seqOf(turn: string | undefined, history: History): number {
  return history.turns.find(({ id }) => id === turn)?.seq ?? 0;
}

function turnsOf(items: readonly string[], history: History): ReadonlySet<string> {
  return new Set(
    items.flatMap(item => {
      const [kind, id] = item.split(' ') as [string, string];
      if (kind === 'turn') return [id];
      return kind === 'call' ? [history.calls.find(call => call.id === id)?.turn as string] : [];
    }),
  );
}

