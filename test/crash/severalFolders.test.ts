import assert from 'node:assert/strict';
import { TurnstoneError } from '../../src/core/base/errors.ts';
import { recoverEverywhere } from '../../src/core/rewind/recover.ts';
import { selectFor, type RestoreRequest } from '../../src/core/rewind/request.ts';
import { restoreEverywhere } from '../../src/core/rewind/restore.ts';
import type { Operation } from '../../src/core/timeline/model.ts';
import { testOptions } from '../support/testOptions.ts';
import { at, faultyFiles } from '../twins/faultyFiles.ts';
import { outage } from '../twins/outage.ts';
import { SeededRandom } from '../twins/random.ts';
import { ask, askWith, first, redo, rewind, third, trees, undo, workedInTwo } from '../twins/twoFolders.ts';
import { neighbour, project, type World } from '../twins/world.ts';

const { seed } = testOptions();

const rollbackHere: RestoreRequest = { kind: 'rollback', target: 't-1', path: undefined };
const finishedFirst = 'A restore that was cut short is finished first. What that does is not in this plan.';

function operationsIn(world: World, folder: string): readonly Operation[] {
  const { store } = world.open(undefined, undefined, folder);
  store.refresh();
  return [...store.timeline.operations.values()];
}

function keyOf(world: World): string {
  return world.open(undefined, undefined, neighbour).store.identity.key;
}

async function killAt(world: World, index: number): Promise<void> {
  const dying = faultyFiles(world.memory, at(index, { kind: 'crash' }));
  await ask(world, rewind('t-2'), 'stop', dying).catch(() => undefined);
  assert.ok(dying.crashed);
  world.reboot();
}

/** The first moment at which a rewind over two folders has ended in the first, and not in the second. */
async function momentBetween(begun: World): Promise<number> {
  for (let index = 0; ; index += 1) {
    const world = begun.copy();
    await killAt(world, index);
    if (operationsIn(world, project)[0]?.done !== undefined) return index;
  }
}

async function killedBetween(): Promise<World> {
  const world = await workedInTwo();
  await killAt(world, await momentBetween(world));
  return world;
}

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

  it('after one of them was done is finished in the other by whatever restore comes next in the one, which says so', async () => {
    const begun = await workedInTwo();
    begun.memory.settleBelow('/');
    const whole = begun.copy();
    const files = faultyFiles(whole.memory);
    await ask(whole, rewind('t-2'), 'stop', files);
    let seen = 0;
    for (let index = 0; index < files.operations.length; index += 1) {
      const killed = begun.copy();
      await ask(killed, rewind('t-2'), 'stop', faultyFiles(killed.memory, at(index, { kind: 'crash' }))).catch(() => undefined);
      killed.reboot();
      const [operation] = operationsIn(killed, project);
      if (operation?.done === undefined || operationsIn(killed, neighbour)[0]?.done !== undefined) continue;
      seen += 1;
      const requests: readonly RestoreRequest[] = [rollbackHere, rewind('t-1'), redo];
      for (const request of requests) {
        const world = killed.copy();
        const dry = await askWith(world, rollbackHere, { dryRun: true });
        assert.deepEqual([JSON.stringify(trees(world)), dry.result.parts[0]?.plan.warnings], [JSON.stringify(trees(killed)), [finishedFirst]]);
        const told = await ask(world, request).then(({ result }) => result.parts.flatMap(({ plan }) => plan.warnings).join(), (error: unknown) => String(error));
        const where = `crash at ${index}, ${request.kind}`;
        assert.deepEqual([world.tree(neighbour), operationsIn(world, neighbour)[0]?.done?.recovered], [first.there, true], where);
        // Two files are written there: how many of them only now, depends.
        assert.match(told, new RegExp(`A restore that was cut short \\(${operation.id}\\) was finished first: [012] files? (was|were) written\\.`), where);
        if (request.kind !== 'redo') assert.deepEqual(world.tree(), { 'a.txt': '644 0' }, where);
        const again = await askWith(world, rollbackHere, { dryRun: true });
        assert.deepEqual(again.result.parts[0]?.plan.warnings, [], where);
      }
    }
    assert.ok(seen > 5, String(seen));
  });

  it('and is finished by whoever brings only the one of them in, and before the editor\'s start is over', async () => {
    const killed = await killedBetween();
    await recoverEverywhere([killed.open().context]);
    assert.deepEqual([killed.tree(neighbour), operationsIn(killed, neighbour)[0]?.done?.recovered], [first.there, true]);
  });

  it('and is finished also where it was killed while the next one waited for it', async () => {
    const world = await workedInTwo();
    const moment = await momentBetween(world);
    const { context } = world.open();
    const restoring = context.store.restoring.bind(context.store);
    let waits = 0;
    context.store.restoring = async work => {
      waits += 1;
      if (waits === 1) await killAt(world, moment);
      return restoring(work);
    };
    const result = await restoreEverywhere([{ context, select: selectFor(rollbackHere) }], { decide: () => 'stop', dryRun: false });
    assert.deepEqual([result.kind, trees(world)], ['applied', { here: { 'a.txt': '644 0' }, there: first.there }]);
    assert.match(String(result.parts[0]?.plan.warnings), /was finished first: [12] files? (was|were) written/);
  });

  it('and where the other folder can\'t be looked into, that is said, and what was asked for is done', async () => {
    const world = await killedBetween();
    const { context } = world.open();
    const refused = { ...context, sister: () => { throw new TurnstoneError('damaged', 'Its name is rubbish.'); } };
    const result = await restoreEverywhere([{ context: refused, select: selectFor(rollbackHere) }], { decide: () => 'stop', dryRun: false });
    assert.deepEqual([result.kind, result.parts[0]?.plan.warnings, world.tree()], ['applied', ['A restore that was cut short may be waiting to be finished in another folder. It was not: Its name is rubbish.'], { 'a.txt': '644 0' }]);
  });

  it('is looked for in no history whose last lines tell that it has ended there', async () => {
    const world = await workedInTwo();
    await ask(world, rewind('t-2'));
    const files = faultyFiles(world.memory);
    const { context } = world.open(files);
    await recoverEverywhere([context]);
    const opened = files.operations.filter(({ path }) => path.includes(`/${keyOf(world)}/`)).map(({ method }) => method);
    assert.ok(opened.every(method => ['stat', 'readAt', 'readDirectory', 'read'].includes(method)) && opened.length <= 5, opened.join());
  });
});
