import assert from 'node:assert/strict';
import fc from 'fast-check';
import { textOf } from '../../../twins/textOf.ts';
import { World, project, type Actor, type Contents } from '../../../twins/world.ts';

type Edit = readonly [old: string, fresh: string];

/** An agent that tells of a call's end when it has only handed its edit to the editor. Every event is a process of its own. */
class EarlyAgent {
  private readonly world: World;
  private calls = 0;

  private constructor(world: World) {
    this.world = world;
  }

  static async make(contents: Contents): Promise<EarlyAgent> {
    const agent = new EarlyAgent(await World.make(contents));
    await agent.now.openTurn('t-1');
    return agent;
  }

  /** A process just now. */
  get now(): Actor {
    return this.world.open();
  }

  /** Begins an edit of a file; without one nobody can tell what it will leave. Returns how it is told to have ended. */
  async begin(file: string, edit: Edit | undefined): Promise<() => Promise<void>> {
    const call = `c-${(this.calls += 1)}`;
    const paths = [`${project}/${file}`];
    const expected = (_path: string, before: Uint8Array | undefined): Uint8Array | undefined => {
      const text = before === undefined ? '' : Buffer.from(before).toString();
      return edit === undefined || !text.includes(edit[0]) ? undefined : Buffer.from(text.replace(...edit));
    };
    await this.now.recorder.begin({ session: 's-a', turn: 't-1', call, tool: 'edit', agentCall: call, paths, expected, settles: true });
    return () => this.now.recorder.end({ session: 's-a', turn: 't-1', call, outcome: 'done', paths, expected, mayBeEarly: true });
  }

  /** The whole call, with nothing on the disk when it is told to have ended. */
  async edit(file: string, edit: Edit | undefined): Promise<() => Promise<void>> {
    const end = await this.begin(file, edit);
    await end();
    return end;
  }

  /** What the editor, or the user, brings to the disk. */
  save(contents: Contents): void {
    this.world.write(contents);
  }

  closeTurn(): Promise<void> {
    return this.now.recorder.closeTurn('s-a', 't-1');
  }

  /** The changes of a file: whose, and what they left. */
  changes(file: string): readonly string[] {
    const { store } = this.now;
    store.refresh();
    return (store.timeline.changes.get(file) ?? []).map(({ by, after }) => `${by.kind === 'call' ? by.call : by.kind} ${textOf(store, after)}`);
  }

  get outcomes(): readonly string[] {
    const { store } = this.now;
    store.refresh();
    return [...store.timeline.calls.values()].map(({ outcome }) => outcome);
  }

  get gaps(): readonly string[] {
    const { store } = this.now;
    store.refresh();
    return store.timeline.turns.get('t-1')?.gaps ?? [];
  }

  /** Rewinds the turn, and takes that back: what the file holds after each. */
  async thereAndBack(file: string): Promise<readonly unknown[]> {
    const texts: unknown[] = [];
    for (const go of [() => this.now.rewind('t-1'), () => this.now.undo()]) {
      const { kind } = await go();
      texts.push(kind === 'applied' ? this.world.memory.text(`${project}/${file}`) : kind);
    }
    return texts;
  }
}

describe('an end that is told before the bytes are there', () => {
  it('waits for them: the next event finds them', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    await agent.edit('a.txt', ['one', 'two']);
    assert.deepEqual([agent.outcomes, agent.changes('a.txt')], [['open'], []]);
    agent.save({ 'a.txt': 'two' });
    await agent.begin('b.txt', undefined);
    assert.deepEqual([agent.outcomes, agent.changes('a.txt')], [['done', 'open'], ['c-1 two']]);
    assert.deepEqual(await agent.thereAndBack('a.txt'), ['one', 'two']);
  });

  it('is taken at once where they are there', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    const end = await agent.begin('a.txt', ['one', 'two']);
    agent.save({ 'a.txt': 'two' });
    await end();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt')], [['done'], ['c-1 two']]);
  });

  it('is taken at once where a formatter has been at them', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    const end = await agent.begin('a.txt', ['one', 'two']);
    agent.save({ 'a.txt': 'two\n' });
    await end();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt'), agent.gaps], [['done'], ['c-1 two\n'], []]);
  });

  it('and comes twice, is one', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    const end = await agent.edit('a.txt', ['one', 'two']);
    await end();
    agent.save({ 'a.txt': 'two' });
    await end();
    await end();
    await agent.closeTurn();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt'), agent.gaps], [['done'], ['c-1 two'], []]);
  });

  it('finds them at the end of the turn at last', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one', 'b.txt': 'one' });
    await agent.edit('a.txt', ['one', 'two']);
    await agent.edit('b.txt', undefined);
    agent.save({ 'a.txt': 'two', 'b.txt': 'three' });
    await agent.closeTurn();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt'), agent.changes('b.txt'), agent.gaps], [['done', 'done'], ['c-1 two'], ['c-2 three'], []]);
    assert.deepEqual(await agent.thereAndBack('b.txt'), ['one', 'three']);
  });

  it('whose bytes never come has changed nothing', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    await agent.edit('a.txt', ['one', 'two']);
    await agent.closeTurn();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt'), agent.gaps], [['done'], [], []]);
  });

  it('does not make the user\'s work the agent\'s', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    await agent.edit('a.txt', ['one', 'two']);
    agent.save({ 'a.txt': 'two, and mine' });
    await agent.closeTurn();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt')], [['interrupted'], ['drift two, and mine']]);
    assert.deepEqual(agent.gaps, ['a.txt: changed while edit was open, and not provably by it']);
  });

  it('leaves what the user does after they have come to him', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    await agent.edit('a.txt', ['one', 'two']);
    agent.save({ 'a.txt': 'two' });
    await (await agent.begin('b.txt', undefined))();
    agent.save({ 'a.txt': 'two, and mine' });
    await agent.closeTurn();
    await agent.now.openTurn('t-2');
    assert.deepEqual(agent.changes('a.txt'), ['c-1 two', 'drift two, and mine']);
  });
});

