// Runs mocha in whatever process this is, plain Node or an extension host, and tells the outcome as plain data.
import type Mocha from 'mocha';

export interface TestFailure {
  readonly title: string;
  readonly error: string;
}

export interface MochaReport {
  readonly passed: readonly string[];
  readonly failures: readonly TestFailure[];
  readonly skipped: readonly string[];
}

export function runAndReport(mocha: Mocha): Promise<MochaReport> {
  const passed: string[] = [];
  const failures: TestFailure[] = [];
  const skipped: string[] = [];
  return new Promise((resolve) => {
    const runner = mocha.run(() => resolve({ passed, failures, skipped }));
    runner.on('pass', (test) => passed.push(test.fullTitle()));
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    // A hook that fails is told here as well, under its own title, and counts as one failure.
    runner.on('fail', (test, error: unknown) => failures.push({ title: test.fullTitle(), error: describeError(error) }));
  });
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeError(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

export function printReport(report: MochaReport): void {
  for (const title of report.passed) console.log(`  ✔ ${title}`);
  for (const title of report.skipped) console.log(`  - ${title} (skipped)`);
  for (const { title, error } of report.failures) console.log(`  ✘ ${title}\n${error.replace(/^/gm, '      ')}`);
}
