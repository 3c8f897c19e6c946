import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './paths.ts';

/** The `*.test.ts` files below test/<suite>, in a steady order; `only` keeps those whose path contains one of its words, and leaves out those with a word after `!`. */
export function testFiles(suite: string, only: readonly string[] = []): string[] {
  const left = only.filter((word) => word.startsWith('!')).map((word) => word.slice(1));
  const words = only.filter((word) => !word.startsWith('!'));
  const directory = join(repositoryRoot, 'test', suite);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => (words.length === 0 || words.some((word) => name.includes(word))) && !left.some((word) => name.includes(word)))
    .sort()
    .map((name) => join(directory, name));
}
