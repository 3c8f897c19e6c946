// Runs a scenario once, undisturbed, and keeps the machine as it was at every single file operation.
import type { FileOperation } from '../twins/faultyFiles.ts';
import { project, World } from '../twins/world.ts';
import type { Tree } from './checks.ts';
import { Machine, type Product } from './machine.ts';
import type { Scenario } from './scenarios.ts';

/** The machine just before an operation; nothing is ever done to it, only to its copies. */
export interface Moment {
  readonly machine: Machine;
  readonly operation: string;
}

export interface Ground {
  readonly scenario: Scenario;
  readonly start: Machine;
  readonly before: Tree;
  readonly after: Tree;
  /** What the files held before. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  readonly operations: readonly FileOperation[];
  /** The moments that differ: an operation that only reads leaves the machine as it is. */
  readonly moments: readonly Moment[];
}

const reads = new Set(['stat', 'read', 'readAt', 'readDirectory', 'readLink', 'realPath', 'size', 'close', 'mustBeWritable']);

export async function prepare(scenario: Scenario, product: Product = {}): Promise<Ground> {
  const world = await World.make(scenario.files);
  const start = new Machine(world, product, scenario.segmentLimit);
  await scenario.prepare(world, start.process());
  world.memory.settleBelow('/');
  const before = world.tree();
  const names = Object.keys(before).filter(path => world.memory.stat(`${project}/${path}`)?.kind === 'file');
  const bytes = new Map(names.map(path => [path, world.memory.read(`${project}/${path}`)]));
  return { scenario, start, before, bytes, ...(await run(scenario, start)) };
}

/** The machine in the middle of a write: a process can be killed there, too. */
function halfWritten(machine: Machine, { path, write }: FileOperation): readonly Moment[] {
  if (write === undefined) return [];
  const lengths = [7, Math.floor(write.bytes.length / 2)].filter(length => length < write.bytes.length);
  return lengths.map(length => {
    const torn = machine.copy();
    torn.world.memory.open(path, 'update', 0o600).write(write.bytes.subarray(0, length), write.position);
    return { machine: torn, operation: `, ${length} bytes of it done` };
  });
}

async function run(scenario: Scenario, start: Machine): Promise<Pick<Ground, 'after' | 'operations' | 'moments'>> {
  const machine = start.copy();
  const moments: Moment[] = [];
  let changed = true;
  let version = -1;
  const files = machine.files(operation => {
    const name = `operation ${operation.index} (${operation.method} ${operation.path})`;
    if (changed || version !== machine.ledger.version) moments.push({ machine: machine.copy(), operation: name });
    moments.push(...halfWritten(machine, operation).map(half => ({ machine: half.machine, operation: name + half.operation })));
    changed = !reads.has(operation.method);
    version = machine.ledger.version;
    return undefined;
  });
  const actor = machine.process(files);
  for (const step of scenario.steps) await step(machine.world, actor);
  moments.push({ machine, operation: `the end, after ${files.operations.length} operations` });
  return { after: machine.world.tree(), operations: files.operations, moments };
}
