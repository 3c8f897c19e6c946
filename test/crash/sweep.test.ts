import assert from 'node:assert/strict';
import { TurnstoneError } from '../../src/core/base/errors.ts';
import type { Files } from '../../src/core/base/files.ts';
import { at, Crash, faultyFiles, type Fault, type FaultPlan } from '../twins/faultyFiles.ts';
import { World, type Actor } from '../twins/world.ts';
import { checkHistory, checkLeftovers, checkTree, recordsOf, recover, type Tree } from './checks.ts';
import { scenarios, type Scenario } from './scenarios.ts';

interface Begun {
  readonly world: World;
  readonly before: Tree;
}

async function begin(scenario: Scenario): Promise<Begun> {
  const world = await World.make(scenario.files);
  await scenario.prepare(world, world.open());
  world.memory.settleAll();
  return { world, before: world.tree() };
}

/** Runs the steps with a plan of faults; returns the records that were acknowledged, and the error that ended it. */
async function disturbed(scenario: Scenario, world: World, plan: FaultPlan) {
  const files = faultyFiles(world.memory, plan);
  let acknowledged = recordsOf(world);
  const actor = opened(world, files);
  // Where not even the store could be opened, nothing was begun.
  if (actor === undefined) return { files, acknowledged, error: undefined };
  try {
    for (const step of scenario.steps) {
      await step(world, actor);
      if (files.crashed) break;
      acknowledged = recordsOf(world);
    }
    return { files, acknowledged, error: undefined };
  } catch (error) {
    return { files, acknowledged, error };
  }
}

function opened(world: World, files: Files): Actor | undefined {
  try {
    return world.open(files);
  } catch {
    return undefined;
  }
}

async function afterwards(scenario: Scenario, { world, before }: Begun, acknowledged: ReturnType<typeof recordsOf>, after: Tree, where: string): Promise<void> {
  // A tool that ran is the tool's own matter; what restores leave is ours.
  if (scenario.restores) checkTree(world, before, after, where, new Set(inPlace));
  await recover(world, where);
  const next = world.open();
  next.store.refresh();
  checkHistory(next, next.store.readAll(), acknowledged, where);
  if (!scenario.restores) {
    await next.turn('t-next', [{ 'edit.txt': 'later\n' }]);
    return checkLeftovers(world, where);
  }
  checkTree(world, before, after, where);
  await retry(scenario, world, before, after, where);
  checkLeftovers(world, where);
}

/** The user tries again and gets all of it; then takes it back and gets all of that. */
async function retry(scenario: Scenario, world: World, before: Tree, after: Tree, where: string): Promise<void> {
  const isDone = (): boolean => JSON.stringify(world.tree()) === JSON.stringify(after);
  if (!isDone()) for (const step of scenario.steps) await step(world, world.open());
  assert.deepEqual(world.tree(), after, `${where}: done when tried again`);
  // What was left at first and done when tried again was done by two restores.
  const kind = scenario.name === 'an undo' ? 'redo' : 'undo';
  for (let steps = 0; steps < 2 && JSON.stringify(world.tree()) !== JSON.stringify(before); steps += 1) await world.open()[kind]();
  assert.deepEqual(world.tree(), before, `${where}: taken back`);
}

async function measure(scenario: Scenario): Promise<{ readonly operations: readonly { readonly method: string; readonly path: string }[]; readonly after: Tree }> {
  const { world } = await begin(scenario);
  const { files, error } = await disturbed(scenario, world, () => undefined);
  assert.equal(error, undefined);
  return { operations: files.operations, after: world.tree() };
}

/** Files with two names are written in place: a crash may leave new bytes followed by old ones until they are finished. */
const inPlace = ['twin.txt', 'other-name.txt'];

type Ending = (world: World) => void;

/** The process dies, or the whole machine does, and with it all that was not synced. */
const endings: Readonly<Record<string, Ending>> = { killed: () => undefined, 'power failed': world => world.memory.powerFailure() };

