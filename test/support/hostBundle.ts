import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { supportDirectory } from './paths.ts';

export interface HostBundle {
  /** An empty development extension. VS Code runs tests only beside one; Turnstone itself is installed from its .vsix. */
  readonly developmentPath: string;
  /** The module whose `run` VS Code calls. */
  readonly testsPath: string;
}

export function specName(spec: string): string {
  return basename(spec, '.test.ts');
}

/** Bundles one spec, with the code that runs it, into a development extension of its own. */
export async function bundleSpec(spec: string, directory: string): Promise<HostBundle> {
  await mkdir(directory, { recursive: true });
  const manifest = { name: 'host-tests', publisher: 'turnstone-test', version: '0.0.1', engines: { vscode: '^1.101.0' } };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const testsPath = join(directory, 'suite.js');
  await build({
    stdin: {
      // The spec is imported late, because it calls `describe` while it loads.
      contents: `import { runSpec } from './hostEntry.ts';\nexport const run = () => runSpec(() => import(${JSON.stringify(spec)}));`,
      resolveDir: supportDirectory,
      loader: 'ts',
    },
    outfile: testsPath,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    sourcemap: 'linked',
    // As the extension's own build does.
    mainFields: ['module', 'main'],
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  return { developmentPath: directory, testsPath };
}
