// The part of a host suite that runs inside the extension host; hostBundle.ts puts it into one file with each spec.
// The host only learns "it resolved" or "it rejected", so the outcome goes into a file the runner waits for.
import { renameSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type MochaClass from 'mocha';
import { describeError, runAndReport } from './mochaReport.ts';
import type { MochaReport } from './mochaReport.ts';

export const hostOrderVariable = 'TURNSTONE_HOST_SUITE';

/** What the runner hands to the extension host, as JSON in one environment variable. */
export interface HostOrder {
  readonly mochaFile: string;
  readonly reportFile: string;
  readonly timeout: number;
}

export async function runSpec(loadSpec: () => Promise<unknown>): Promise<void> {
  const order = JSON.parse(process.env[hostOrderVariable] ?? '') as HostOrder;
  const report = await runMocha(order, loadSpec).catch((error: unknown): MochaReport => {
    return { passed: [], skipped: [], failures: [{ title: 'the spec loads', error: describeError(error) }] };
  });
  writeFileSync(`${order.reportFile}.new`, JSON.stringify(report));
  renameSync(`${order.reportFile}.new`, order.reportFile);
}

async function runMocha(order: HostOrder, loadSpec: () => Promise<unknown>): Promise<MochaReport> {
  const { default: Mocha } = (await import(pathToFileURL(order.mochaFile).href)) as { default: typeof MochaClass };
  const mocha = new Mocha({ ui: 'bdd', timeout: order.timeout, reporter: Mocha.reporters.Base });
  // Mocha hands out `describe` and `it` as it is about to load a file; ours is already in this bundle.
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await loadSpec();
  return runAndReport(mocha);
}
