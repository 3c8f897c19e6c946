import { parseArgs } from 'node:util';

/** What a suite can be told beside words: how long and from which seed its random tests run. */
export interface TestOptions {
  /** Takes its time: many times the schedules. */
  readonly long: boolean;
  readonly schedules: number | undefined;
  readonly seed: number;
}

const variables = { long: 'TURNSTONE_LONG', schedules: 'TURNSTONE_SCHEDULES', seed: 'TURNSTONE_SEED' } as const;

/** Reads `[--long] [--schedules N] [--seed N] [word…]`; returns the words. The rest waits in the environment, where tests and their children find it. */
export function takeTestOptions(parameters: readonly string[]): readonly string[] {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: { long: { type: 'boolean' }, schedules: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  if (values.long === true) process.env[variables.long] = '1';
  for (const name of ['schedules', 'seed'] as const) {
    const value = values[name];
    if (value === undefined) continue;
    if (!/^\d+$/.test(value)) throw new Error(`--${name} takes a number, not ${value}`);
    process.env[variables[name]] = value;
  }
  return positionals;
}

function numberIn(variable: string): number | undefined {
  const text = process.env[variable];
  return text === undefined || text === '' ? undefined : Number(text);
}

// One number is enough to have a whole run again. The usual run is the same every time, so that it fails only where the code has
// changed; other seeds are for hunting.
const usualSeed = 195_755;

/** Asked for anew each time: what was given with `--seed` is in the environment only after this module was loaded. */
export function testOptions(): TestOptions {
  return { long: (process.env[variables.long] ?? '') !== '', schedules: numberIn(variables.schedules), seed: numberIn(variables.seed) ?? usualSeed };
}
