import assert from 'node:assert/strict';
import { ask, first, redo, rewind, second, third, trees, undo, workedInTwo } from '../../../twins/twoFolders.ts';
import { neighbour } from '../../../twins/world.ts';

describe('a restore over two folders', () => {
  it('takes back what the session did in both, and its undo and redo do too', async () => {
    const world = await workedInTwo();
    assert.deepEqual(trees(world), third);
    await ask(world, rewind('t-3'));
    assert.deepEqual(trees(world), second);
    await ask(world, rewind('t-2'));
    assert.deepEqual(trees(world), first);
    await ask(world, undo);
    assert.deepEqual(trees(world), second);
    await ask(world, redo);
    assert.deepEqual(trees(world), first);
    await ask(world, undo);
    await ask(world, undo);
    assert.deepEqual(trees(world), third);
  });

  it('has one id, and its intents name each other', async () => {
    const world = await workedInTwo();
    await ask(world, rewind('t-2'));
    const intents = [world.open(), world.open(undefined, undefined, neighbour)].map(({ store }) => {
      store.refresh();
      return [...store.timeline.operations.values()].map(({ id, intent }) => [id, intent.roots]);
    });
    assert.equal(intents[0]?.length, 1);
    assert.deepEqual(intents[0], intents[1]);
    assert.equal((intents[0]?.[0]?.[1] as readonly unknown[]).length, 2);
  });

  it('writes nothing in either where one holds the user\'s own work', async () => {
    const world = await workedInTwo();
    world.write({ 'b.txt': 'mine' }, neighbour);
    const was = trees(world);
    const { result } = await ask(world, rewind('t-2'));
    assert.deepEqual([result.kind, trees(world)], ['blocked', was]);
    assert.equal((await ask(world, rewind('t-2'), 'skip')).result.kind, 'applied');
    assert.deepEqual(trees(world), { here: first.here, there: { 'b.txt': '644 mine' } });
  });

  it('a rollback of a turn takes back its calls in both', async () => {
    const world = await workedInTwo();
    await ask(world, { kind: 'rollback', target: 't-2', path: undefined }, 'skip');
    assert.deepEqual(trees(world), { here: { 'a.txt': '644 1' }, there: { 'b.txt': '644 3' } });
  });

  it('leaves folders alone in which the session did nothing since', async () => {
    const world = await workedInTwo();
    await world.open(undefined, undefined, neighbour).turn('t-other', [{ 'b.txt': 'other' }], 's-other');
    world.clock.advance(1000);
    await world.open().turn('t-4', [{ 'a.txt': '4' }]);
    await ask(world, rewind('t-4'));
    const { store } = world.open(undefined, undefined, neighbour);
    store.refresh();
    assert.deepEqual([store.timeline.operations.size, trees(world)['here']], [0, third.here]);
  });
});
