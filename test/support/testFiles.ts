import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './paths.ts';

/** The `*.test.ts` files below test/<suite>, in a steady order; `only` keeps those whose path contains one of its words. */
export function testFiles(suite: string, only: readonly string[] = []): string[] {
  const directory = join(repositoryRoot, 'test', suite);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => only.length === 0 || only.some((word) => name.includes(word)))
    .sort()
    .map((name) => join(directory, name));
}
