import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from '../../support/command.ts';
import { repositoryRoot } from '../../support/paths.ts';

export const cliBundle = join(repositoryRoot, 'dist', 'cli.js');

let built: Promise<void> | undefined;

function newest(folder: string): number {
  return Math.max(...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => statSync(join(folder, name)).mtimeMs));
}

function isFresh(): boolean {
  const bundles = ['cli.js', 'commands.js', 'mcp.js'].map(name => join(repositoryRoot, 'dist', name));
  if (!bundles.every(existsSync)) return false;
  const sources = Math.max(newest(join(repositoryRoot, 'src')), statSync(join(repositoryRoot, 'package.json')).mtimeMs);
  return bundles.every(bundle => statSync(bundle).mtimeMs > sources);
}

/** Builds the command line once per run, and only where a source is newer than it. */
export function buildCliOnce(): Promise<void> {
  built ??= isFresh() ? Promise.resolve() : runNpm(['run', '--silent', 'build:cli'], repositoryRoot).then(() => undefined);
  return built;
}
