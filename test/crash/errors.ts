// An error of the system at every file operation of a scenario: it is told, and nothing is lost, neither in the
// process that goes on with it nor when the power fails after that.
import { TurnstoneError } from '../../src/core/base/errors.ts';
import type { FaultPlan, FileOperation } from '../twins/faultyFiles.ts';
import { at } from '../twins/faultyFiles.ts';
import { SeededRandom } from '../twins/random.ts';
import type { Actor } from '../twins/world.ts';
import { afterwards } from './afterwards.ts';
import { must } from './finding.ts';
import type { Ground } from './ground.ts';
import type { Ending, Machine } from './machine.ts';
import { foundBy, type Findings, type Found } from './sweep.ts';

const reading = new Set(['stat', 'read', 'readAt', 'readDirectory', 'readLink', 'realPath', 'size', 'close']);
/** What gives room back works on a full disk. */
const freeing = new Set(['remove', 'removeDirectory', 'truncate']);
const syncing = new Set(['sync', 'syncData', 'syncDirectory']);

function plansFor({ index, method }: FileOperation): readonly (readonly [string, FaultPlan])[] {
  return [
    ['EIO once', at(index, { kind: 'error', code: 'EIO', ...(method === 'write' ? { written: 3 } : {}) })],
    ['EACCES once', at(index, { kind: 'error', code: 'EACCES' })],
    ['ENOSPC from here on', operation => (operation.index >= index && !reading.has(operation.method) && !freeing.has(operation.method) ? { kind: 'error', code: 'ENOSPC' } : undefined)],
    // The kernel takes what it could not write for written: it shows it, and no later sync will write it.
    ...(syncing.has(method)
      ? (['shown', 'dropped'] as const).map(forgets => [`EIO once, and what was not synced is ${forgets}`, at(index, { kind: 'error', code: 'EIO', forgets })] as const)
      : []),
  ];
}

/** Only what a user can be told may come out; anything else is a mistake. */
async function told(work: () => Promise<unknown>, where: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    must(TurnstoneError.is(error), 'unsound', () => `${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

function opened(machine: Machine, plan: FaultPlan): Actor | undefined {
  try {
    return machine.process(machine.files(plan));
  } catch {
    // Where not even the store could be opened, nothing was begun.
    return undefined;
  }
}

const endings: readonly Ending[] = ['killed', 'lost', 'mixed'];

export async function sweepErrors(ground: Ground, seed: number): Promise<Findings> {
  const found: Found[] = [];
  let schedules = 0;
  for (const operation of ground.operations) {
    for (const [name, plan] of plansFor(operation)) {
      // A process that could not tell who it is, and that is still there when the power failed, is no machine that exists.
      const ending = operation.path.startsWith('/proc/') ? 'killed' : (endings[(schedules + seed) % endings.length] as Ending);
      const where = `${ground.scenario.name}, ${name} at operation ${operation.index} (${operation.method} ${operation.path}), then ${ending}`;
      try {
        const machine = ground.start.copy();
        const actor = opened(machine, plan);
        if (actor !== undefined) {
          await told(async () => {
            for (const step of ground.scenario.steps) await step(machine.world, actor);
          }, where);
          // The process lives on: what it is told from now on has to be true as well.
          await told(() => actor.openTurn('t-same'), where);
          await told(() => actor.recorder.closeTurn('s-a', 't-same'), where);
        }
        machine.end(ending, new SeededRandom(seed + schedules));
        await afterwards(ground, machine, where, { lives: 1, refused: true });
      } catch (error) {
        found.push(foundBy(error, where));
      }
      schedules += 1;
    }
  }
  return { operations: ground.operations.length, schedules, found };
}
