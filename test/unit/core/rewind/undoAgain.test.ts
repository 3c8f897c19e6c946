import assert from 'node:assert/strict';
import { activityOf } from '../../../../src/core/timeline/activity.ts';
import { selectFor } from '../../../../src/core/rewind/request.ts';
import type { RestoreResult } from '../../../../src/core/rewind/restore.ts';
import { faultyFiles, type FaultyFiles } from '../../../twins/faultyFiles.ts';
import { actionsOf, World } from '../../../twins/world.ts';

/** A disk on which some files can't be read. */
function unreadable(world: World, names: readonly string[]): FaultyFiles {
  return faultyFiles(world.memory, ({ method, path }) => (method === 'read' && names.some(name => path === `/project/${name}`) ? { kind: 'error', code: 'EIO' } : undefined));
}

function operationOf(result: RestoreResult): string {
  assert.equal(result.kind, 'applied');
  return result.kind === 'applied' ? result.operation : '';
}

const before = { 'a.txt': '644 0', 'b.txt': '644 0', 'c.txt': '644 0' };
const after = { 'a.txt': '644 1', 'b.txt': '644 1', 'c.txt': '644 1', 'new/': '755', 'new/d.txt': '644 1' };

/** A rewind that took several undos, each of which did one part of it. */
async function undoneInParts(): Promise<{ readonly world: World; readonly rewound: string; readonly undos: readonly string[] }> {
  const world = await World.make({ 'a.txt': '0', 'b.txt': '0', 'c.txt': '0' });
  await world.open().turn('t-1', [{ 'a.txt': '1', 'b.txt': '1', 'c.txt': '1', 'new/d.txt': '1' }]);
  const rewound = operationOf(await world.open().rewind('t-1'));
  const undos: string[] = [];
  for (const names of [['a.txt', 'b.txt'], ['b.txt'], []]) {
    undos.push(operationOf(await world.open(unreadable(world, names)).restore(selectFor({ kind: 'undo', operation: rewound }))));
  }
  assert.deepEqual(world.tree(), after);
  return { world, rewound, undos };
}

describe('a restore that was undone in parts', () => {
  for (const order of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
    for (const kind of ['redo', 'undo'] as const) {
      it(`is done again as a whole when all parts are taken back by name (${kind} ${order.join(', ')})`, async () => {
        const { world, rewound, undos } = await undoneInParts();
        for (const index of order) await world.open().restore(selectFor({ kind, operation: undos[index] }));
        const actor = world.open();
        actor.store.refresh();
        assert.equal(activityOf(actor.store.timeline).effective.some(({ id }) => id === rewound), true);
        assert.deepEqual(world.tree(), before);
      });
    }
  }

  it('stops where somebody has worked since on what another part had brought', async () => {
    const { world, undos } = await undoneInParts();
    const held = await world.open().restore(selectFor({ kind: 'redo', operation: undos[1] }));
    assert.deepEqual([actionsOf(held), world.tree()], [{}, after]);
    world.write({ 'a.txt': 'mine' });
    const result = await world.open().restore(selectFor({ kind: 'redo', operation: undos[0] }));
    assert.deepEqual([result.kind, actionsOf(result), world.tree()], ['blocked', { 'a.txt': 'conflict', 'b.txt': 'restore', 'c.txt': 'restore', 'new/d.txt': 'delete' }, { ...after, 'a.txt': '644 mine' }]);
  });

  it('leaves what came after the whole of it was done again, when another part is taken back', async () => {
    const { world, undos } = await undoneInParts();
    await world.open().restore(selectFor({ kind: 'redo', operation: undos[0] }));
    await world.open().turn('t-2', [{ 'a.txt': '1' }]);
    const result = await world.open().restore(selectFor({ kind: 'redo', operation: undos[1] }));
    assert.deepEqual([result.kind, actionsOf(result), world.tree()['a.txt']], ['applied', {}, '644 1']);
  });
});
