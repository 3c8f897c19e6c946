import assert from 'node:assert/strict';
import { branchesOf, type Branch } from '../../../../src/core/timeline/branches.ts';
import { ask, askWith, first, redo, rewind, second, third, trees, undo, workedInTwo } from '../../../twins/twoFolders.ts';
import { neighbour, project, World } from '../../../twins/world.ts';

/** The branch that is checked out here. */
function headOf(world: World): string {
  const { store } = world.open();
  store.refresh();
  return (branchesOf(store.timeline)[0] as Branch).id;
}

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

  it('is known in each of them, also where a second try had nothing left to write, and undone from there', async () => {
    const world = await workedInTwo();
    world.write({ 'b.txt': 'mine' }, neighbour);
    const before = trees(world);
    await ask(world, rewind('t-2'), 'skip');
    const left = trees(world);
    await ask(world, rewind('t-2'), 'overwrite');
    assert.deepEqual(trees(world), first);
    await ask(world, undo);
    assert.deepEqual(trees(world), left);
    await ask(world, undo);
    assert.deepEqual(trees(world), before);
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

  it('means the whole turn also where it is asked for in the folder that the turn came to last', async () => {
    const world = await workedInTwo();
    // The turn wrote in its own folder before it came to the neighbour, which has never seen its prompt.
    await askWith(world, rewind('t-2'), { from: neighbour });
    assert.deepEqual(trees(world), first);
    await askWith(world, undo, { from: neighbour });
    assert.deepEqual(trees(world), third);
    await askWith(world, { kind: 'rollback', target: 't-2', path: undefined }, { from: neighbour, decide: () => 'skip' });
    assert.deepEqual(trees(world), { here: { 'a.txt': '644 1' }, there: { 'b.txt': '644 3' } });
  });

  it('means it while the turn is still going on, and its own folder has heard nothing since', async () => {
    const world = await World.make({ 'a.txt': '0' });
    await world.addNeighbour({ 'b.txt': '0' });
    await world.open().openTurn('t-1');
    await world.open().call('t-1', { 'a.txt': '1' });
    world.clock.advance(1000);
    await world.open(undefined, undefined, neighbour).call('t-1', { 'b.txt': '1' });
    await askWith(world, rewind('t-1'), { from: neighbour });
    assert.deepEqual(trees(world), { here: { 'a.txt': '644 0' }, there: { 'b.txt': '644 0' } });
  });

  it('takes a decision for a path in one folder only for that folder', async () => {
    const world = await World.make({ 'same.txt': '0' });
    await world.addNeighbour({ 'same.txt': '0' });
    const [here, there] = [world.open(), world.open(undefined, undefined, neighbour)];
    await here.openTurn('t-1');
    await here.call('t-1', { 'same.txt': '1' });
    await there.call('t-1', { 'same.txt': '1' });
    world.write({ 'same.txt': 'mine here' });
    world.write({ 'same.txt': 'mine there' }, neighbour);
    const { key } = there.store.identity;
    assert.equal((await askWith(world, rewind('t-1'), { decide: (_path, root) => (root === key ? 'overwrite' : 'stop') })).result.kind, 'blocked');
    const { result } = await askWith(world, rewind('t-1'), { decide: (_path, root) => (root === key ? 'overwrite' : 'skip') });
    assert.equal(result.kind, 'applied');
    assert.deepEqual(trees(world), { here: { 'same.txt': '644 mine here' }, there: { 'same.txt': '644 0' } });
  });

  it('writes nothing where the plan is not the one that was agreed to, and asks about each plan anew', async () => {
    const world = await workedInTwo();
    const was = trees(world);
    const seen: (readonly string[])[] = [];
    const { result } = await askWith(world, rewind('t-2'), {
      agrees: parts => {
        seen.push(parts.flatMap(({ context, plan }) => plan.items.map(({ path }) => `${context.store.identity.path}/${path}`)));
        return false;
      },
    });
    assert.deepEqual([result.kind, trees(world)], ['planned', was]);
    assert.deepEqual(seen, [[`${project}/a.txt`, `${neighbour}/b.txt`, `${neighbour}/new/c.txt`]]);
    const { store } = world.open();
    store.refresh();
    assert.equal(store.timeline.operations.size, 0);
    // What moves after the first look is looked at again, and has to be agreed to again.
    let asked = 0;
    const moved = await askWith(world, rewind('t-2'), {
      agrees: () => {
        asked += 1;
        if (asked === 1) world.write({ 'b.txt': 'mine' }, neighbour);
        return asked === 1;
      },
    });
    assert.deepEqual([moved.result.kind, asked], ['blocked', 1]);
    assert.deepEqual(trees(world), { ...was, there: { ...second.there, 'b.txt': '644 mine' } });
  });

  it('of the whole workspace goes wherever those have worked who worked here, and on from there', async () => {
    const world = await workedInTwo();
    await world.open(undefined, undefined, neighbour).turn('t-other', [{ 'b.txt': 'other' }], 's-other');
    const before = trees(world);
    await ask(world, { kind: 'rewind', target: 't-2', scope: 'code', reach: 'workspace' });
    assert.deepEqual(trees(world), first);
    await ask(world, undo);
    assert.deepEqual(trees(world), before);
  });

  it('of the whole workspace leaves a folder alone in which none of them has worked since', async () => {
    const world = await workedInTwo();
    world.clock.advance(1000);
    await world.open(undefined, undefined, neighbour).turn('t-other', [{ 'b.txt': 'other' }], 's-other');
    await world.open().turn('t-4', [{ 'a.txt': '4' }]);
    await ask(world, { kind: 'rewind', target: 't-4', scope: 'code', reach: 'workspace' });
    assert.deepEqual(trees(world), { here: third.here, there: { ...third.there, 'b.txt': '644 other' } });
  });

  it('to a checkpoint goes back in both', async () => {
    const world = await workedInTwo();
    world.clock.advance(1000);
    await world.open().recorder.addCheckpoint('k-1', undefined);
    const held = trees(world);
    world.clock.advance(1000);
    await world.open().openTurn('t-4');
    await world.open(undefined, undefined, neighbour).call('t-4', { 'b.txt': '4' });
    await world.open().call('t-4', { 'a.txt': '4' });
    await ask(world, rewind('k-1'));
    assert.deepEqual(trees(world), held);
  });

  it('to a branch brings back both, also where one of them was left at another time', async () => {
    const world = await workedInTwo();
    const noted = headOf(world);
    await ask(world, rewind('t-2'));
    await ask(world, undo);
    world.clock.advance(1000);
    // In this folder alone.
    await world.open().turn('t-4', [{ 'a.txt': '4' }]);
    const held = trees(world);
    await ask(world, rewind('t-4'));
    world.clock.advance(1000);
    await ask(world, rewind('t-3'));
    assert.notDeepEqual(trees(world)['there'], held['there']);
    await ask(world, { kind: 'switch', target: noted, scope: 'code' });
    assert.deepEqual(trees(world), held);
  });

  it('tries again in the other folder what the way to a branch has left there', async () => {
    const world = await workedInTwo();
    const noted = headOf(world);
    await ask(world, rewind('t-2'));
    world.write({ 'b.txt': 'mine' }, neighbour);
    await ask(world, { kind: 'switch', target: noted, scope: 'code' }, 'skip');
    assert.equal((trees(world)['there'] as Record<string, string>)['b.txt'], '644 mine');
    await ask(world, { kind: 'switch', target: noted, scope: 'code' }, 'overwrite');
    assert.deepEqual(trees(world), third);
  });

  describe('of several sessions', () => {
    /** Two sessions, each in both folders, one after the other. */
    async function bothInBoth(): Promise<World> {
      const world = await World.make();
      await world.addNeighbour();
      for (const [session, turn] of [['s-a', 't-a'], ['s-b', 't-b']] as const) {
        const [here, there] = session === 's-a' ? [world.open(), world.open(undefined, undefined, neighbour)] : [world.open(undefined, undefined, neighbour), world.open()];
        await here.openTurn(turn, session);
        await here.call(turn, { [`${turn}.txt`]: turn }, session);
        await there.call(turn, { [`${turn}.txt`]: turn }, session);
        await here.recorder.closeTurn(session, turn);
        world.clock.advance(1000);
      }
      return world;
    }

    it('is a branch that all of both come back to, though nobody has worked since', async () => {
      for (const from of [project, neighbour] as const) {
        const world = await bothInBoth();
        const [noted, whole] = [headOf(world), trees(world)];
        await askWith(world, { kind: 'rewind', target: 't-a', scope: 'code', reach: 'workspace' }, { from: project });
        assert.deepEqual(trees(world), { here: {}, there: {} });
        await askWith(world, { kind: 'switch', target: noted, scope: 'code' }, { from });
        assert.deepEqual(trees(world), whole);
      }
    });

    it('takes a session along that was moved in the other folder alone', async () => {
      const world = await workedInTwo();
      world.clock.advance(1000);
      await world.open().recorder.addCheckpoint('k-1', undefined);
      world.clock.advance(1000);
      // The first session in both, the second one only there.
      await world.open().openTurn('t-4');
      await world.open().call('t-4', { 'a.txt': '4' });
      await world.open(undefined, undefined, neighbour).call('t-4', { 'b.txt': '4' });
      await world.open(undefined, undefined, neighbour).turn('t-b', [{ 'other.txt': 'b' }], 's-b');
      const [noted, whole] = [headOf(world), trees(world)];
      await ask(world, rewind('k-1'));
      assert.deepEqual(trees(world), third);
      await ask(world, { kind: 'switch', target: noted, scope: 'code' });
      assert.deepEqual(trees(world), whole);
    });

    it('to a turn that was left goes wherever what left it had reached', async () => {
      const world = await World.make({ 'a.txt': '0' });
      await world.addNeighbour({ 'b.txt': '0' });
      const [here, there] = [world.open(), world.open(undefined, undefined, neighbour)];
      await here.openTurn('t-1');
      await here.call('t-1', { 'a.txt': '1' });
      await there.call('t-1', { 'b.txt': '1' });
      world.clock.advance(1000);
      const before = trees(world);
      await there.turn('t-b', [{ 'c.txt': 'b' }], 's-b');
      world.clock.advance(1000);
      await ask(world, { kind: 'rewind', target: 't-1', scope: 'code', reach: 'workspace' });
      await askWith(world, { kind: 'rewind', target: 't-b', scope: 'code', reach: 'workspace' }, { from: neighbour });
      assert.deepEqual(trees(world), before);
    });
  });
});
