// The process or the power fails, or the system refuses, at every file operation of every scenario. What is swept is
// in scenarios.ts, which also says how to add to it; what is looked at afterwards is in afterwards.ts and checks.ts.
import { testOptions } from '../support/testOptions.ts';
import { pool, settle } from './report.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import type { Findings } from './sweep.ts';
import type { Job } from './worker.ts';

const { seed } = testOptions();
const restoring = scenarios.filter(({ takeBack }) => takeBack !== undefined);

type Sweep = Extract<Job, { readonly scenario: string }>['kind'];

/** One test for each scenario; all sweeps run from the beginning on, as many at a time as there are cores. */
function sweep(kind: Sweep, over: readonly Scenario[], title: (scenario: string) => string): void {
  const running = new Map<Scenario, Promise<Findings>>();
  before(() => {
    for (const scenario of over) {
      const findings = pool.run({ kind, scenario: scenario.name, seed });
      // Told by the test that waits for it, which may not have begun yet.
      findings.catch(() => undefined);
      running.set(scenario, findings);
    }
  });
  for (const scenario of over) it(title(scenario.name), async () => settle(await (running.get(scenario) as Promise<Findings>)));
}

describe('a crash at any file operation', function () {
  this.timeout(600_000);
  sweep('operations', scenarios, name => `during ${name} loses nothing and is finished later`);
});

describe('work that goes on after a crash, before anybody has recovered', function () {
  this.timeout(600_000);
  sweep('later', restoring, name => `is not touched by finishing ${name}`);
});

describe('an error of the system at any file operation', function () {
  this.timeout(600_000);
  sweep('errors', scenarios, name => `during ${name} is told, and loses nothing`);
});
