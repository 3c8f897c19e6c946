import assert from 'node:assert/strict';
import { firstBranch } from '../../../../src/core/timeline/branches.ts';
import { selectTravel } from '../../../../src/core/rewind/travel.ts';
import { selectUndo } from '../../../../src/core/rewind/undo.ts';
import type { Select } from '../../../../src/core/rewind/restore.ts';
import { faultyFiles, type FaultyFiles } from '../../../twins/faultyFiles.ts';
import { actionsOf, World, type Actor } from '../../../twins/world.ts';

/** A disk on which one file can't be read, once. */
function unreadableOnce(world: World, file: string): FaultyFiles {
  let isSpent = false;
  return faultyFiles(world.memory, ({ method, path }) => {
    if (isSpent || method !== 'read' || path !== `/project/${file}`) return undefined;
    isSpent = true;
    return { kind: 'error', code: 'EIO' };
  });
}

async function rewound(): Promise<{ readonly world: World; readonly actor: Actor }> {
  const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
  const actor = world.open();
  await actor.turn('t-1', [{ 'a.txt': '1', 'b.txt': '1' }]);
  await actor.rewind('t-1');
  return { world, actor };
}

const undoRewind: Select = timeline => {
  const rewind = [...timeline.operations.values()].find(({ intent }) => intent.kind === 'rewind');
  if (rewind === undefined) throw new Error('nothing was rewound');
  return selectUndo(timeline, 'undo', rewind);
};
const switchBack: Select = (timeline, look) => selectTravel(timeline, { kind: 'switch', target: firstBranch, scope: 'code' }, look);

describe('what a restore had to leave', () => {
  for (const [name, select] of [['an undo', undoRewind], ['a switch', switchBack]] as const) {
    it(`is done when ${name} is asked for again, also after a turn was begun`, async () => {
      const { world } = await rewound();
      const first = await world.open(unreadableOnce(world, 'a.txt')).restore(select);
      assert.deepEqual([actionsOf(first), world.tree()], [{ 'a.txt': 'unavailable', 'b.txt': 'restore' }, { 'a.txt': '644 0', 'b.txt': '644 1' }]);
      const actor = world.open();
      await actor.openTurn('t-2');
      assert.deepEqual([actionsOf(await actor.restore(select)), world.tree()], [name === 'an undo' ? { 'a.txt': 'restore', 'b.txt': 'unchanged' } : { 'a.txt': 'restore' }, { 'a.txt': '644 1', 'b.txt': '644 1' }]);
      actor.store.refresh();
      assert.equal((await actor.restore(select)).kind, 'already');
    });
  }

  it('of an undo is taken back with what was done later, and the rest with what was done first', async () => {
    const { world } = await rewound();
    await world.open(unreadableOnce(world, 'a.txt')).restore(undoRewind);
    await world.open().restore(undoRewind);
    assert.deepEqual(world.tree(), { 'a.txt': '644 1', 'b.txt': '644 1' });
    assert.deepEqual([actionsOf(await world.open().redo()), world.tree()], [{ 'a.txt': 'restore' }, { 'a.txt': '644 0', 'b.txt': '644 1' }]);
    assert.deepEqual([actionsOf(await world.open().redo()), world.tree()], [{ 'b.txt': 'restore' }, { 'a.txt': '644 0', 'b.txt': '644 0' }]);
  });

  it('is left where somebody has worked on it since', async () => {
    const { world } = await rewound();
    await world.open(unreadableOnce(world, 'a.txt')).restore(undoRewind);
    world.write({ 'a.txt': 'mine' });
    assert.equal((await world.open().restore(undoRewind)).kind, 'blocked');
    assert.equal(world.tree()['a.txt'], '644 mine');
  });
});
