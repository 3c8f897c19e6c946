import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { activityOf } from '../../../../src/core/timeline/activity.ts';
import { newestRedoable, newestUndoable } from '../../../../src/core/rewind/undo.ts';
import { World, type Actor, type Contents } from '../../../twins/world.ts';

/**
 * A single session without any foreign change is simple to predict: a rewind brings the tree as it was when
 * its target began, an undo the tree before the restore (a roll back's too), a redo the tree before the undo.
 * Whatever is done in whatever order, every step must give exactly that.
 */
type Step = { readonly kind: 'turn'; readonly calls: readonly Contents[] } | { readonly kind: 'rewind' | 'rollback'; readonly to: number } | { readonly kind: 'undo' } | { readonly kind: 'redo' } | { readonly kind: 'restart' };

const paths = ['a.txt', 'b.txt', 'new/c.txt', 'new/deep/d.txt'];
const contents: fc.Arbitrary<Contents> = fc.dictionary(fc.constantFrom(...paths), fc.option(fc.constantFrom('1', '2', '3')), { minKeys: 1, maxKeys: 3, noNullPrototype: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.array(contents, { minLength: 1, maxLength: 2 }).map(calls => ({ kind: 'turn' as const, calls })) },
  { weight: 3, arbitrary: fc.nat(9).map(to => ({ kind: 'rewind' as const, to })) },
  { weight: 1, arbitrary: fc.nat(9).map(to => ({ kind: 'rollback' as const, to })) },
  { weight: 3, arbitrary: fc.constant({ kind: 'undo' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'redo' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** What a deleting tool can do: only what is there. */
function possible(world: World, calls: Contents): Contents {
  return Object.fromEntries(Object.entries(calls).filter(([path, text]) => text !== null || world.memory.stat(`/project/${path}`) !== undefined));
}

type Tree = ReturnType<World['tree']>;

class Run {
  private readonly world: World;
  private actor: Actor;
  private readonly begun: { readonly turn: string; readonly tree: Tree }[] = [];
  private readonly before = new Map<string, Tree>();

  constructor(world: World) {
    this.world = world;
    this.actor = world.open();
  }

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'turn': {
        const turn = `t-${this.begun.length + 1}`;
        this.begun.push({ turn, tree: this.world.tree() });
        await this.actor.openTurn(turn);
        for (const calls of next.calls) await this.actor.call(turn, possible(this.world, calls));
        return this.actor.recorder.closeTurn('s-a', turn);
      }
      case 'rewind': {
        const target = this.begun[next.to % Math.max(1, this.begun.length)];
        if (target !== undefined) await this.expect(() => this.actor.rewind(target.turn), target.tree);
        return;
      }
      case 'rollback': {
        const target = this.begun[next.to % Math.max(1, this.begun.length)];
        if (target === undefined) return;
        const was = this.world.tree();
        const result = await this.actor.rollback(target.turn);
        if (result.kind === 'applied') this.before.set(result.operation, was);
        else assert.deepEqual(this.world.tree(), was, result.kind);
        return;
      }
      case 'undo':
        return this.reverse(newestUndoable, () => this.actor.undo());
      case 'redo':
        return this.reverse(newestRedoable, () => this.actor.redo());
      case 'restart':
        this.world.reboot();
        this.actor = this.world.open();
    }
  }

  private async reverse(newest: typeof newestUndoable, work: () => ReturnType<Actor['undo']>): Promise<void> {
    this.actor.store.refresh();
    const operation = operationOrNone(() => newest(this.actor.store.timeline));
    if (operation === undefined) return assert.rejects(work(), error => TurnstoneError.is(error, 'notFound'));
    const tree = this.before.get(operation);
    // What later turns did to the same files stands in the way of an undo, and then nothing at all is written.
    const clean = !this.turnsSince(operation);
    await this.expect(work, tree as Tree, clean ? undefined : this.world.tree());
  }

  private turnsSince(operation: string): boolean {
    const { timeline } = this.actor.store;
    const seq = timeline.operations.get(operation)?.seq ?? 0;
    return [...timeline.turns.values()].some(turn => turn.seq > seq && activityOf(timeline).abandonedBy(turn.session, turn.seq) === undefined);
  }

  private async expect(work: () => ReturnType<Actor['undo']>, tree: Tree, blocked?: Tree): Promise<void> {
    const was = this.world.tree();
    const result = await work();
    if (result.kind === 'applied') this.before.set(result.operation, was);
    if (result.kind === 'blocked' && blocked !== undefined) return assert.deepEqual(this.world.tree(), blocked);
    // After a turn in between an undo only promises not to touch what that turn did.
    if (blocked === undefined) assert.deepEqual(this.world.tree(), tree, `${result.kind}`);
  }
}

function operationOrNone(find: () => { readonly id: string }): string | undefined {
  try {
    return find().id;
  } catch {
    return undefined;
  }
}

describe('time travel in one session', () => {
  it('brings exactly the tree of then, in any order of turns, rewinds, undos and redos', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async steps => {
        const run = new Run(await World.make({ 'a.txt': '0', 'b.txt': '0' }));
        for (const next of steps) await run.take(next);
      }),
      { numRuns: 300 },
    );
  });
});
