import { setTimeout as pause } from 'node:timers/promises';

const pollEvery = 50;

/**
 * Waits for a condition instead of for a time: resolves with the first value of `probe` that is neither undefined nor
 * false. A probe that throws counts as "not yet", and its last error is told when the time is over.
 */
export async function until<Value>(
  what: string,
  probe: () => Value | undefined | false | Promise<Value | undefined | false>,
  timeout = 60_000,
): Promise<Value> {
  const deadline = Date.now() + timeout;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`Waited ${timeout} ms in vain: ${what}.`, lastError === undefined ? {} : { cause: lastError });
    }
    await pause(pollEvery);
  }
}
