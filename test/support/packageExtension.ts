// node test/support/packageExtension.ts     builds and packs the extension, and prints the file and its size
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runNpm } from './command.ts';
import { packVsix } from './packVsix.ts';
import { repositoryRoot, resultsDirectory } from './paths.ts';

/** Builds the extension and packs it as it would be published; returns the .vsix file. */
export async function packageExtension(): Promise<string> {
  await runNpm(['run', '--silent', 'build'], repositoryRoot);
  const manifest = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as { version: string };
  const file = join(resultsDirectory, `turnstone-${manifest.version}.vsix`);
  await mkdir(resultsDirectory, { recursive: true });
  await packVsix(repositoryRoot, file);
  return file;
}

if (import.meta.main) {
  const file = await packageExtension();
  console.log(`${file} (${Math.round((await stat(file)).size / 1024)} KiB)`);
}
