import { parseArgs } from 'node:util';
import { packageExtension } from './packageExtension.ts';

export interface SuiteArguments {
  readonly vsix: string;
  /** Words that choose test files by their path. */
  readonly only: readonly string[];
}

/** Reads `[--vsix FILE] [word…]`; without a file the extension is built and packaged first. */
export async function suiteArguments(): Promise<SuiteArguments> {
  const { values, positionals } = parseArgs({ options: { vsix: { type: 'string' } }, allowPositionals: true });
  return { vsix: values.vsix ?? (await packageExtension()), only: positionals };
}
