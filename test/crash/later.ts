// A crash in the middle of a restore, and before anybody has finished it an agent and the user go on: what they write
// is theirs, whatever the restore had meant to put there.
import { SeededRandom } from '../twins/random.ts';
import { checkDurable, checkHistory, mustBe, recover } from './checks.ts';
import { must } from './finding.ts';
import type { Ground } from './ground.ts';
import { foundBy, type Findings, type Found } from './sweep.ts';

const theirs = { 'edit.txt': '644 by an agent\n', 'gone.txt': '644 by the user\n', 'new/folder/made.txt': '644 by the user\n' };

export async function sweepLater(ground: Ground, seed: number): Promise<Findings> {
  const found: Found[] = [];
  for (const [index, { machine: then, operation }] of ground.moments.entries()) {
    const ending = index % 2 === 0 ? 'killed' : 'mixed';
    const where = `${ground.scenario.name}, ${ending} at ${operation}, and work goes on`;
    try {
      const machine = then.copy();
      const { world } = machine;
      machine.end(ending, new SeededRandom(seed + index));
      await machine.process().turn('t-later', [{ 'edit.txt': 'by an agent\n' }], 's-later');
      world.write({ 'gone.txt': 'by the user\n', 'new/folder/made.txt': 'by the user\n' });
      world.memory.setMode('/project/edit.txt', 0o644);
      world.memory.settle('/project/edit.txt');
      await recover(machine, where);
      checkHistory(machine, where);
      const pick = (tree: ReturnType<typeof world.tree>) => Object.fromEntries(Object.keys(theirs).map(path => [path, tree[path] ?? 'nothing']));
      mustBe(pick(world.tree()), theirs, where);
      mustBe(checkDurable(machine, where), world.tree(), `${where}, and the power fails`);
      const result = await machine.process().rewind('t-later');
      must(result.kind === 'applied', 'unsound', () => `${where}: the later turn can't be rewound (${result.kind})`);
    } catch (error) {
      found.push(foundBy(error, where));
    }
  }
  return { operations: ground.operations.length, schedules: ground.moments.length, found };
}
