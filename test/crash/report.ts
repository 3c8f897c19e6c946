// The sum of all sweeps, told when the whole run is over.
import assert from 'node:assert/strict';
import { testOptions } from '../support/testOptions.ts';
import type { FindingKind } from './finding.ts';
import { Pool } from './pool.ts';
import type { Findings, Found } from './sweep.ts';

export const pool = new Pool();

const { seed } = testOptions();
const found: Found[] = [];
let [operations, schedules] = [0, 0];

/** Counts what a sweep has found, and fails where that is anything. */
export function settle(findings: Findings): void {
  operations += findings.operations;
  schedules += findings.schedules;
  found.push(...findings.found);
  const shown = findings.found.slice(0, 3).map(({ message }) => message.slice(0, 4000));
  assert.equal(findings.found.length, 0, `${findings.found.length} of ${findings.schedules} schedules (seed ${seed}):\n${shown.join('\n\n')}`);
}

function count(kind: FindingKind): number {
  return found.filter(one => one.kind === kind).length;
}

// Outside of every suite: after all of them.
after(async () => {
  await pool.close();
  if (schedules === 0) return;
  const number = (value: number): string => value.toLocaleString('en');
  const wrong = `lost ${count('lost')}, wrong bytes ${count('wrong bytes')}, otherwise unsound ${count('unsound')}`;
  console.log(`  ${number(operations)} operations swept, ${number(schedules)} schedules tried: ${wrong}; seed ${seed} (--seed ${seed})`);
});
