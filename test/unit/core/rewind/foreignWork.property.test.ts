import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { OnConflict } from '../../../../src/core/rewind/plan.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { World, project, type Actor } from '../../../twins/world.ts';

/**
 * Two agents and a user write lines into the same files, every line marked with who wrote it. Whatever is
 * restored for one session, lines that the user or the other session has in a file stay there unless
 * overwriting was asked for, and nothing that was on the disk is ever lost from the store.
 */
type Step =
  | { readonly kind: 'agent'; readonly session: string; readonly path: string; readonly where: 'first' | 'last' | 'all'; readonly turn: 'new' | 'same' }
  | { readonly kind: 'user'; readonly path: string; readonly where: 'first' | 'last' | 'all' }
  | { readonly kind: 'delete'; readonly path: string; readonly by: string }
  | { readonly kind: 'rewind' | 'rollback'; readonly to: number; readonly decision: OnConflict }
  | { readonly kind: 'undo' | 'redo'; readonly decision: OnConflict };

const paths = ['a.txt', 'b.txt', 'c/new.txt'];
const path = fc.constantFrom(...paths);
const session = fc.constantFrom('s-a', 's-b');
const where = fc.constantFrom('first' as const, 'last' as const, 'all' as const);
const decision = fc.constantFrom<OnConflict[]>('stop', 'stop', 'skip', 'merge', 'overwrite');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('agent' as const), session, path, where, turn: fc.constantFrom('new' as const, 'new' as const, 'same' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('user' as const), path, where }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), path, by: fc.constantFrom('user', 's-a', 's-b') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('rewind' as const, 'rollback' as const), to: fc.nat(9), decision }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('undo' as const, 'redo' as const), decision }) },
);

class Run {
  private readonly world: World;
  private readonly actor: Actor;
  private readonly turns: { readonly id: string; readonly session: string }[] = [];
  /** Lines that an edit took out, not a restore: going forward past that edit again is no loss of anybody's work. */
  private readonly takenOut = new Set<string>();
  private lines = 0;

  constructor(world: World) {
    this.world = world;
    this.actor = world.open();
  }

  private text(path: string): string | undefined {
    return this.world.memory.stat(`${project}/${path}`) === undefined ? undefined : this.world.memory.text(`${project}/${path}`);
  }

  private edited(path: string, author: string, where: 'first' | 'last' | 'all'): string {
    this.lines += 1;
    const line = `${author} ${this.lines}\n`;
    const old = this.text(path) ?? '';
    return where === 'all' ? line : where === 'first' ? line + old : old + line;
  }

  private async turnOf(session: string, turn: 'new' | 'same'): Promise<string> {
    const last = this.turns.findLast(candidate => candidate.session === session);
    if (turn === 'same' && last !== undefined) return last.id;
    const id = `t-${this.turns.length + 1}`;
    this.turns.push({ id, session });
    await this.actor.openTurn(id, session);
    return id;
  }

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'agent': {
        const turn = await this.turnOf(next.session, next.turn);
        return this.change(turn, next.path, this.edited(next.path, next.session, next.where), next.session);
      }
      case 'user':
        return this.write(next.path, this.edited(next.path, 'user', next.where));
      case 'delete':
        if (this.text(next.path) === undefined) return;
        if (next.by === 'user') return this.write(next.path, null);
        return this.change(await this.turnOf(next.by, 'new'), next.path, null, next.by);
      case 'rewind':
      case 'rollback': {
        const target = this.turns[next.to % Math.max(1, this.turns.length)];
        if (target === undefined) return;
        const restore = () => (next.kind === 'rewind' ? this.actor.rewind(target.id, next.decision) : this.actor.rollback(target.id, next.decision));
        return this.check(restore, next.decision === 'overwrite' ? undefined : target.session);
      }
      case 'undo':
      case 'redo':
        return this.check(() => (next.kind === 'undo' ? this.actor.undo(next.decision) : this.actor.redo(next.decision)), undefined);
    }
  }

  private noteTakenOut(path: string, text: string | null): void {
    const left = text?.split('\n') ?? [];
    for (const line of this.text(path)?.split('\n') ?? []) if (!left.includes(line)) this.takenOut.add(`${path} ${line}`);
  }

  private write(path: string, text: string | null): void {
    this.noteTakenOut(path, text);
    this.world.write({ [path]: text });
  }

  private async change(turn: string, path: string, text: string | null, session: string): Promise<void> {
    this.noteTakenOut(path, text);
    await this.actor.call(turn, { [path]: text }, session);
  }

  private async check(work: () => Promise<unknown>, own: string | undefined): Promise<void> {
    const before = paths.map(path => ({ path, text: this.text(path) }));
    try {
      await work();
    } catch (error) {
      if (!TurnstoneError.is(error, 'notFound')) throw error;
    }
    for (const { path, text } of before) {
      const now = this.text(path);
      if (text === undefined || text === now) continue;
      assert.equal(Buffer.from(this.actor.store.blobs.read(sha256(Buffer.from(text)))).toString(), text, `${path} was overwritten and is in the store`);
      const foreign = text.split('\n').filter(line => line !== '' && own !== undefined && !line.startsWith(own) && !this.takenOut.has(`${path} ${line}`));
      assert.deepEqual(foreign.filter(line => now?.split('\n').includes(line) !== true), [], `${path} keeps what is not ${own}'s`);
    }
  }
}

describe('foreign work', () => {
  it('survives every restore that was not told to overwrite it, and is in the store after every one that was', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
        const run = new Run(await World.make({ 'a.txt': 'user 0\n', 'b.txt': 'user 0\n' }));
        for (const next of steps) await run.take(next);
      }),
      { numRuns: 500 },
    );
  });
});
