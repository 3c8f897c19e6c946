import type { Availability } from './npmProgram.ts';

/**
 * For a suite's `before`: without the program there is nothing to prove, so the suite is skipped and
 * says why. In CI that is a failure, because a canary that never ran must not look healthy.
 */
export async function programOrSkip(suite: Mocha.Context, ensure: () => Promise<Availability>): Promise<string> {
  suite.timeout(600_000);
  const found = await ensure();
  if (found.available) return found.command;
  if (process.env['CI']) throw new Error(`The agent could not be had: ${found.reason}`);
  console.error(`Skipped, because the agent could not be had: ${found.reason}`);
  suite.skip();
}
