/** What every suite tells `test.ts`. */
export interface SuiteResult {
  readonly suite: string;
  readonly passed: number;
  readonly failed: number;
}

/** Ends a suite that was started by itself: it failed when a test did, or when there was none to run. */
export function conclude({ suite, passed, failed }: SuiteResult): void {
  if (passed + failed === 0) console.error(`${suite}: no test ran.`);
  console.log(`${suite}: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
