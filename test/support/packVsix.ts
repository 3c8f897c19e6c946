import { join } from 'node:path';
import { runCommand } from './command.ts';
import { repositoryRoot } from './paths.ts';

const vsce = join(repositoryRoot, 'node_modules', '@vscode', 'vsce', 'vsce');

/** Packs an extension folder; what it bundles is already built, so no node modules go in. */
export async function packVsix(folder: string, file: string, flags: readonly string[] = []): Promise<void> {
  const parameters = ['package', '--out', file, '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', ...flags];
  await runCommand(process.execPath, [vsce, ...parameters], { cwd: folder });
}
