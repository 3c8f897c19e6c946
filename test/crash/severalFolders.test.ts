import assert from 'node:assert/strict';
import { recoverEverywhere } from '../../src/core/rewind/recover.ts';
import { testOptions } from '../support/testOptions.ts';
import { at, faultyFiles } from '../twins/faultyFiles.ts';
import { outage } from '../twins/outage.ts';
import { SeededRandom } from '../twins/random.ts';
import { ask, first, rewind, third, trees, undo, workedInTwo } from '../twins/twoFolders.ts';
import { neighbour, project } from '../twins/world.ts';

const { seed } = testOptions();

describe('a crash in a restore over two folders', function () {
  this.timeout(600_000);

  it('leaves both folders as they were, or both as they were to be, whatever the file operation', async () => {
    const measured = faultyFiles((await workedInTwo()).memory);
    const sample = await workedInTwo();
    const files = faultyFiles(sample.memory);
    await ask(sample, rewind('t-2'), 'stop', files);
    assert.deepEqual([trees(sample), measured.operations.length], [first, 0]);
    const begun = await workedInTwo();
    begun.memory.settleBelow('/');
    const ends = new Set<string>();
    for (let index = 0; index < files.operations.length; index += 1) {
      for (const ending of ['killed', 'lost', 'mixed'] as const) {
        const world = begun.copy();
        const dying = faultyFiles(world.memory, at(index, { kind: 'crash' }));
        await ask(world, rewind('t-2'), 'stop', dying).catch((error: unknown) => assert.ok(dying.crashed, String(error)));
        const where = `crash at ${index} (${JSON.stringify(files.operations[index])}), ${ending} (seed ${seed})`;
        assert.ok(dying.crashed, where);
        if (ending !== 'killed') world.memory.powerFailure(outage(ending, new SeededRandom(seed + index)));
        world.reboot();
        // Whichever folder is opened first, and however often.
        const folder = index % 2 === 0 ? project : neighbour;
        await recoverEverywhere([world.open(undefined, undefined, folder).context]);
        await recoverEverywhere([world.open().context, world.open(undefined, undefined, neighbour).context]);
        const end = JSON.stringify(trees(world));
        assert.ok([JSON.stringify(first), JSON.stringify(third)].includes(end), `${where}: ${end}`);
        ends.add(end);
        const open = [project, neighbour].flatMap(one => {
          const { store } = world.open(undefined, undefined, one);
          store.refresh();
          return [...store.timeline.operations.values()].filter(({ done }) => done === undefined);
        });
        assert.deepEqual(open, [], where);
        // And the user gets what he asked for when he asks again, and back.
        await ask(world, rewind('t-2'));
        assert.deepEqual(trees(world), first, where);
        for (let steps = 0; steps < 2 && JSON.stringify(trees(world)) !== JSON.stringify(third); steps += 1) await ask(world, undo);
        assert.deepEqual(trees(world), third, where);
      }
    }
    assert.equal(ends.size, 2, 'both ends were seen');
  });
});
