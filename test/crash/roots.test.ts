// A folder becomes known, and the process or the power fails at any file operation of it: whoever makes it known again
// finds it, and what is recorded in it from then on is there for good.
import assert from 'node:assert/strict';
import { Roots } from '../../src/core/timeline/roots.ts';
import { testOptions } from '../support/testOptions.ts';
import { at, faultyFiles, type FaultPlan } from '../twins/faultyFiles.ts';
import { outage, outageKinds } from '../twins/outage.ts';
import { SeededRandom } from '../twins/random.ts';
import { project, storage, World } from '../twins/world.ts';

const { seed } = testOptions();

function machine(): World {
  const world = new World();
  world.reboot();
  world.memory.folder(project);
  // Where the editor or the user keeps things is there and durable.
  world.memory.folder(storage);
  world.write({ 'a.txt': 'v0\n' });
  return world;
}

async function added(world: World, plan?: FaultPlan) {
  const files = faultyFiles(world.memory, plan);
  await new Roots(files, world.clock, storage).add(project).catch((error: unknown) => assert.ok(files.crashed && error instanceof Error, String(error)));
  return files;
}

describe('a crash while a folder becomes known', () => {
  it('takes nothing of what is recorded after it was made known again', async () => {
    const { operations } = await added(machine());
    for (const { index, method, path } of operations) {
      for (const [kind, ending] of (['killed', ...outageKinds] as const).entries()) {
        const where = `${ending} at ${index} (${method} ${path}), seed ${seed}`;
        const world = machine();
        const { crashed } = await added(world, at(index, { kind: 'crash' }));
        assert.ok(crashed, where);
        if (ending !== 'killed') world.memory.powerFailure(outage(ending, new SeededRandom(seed + 10 * index + kind)));
        world.reboot();
        await added(world);
        await world.open().turn('t-1', [{ 'a.txt': 'v1\n' }]);
        world.memory.powerFailure();
        world.reboot();
        const { store } = world.open();
        store.refresh();
        assert.deepEqual([store.damage, store.timeline.turns.get('t-1')?.state], [undefined, 'closed'], where);
      }
    }
    assert.ok(operations.length > 20);
  });
});