describe('two edits of one file, whose ends are told before their bytes are there', () => {
  const [first, second]: readonly [Edit, Edit] = [['one', 'two'], ['two', 'three']];

  /** When the disk comes to hold what: after the first end, before and after the second. */
  const orders: Readonly<Record<string, readonly [string | undefined, string | undefined, string | undefined]>> = {
    'each after its own': ['two', undefined, 'three'],
    'the first after the second has begun': [undefined, 'two', 'three'],
    'both after the second has begun': [undefined, 'three', undefined],
    'the first after both have ended': [undefined, undefined, 'three'],
  };
  for (const [name, [afterFirst, beforeEnd, atLast]] of Object.entries(orders)) {
    it(`${name}: both are the agent's, and the rewind finds what was there`, async () => {
      const agent = await EarlyAgent.make({ 'a.txt': 'one' });
      const save = (text: string | undefined): void => (text === undefined ? undefined : agent.save({ 'a.txt': text }));
      await agent.edit('a.txt', first);
      save(afterFirst);
      const end = await agent.begin('a.txt', second);
      save(beforeEnd);
      await end();
      save(atLast);
      await agent.closeTurn();
      assert.deepEqual([agent.outcomes, agent.gaps], [['done', 'done'], []]);
      const changes = agent.changes('a.txt');
      assert.ok(changes.every(change => change.startsWith('c-')) && changes.at(-1)?.endsWith('three'), changes.join());
      assert.deepEqual(await agent.thereAndBack('a.txt'), ['one', 'three']);
    });
  }

  it('that began together are both the agent\'s, in the order of their ends', async () => {
    for (const seen of [undefined, 'two']) {
      const agent = await EarlyAgent.make({ 'a.txt': 'one' });
      const ends = [await agent.begin('a.txt', first), await agent.begin('a.txt', second)];
      if (seen !== undefined) agent.save({ 'a.txt': seen });
      for (const end of ends) await end();
      agent.save({ 'a.txt': 'three' });
      await agent.closeTurn();
      assert.deepEqual([agent.outcomes, agent.gaps], [['done', 'done'], []], seen);
      assert.deepEqual(await agent.thereAndBack('a.txt'), ['one', 'three'], seen);
    }
  });

  it('keep what the user did after both', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    await agent.edit('a.txt', first);
    await agent.edit('a.txt', second);
    agent.save({ 'a.txt': 'three' });
    await agent.begin('b.txt', undefined);
    agent.save({ 'a.txt': 'three, and mine' });
    await agent.closeTurn();
    await agent.now.openTurn('t-2');
    assert.equal(agent.changes('a.txt').at(-1), 'drift three, and mine');
  });

  it('of which the first is refused leave the second', async () => {
    const agent = await EarlyAgent.make({ 'a.txt': 'one' });
    await agent.begin('a.txt', first);
    await agent.edit('a.txt', ['one', 'other']);
    agent.save({ 'a.txt': 'other' });
    await agent.closeTurn();
    assert.deepEqual([agent.outcomes, agent.changes('a.txt')], [['interrupted', 'done'], ['c-2 other']]);
    assert.deepEqual(await agent.thereAndBack('a.txt'), ['one', 'other']);
  });
});

const seed = Number(process.env['TURNSTONE_SEED'] ?? Date.now() % 2 ** 31);

describe(`edits that come to the disk at any time after they were made (TURNSTONE_SEED=${seed})`, function () {
  this.timeout(120_000);

  it('are all the agent\'s, whenever it tells that they have', async () => {
    const step = fc.record({ file: fc.constantFrom('a.txt', 'b.txt'), known: fc.boolean(), lands: fc.tuple(fc.nat(2), fc.nat(2)) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
        const agent = await EarlyAgent.make({ 'a.txt': 'v0.', 'b.txt': 'v0.' });
        const versions = new Map([['a.txt', 0], ['b.txt', 0]]);
        const waiting: (readonly [file: string, text: string])[] = [];
        const land = (count: number): void => {
          for (const [file, text] of waiting.splice(0, count)) agent.save({ [file]: text });
        };
        for (const { file, known, lands } of steps) {
          const version = versions.get(file) ?? 0;
          versions.set(file, version + 1);
          const end = await agent.begin(file, known ? [`v${version}.`, `v${version + 1}.`] : undefined);
          waiting.push([file, `v${version + 1}.`]);
          land(lands[0]);
          await end();
          land(lands[1]);
        }
        land(waiting.length);
        await agent.closeTurn();
        assert.ok(agent.outcomes.every(outcome => outcome === 'done'), agent.outcomes.join());
        assert.deepEqual(agent.gaps, []);
        for (const [file, version] of versions) {
          const changes = agent.changes(file);
          assert.ok(changes.every(change => change.startsWith('c-')), changes.join());
          assert.deepEqual(changes.at(-1)?.endsWith(` v${version}.`), version === 0 ? undefined : true, changes.join());
        }
        for (const [file, version] of versions) if (version > 0) assert.deepEqual(await agent.thereAndBack(file), ['v0.', `v${version}.`]);
      }),
      { seed, numRuns: Number(process.env['TURNSTONE_RUNS'] ?? 60) },
    );
  });
});