const crashes: readonly Fault[] = [{ kind: 'crash' }, { kind: 'crash', written: 7 }, { kind: 'crash', written: 1e9 }];

describe('a crash at any file operation', function () {
  this.timeout(120_000);
  let swept = 0;
  after(() => console.log(`      ${swept} interruptions swept`));

  for (const scenario of scenarios) {
    it(`during ${scenario.name} loses nothing and is finished later`, async () => {
      const { operations, after } = await measure(scenario);
      for (const [index, { method, path }] of operations.entries()) {
        const faults = method === 'write' ? crashes : crashes.slice(0, 1);
        for (const [fault, [name, ending]] of faults.flatMap(one => Object.entries(endings).map(entry => [one, entry] as const))) {
          const begun = await begin(scenario);
          const where = `${scenario.name}, ${name}, ${JSON.stringify(fault)} at ${index} (${method} ${path})`;
          const { files, acknowledged, error } = await disturbed(scenario, begun.world, at(index, fault));
          assert.ok(files.crashed && (error === undefined || error instanceof Crash || TurnstoneError.is(error)), `${where}: ${String(error)}`);
          ending(begun.world);
          await afterwards(scenario, begun, acknowledged, after, where);
          swept += 1;
        }
      }
    });
  }
});

describe('work that goes on after a crash, before anybody has recovered', function () {
  this.timeout(120_000);

  for (const scenario of scenarios.filter(({ restores }) => restores)) {
    it(`is not touched by finishing ${scenario.name}`, async () => {
      const { operations } = await measure(scenario);
      for (const [index, { method, path }] of operations.entries()) {
        const { world } = await begin(scenario);
        await disturbed(scenario, world, at(index, { kind: 'crash' }));
        world.reboot();
        await world.open().turn('t-later', [{ 'edit.txt': 'by an agent\n' }], 's-later');
        world.write({ 'gone.txt': 'by the user\n', 'new/folder/made.txt': 'by the user\n' });
        const where = `${scenario.name}, crash at ${index} (${method} ${path})`;
        await recover(world, where);
        const { ['edit.txt']: edited, ['gone.txt']: gone, ['new/folder/made.txt']: made } = world.tree();
        assert.deepEqual([edited, gone, made].map(file => file?.slice(4)), ['by an agent\n', 'by the user\n', 'by the user\n'], where);
        assert.equal((await world.open().rewind('t-later')).kind, 'applied', where);
      }
    });
  }
});

describe('an error of the system at any file operation', function () {
  this.timeout(120_000);
  let swept = 0;
  after(() => console.log(`      ${swept} errors swept`));

  const reading = new Set(['stat', 'read', 'readAt', 'readDirectory', 'readLink', 'realPath', 'size', 'close']);
  const plansFor = (index: number, method: string): readonly (readonly [string, FaultPlan])[] => [
    ['EIO once', at(index, { kind: 'error', code: 'EIO', ...(method === 'write' ? { written: 3 } : {}) })],
    ['EACCES once', at(index, { kind: 'error', code: 'EACCES' })],
    ['ENOSPC from here on', operation => (operation.index >= index && !reading.has(operation.method) && operation.method !== 'remove' ? { kind: 'error', code: 'ENOSPC' } : undefined)],
  ];

  for (const scenario of scenarios) {
    it(`during ${scenario.name} is told, and loses nothing`, async () => {
      const { operations, after } = await measure(scenario);
      for (const [index, { method, path }] of operations.entries()) {
        for (const [name, plan] of plansFor(index, method)) {
          const begun = await begin(scenario);
          const where = `${scenario.name}, ${name} at ${index} (${method} ${path})`;
          const { acknowledged, error } = await disturbed(scenario, begun.world, plan);
          assert.ok(error === undefined || TurnstoneError.is(error), `${where}: ${String(error)}`);
          await afterwards(scenario, begun, acknowledged, after, where);
          swept += 1;
        }
      }
    });
  }
});
