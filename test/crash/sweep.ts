// The sweep: the process or the power fails at every file operation of a scenario, in every way, and what the next
// process finds is checked. It returns what is wrong instead of throwing it, so that a test can also ask whether it
// finds a mistake that was built in on purpose.
import { outageKinds } from '../twins/outage.ts';
import { SeededRandom } from '../twins/random.ts';
import { afterwards } from './afterwards.ts';
import { Finding, type FindingKind } from './finding.ts';
import type { Ground } from './ground.ts';
import type { Ending } from './machine.ts';

/** What is wrong, and where. */
export interface Found {
  readonly kind: FindingKind;
  readonly where: string;
  readonly message: string;
}

export interface Findings {
  readonly operations: number;
  readonly schedules: number;
  readonly found: readonly Found[];
}

export const endings: readonly Ending[] = ['killed', ...outageKinds];

export function foundBy(error: unknown, where: string): Found {
  if (error instanceof Finding) return { kind: error.kind, where, message: error.message };
  return { kind: 'unsound', where, message: `${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` };
}

export async function sweepOperations(ground: Ground, seed: number, stopAtFirst = false): Promise<Findings> {
  const found: Found[] = [];
  let schedules = 0;
  for (const [index, { machine: then, operation }] of ground.moments.entries()) {
    // Where little was not synced, power failures of different kinds leave the same: that is looked at once.
    const seen = new Set<string>();
    for (const [kind, ending] of endings.entries()) {
      if (stopAtFirst && found.length > 0) break;
      const machine = then.copy();
      const where = `${ground.scenario.name}, ${ending} at ${operation}`;
      machine.end(ending, new SeededRandom(seed + index * endings.length + kind));
      schedules += 1;
      const left = ending === 'killed' ? ending : machine.world.memory.fingerprint();
      if (seen.has(left)) continue;
      seen.add(left);
      await afterwards(ground, machine, where).catch((error: unknown) => found.push(foundBy(error, where)));
    }
  }
  return { operations: ground.operations.length, schedules, found };
}
