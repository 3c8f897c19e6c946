// Random schedules: crashes on top of crashes, in any scenario and any of the ways in which the power can fail.
//
//   npm run test:crash -- random --long                          100,000 schedules
//   npm run test:crash -- random --seed SEED --schedules 1       one that went wrong, again
import { testOptions } from '../support/testOptions.ts';
import { pool, settle } from './report.ts';
import type { Findings } from './sweep.ts';

const { long, seed, schedules = long ? 100_000 : 1000 } = testOptions();
const atOnce = 250;

function added(one: Findings, other: Findings): Findings {
  return { operations: 0, schedules: one.schedules + other.schedules, found: [...one.found, ...other.found] };
}

describe('crashes at random, one after the other', function () {
  this.timeout(long ? 0 : 600_000);

  it(`lose nothing in ${schedules.toLocaleString('en')} schedules`, async () => {
    const starts = Array.from({ length: Math.ceil(schedules / atOnce) }, (_, index) => index * atOnce);
    const all = await Promise.all(starts.map(start => pool.run({ kind: 'schedules', seed: seed + start, count: Math.min(atOnce, schedules - start) })));
    settle(all.reduce(added));
  });
});
