import { parentPort } from 'node:worker_threads';
import fc from 'fast-check';
import { describeError } from '../support/mochaReport.ts';
import { Run } from './run.ts';
import { sequence, type Step } from './steps.ts';

/** Some random sequences; the same seed gives the same ones. */
export interface Batch {
  readonly seed: number;
  readonly runs: number;
}

export interface Failure {
  readonly seed: number;
  readonly error: string;
  /** The shortest sequence that was found to fail. */
  readonly steps: readonly Step[];
}

export interface BatchResult {
  readonly runs: number;
  readonly failure: Failure | undefined;
}

export async function runBatch({ seed, runs }: Batch): Promise<BatchResult> {
  const result = await fc.check(fc.asyncProperty(sequence, steps => Run.of(steps)), { seed, numRuns: runs });
  if (!result.failed) return { runs: result.numRuns, failure: undefined };
  return { runs: result.numRuns, failure: { seed, error: describeError(result.errorInstance), steps: result.counterexample?.[0] ?? [] } };
}

parentPort?.on('message', (batch: Batch) => void runBatch(batch).then(result => parentPort?.postMessage(result)));
