// Extensions that stand beside ours in a test: bundled, packed and installed as any other, and never shipped.
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { packVsix } from './packVsix.ts';
import { repositoryRoot } from './paths.ts';

/** An agent that uses the API for other extensions. */
export const exampleExtension = join(repositoryRoot, 'test', 'host', 'exampleExtension');

/** Packs an extension's sources in the given empty directory and returns the .vsix file. */
export async function packTestExtension(source: string, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  await copyFile(join(source, 'package.json'), join(directory, 'package.json'));
  await build({
    entryPoints: [join(source, 'extension.ts')],
    outfile: join(directory, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  const file = join(directory, `${basename(source)}.vsix`);
  await packVsix(directory, file, ['--allow-star-activation', '--skip-license']);
  return file;
}
