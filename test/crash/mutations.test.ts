// A sweep that never finds anything proves nothing: here it has to find each of a list of mistakes (mutations.ts).
import assert from 'node:assert/strict';
import { testOptions } from '../support/testOptions.ts';
import { mutations } from './mutations.ts';
import { pool } from './report.ts';
import type { Findings } from './sweep.ts';

const { seed } = testOptions();

describe('the sweep finds', function () {
  this.timeout(600_000);
  const running = new Map<string, Promise<Findings>>();
  before(() => {
    for (const { name } of mutations) running.set(name, pool.run({ kind: 'mutation', name, seed }));
  });

  for (const { name } of mutations) {
    it(name, async () => {
      const { found } = (await running.get(name)) as Findings;
      assert.equal(found.length, 1, 'the sweep did not find it');
      console.log(`      mutation "${name}": caught at ${found[0]?.where} (${found[0]?.kind})`);
    });
  }
});
