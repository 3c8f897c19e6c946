import assert from 'node:assert/strict';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { recoverAll } from '../../../../src/core/rewind/recover.ts';
import { at, faultyFiles, whenever, type FaultyFiles } from '../../../twins/faultyFiles.ts';
import { World, project, type Actor } from '../../../twins/world.ts';

const [old, fresh] = ['o'.repeat(1536), 'f'.repeat(2560)];

/** A file with two names that the power left neither old nor new, in the middle of a rewind. */
async function torn(): Promise<World> {
  const world = await World.make({ 'a.txt': fresh });
  world.memory.hardLink(`${project}/a.txt`, `${project}/twin.txt`);
  await world.open().turn('t-1', [{ 'a.txt': old }]);
  await world.open(faultyFiles(world.memory, whenever('sync', /a\.txt$/, { kind: 'crash' }))).rewind('t-1').catch(() => undefined);
  world.reboot();
  world.write({ 'a.txt': `${old}${'\0'.repeat(1024)}` });
  return world;
}

function opened(world: World, files: FaultyFiles): Actor | undefined {
  try {
    return world.open(files);
  } catch {
    // Where not even the store could be opened, nothing was begun.
    return undefined;
  }
}

async function recover(world: World, files = faultyFiles(world.memory)): Promise<FaultyFiles> {
  const actor = opened(world, files);
  await actor?.store.restoring(() => recoverAll(actor.context)).catch((error: unknown) => assert.ok(TurnstoneError.is(error), String(error)));
  return files;
}

describe('finishing a file with two names that was cut off in the middle', () => {
  it('never leaves it as a mixture, whatever is refused once', async () => {
    const world = await torn();
    const { operations } = await recover(world.copy());
    const ours = operations.filter(({ path }) => path.startsWith(project));
    assert.ok(ours.length > 10);
    for (const { index, method, path } of ours) {
      for (const written of [0, 700]) {
        const machine = world.copy();
        await recover(machine, faultyFiles(machine.memory, at(index, { kind: 'error', code: 'EIO', written })));
        await recover(machine);
        assert.ok([old, fresh].includes(machine.memory.text(`${project}/twin.txt`)), `refused ${method} ${path}, ${written} bytes written`);
      }
    }
  });

  it('puts back what was there before where it is refused again and again', async () => {
    const machine = await torn();
    let syncs = 0;
    // Each try may sync what it puts back, and nothing else.
    await recover(machine, faultyFiles(machine.memory, ({ method, path }) => {
      if (method !== 'sync' || path !== `${project}/a.txt`) return undefined;
      syncs += 1;
      return syncs % 2 === 1 ? { kind: 'error', code: 'EIO' } : undefined;
    }));
    assert.equal(machine.memory.text(`${project}/twin.txt`), old);
  });
});
