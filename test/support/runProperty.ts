// node test/support/runProperty.ts [--runs N | --long] [--seed N] [--replay FILE]     random sequences against the naive model, in test/property
// A failing sequence is shortened, printed, and written to a file that --replay takes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Batch, BatchResult, Failure } from '../property/batch.ts';
import { Run } from '../property/run.ts';
import type { Step } from '../property/steps.ts';
import { describeError } from './mochaReport.ts';
import { repositoryRoot } from './paths.ts';
import { conclude, type SuiteResult } from './suiteResult.ts';

const suite = 'property';
export const usualRuns = 10_000;
const longRuns = 200_000;
export const usualSeed = 101_670_261;
/** Sequences for one seed: few enough to run again on its own. */
const batchRuns = 250;
const failedFile = join('test-results', 'property.jsonl');

function batchesOf(runs: number, seed: number): Batch[] {
  return Array.from({ length: Math.ceil(runs / batchRuns) }, (_, index) => ({ seed: seed + index, runs: Math.min(batchRuns, runs - index * batchRuns) }));
}

/** Lets one worker after the other take the next batch, until there is none or one has failed. */
async function runAll(batches: Batch[], cores: number): Promise<{ readonly runs: number; readonly failure: Failure | undefined }> {
  let runs = 0;
  let failure: Failure | undefined;
  const work = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const batch = failure === undefined ? batches.shift() : undefined;
        if (batch === undefined) resolve();
        else worker.postMessage(batch);
      };
      worker.on('error', reject);
      worker.on('message', (result: BatchResult) => {
        runs += result.runs;
        failure ??= result.failure;
        next();
      });
      next();
    });
  const workers = Array.from({ length: Math.min(cores, batches.length) }, () => new Worker(new URL('../property/batch.ts', import.meta.url)));
  try {
    await Promise.all(workers.map(work));
  } finally {
    await Promise.all(workers.map(worker => worker.terminate()));
  }
  return { runs, failure };
}

function tell({ seed, error, steps }: Failure): void {
  const lines = steps.map(step => JSON.stringify(step)).join('\n');
  mkdirSync(join(repositoryRoot, 'test-results'), { recursive: true });
  writeFileSync(join(repositoryRoot, failedFile), `${lines}\n`);
  console.error(`Failed with seed ${seed}. The shortest sequence that fails:\n${lines}\n${error}`);
  console.error(`Again: npm run test:property -- --replay ${failedFile}, or --seed ${seed} --runs ${batchRuns}`);
}

/** The usual run is the same every time, so that it fails only where the code has changed; `--seed` and `--long` hunt elsewhere. */
export async function runProperty(runs: number = usualRuns, seed: number = usualSeed, cores: number = availableParallelism()): Promise<SuiteResult> {
  console.log(`${runs} sequences from seed ${seed}`);
  const started = performance.now();
  const outcome = await runAll(batchesOf(runs, seed), cores);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${outcome.runs} sequences in ${seconds.toFixed(1)} s, ${(outcome.runs / seconds).toFixed(0)} in a second`);
  if (outcome.failure !== undefined) tell(outcome.failure);
  // All sequences are one test: they would drown every other count.
  return { suite, passed: outcome.failure === undefined ? 1 : 0, failed: outcome.failure === undefined ? 0 : 1 };
}

async function replay(file: string): Promise<SuiteResult> {
  const steps = readFileSync(file, 'utf8').trim().split('\n').map(line => JSON.parse(line) as Step);
  try {
    await Run.of(steps);
    return { suite, passed: 1, failed: 0 };
  } catch (error) {
    console.error(describeError(error));
    return { suite, passed: 0, failed: 1 };
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' }, long: { type: 'boolean', default: false }, replay: { type: 'string' } } });
  const runs = values.runs === undefined ? (values.long ? longRuns : usualRuns) : Number(values.runs);
  conclude(values.replay === undefined ? await runProperty(runs, values.seed === undefined ? (values.long ? Date.now() % 1_000_000_000 : undefined) : Number(values.seed)) : await replay(values.replay));
}
