// Runs parts of the sweep in a thread of its own, for pool.ts.
import { parentPort } from 'node:worker_threads';
import { sweepErrors } from './errors.ts';
import { prepare, type Ground } from './ground.ts';
import { sweepLater } from './later.ts';
import { sweepMutation } from './mutations.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { runSchedules } from './schedules.ts';
import { sweepOperations, type Findings } from './sweep.ts';

export type Job =
  | { readonly kind: 'operations' | 'errors' | 'later'; readonly scenario: string; readonly seed: number }
  | { readonly kind: 'schedules'; readonly seed: number; readonly count: number }
  | { readonly kind: 'mutation'; readonly name: string; readonly seed: number };

const grounds = new Map<Scenario, Promise<Ground>>();

/** Scenarios are run once for each thread; what is done to their machines is done to copies. */
function groundOf(scenario: Scenario): Promise<Ground> {
  const ground = grounds.get(scenario) ?? prepare(scenario);
  grounds.set(scenario, ground);
  return ground;
}

async function run(job: Job): Promise<Findings> {
  if (job.kind === 'schedules') return runSchedules(await Promise.all(scenarios.map(groundOf)), job.seed, job.count);
  if (job.kind === 'mutation') return sweepMutation(job.name, job.seed);
  const scenario = scenarios.find(({ name }) => name === job.scenario);
  if (scenario === undefined) throw new Error(`there is no scenario ${job.scenario}`);
  const sweep = { operations: sweepOperations, errors: sweepErrors, later: sweepLater }[job.kind];
  return sweep(await groundOf(scenario), job.seed);
}

parentPort?.on('message', (job: Job) => {
  // What goes wrong here ends the thread, and the pool tells it.
  void run(job).then(findings => parentPort?.postMessage(findings));
});
