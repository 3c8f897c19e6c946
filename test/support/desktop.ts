// node test/support/desktop.ts [--vsix FILE] [word…]     the host specs in the desktop editor
// For machines that can download VS Code and have a display; `npm test` uses the server instead, which needs neither.
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath, runTests } from '@vscode/test-electron';
import { cacheDirectory } from './cacheDirectory.ts';
import { suiteArguments } from './commandLine.ts';
import { bundleSpec, specName } from './hostBundle.ts';
import { hostOrderVariable } from './hostEntry.ts';
import { specPlace } from './hostPlace.ts';
import { hostOrder, readHostReport } from './hostSuite.ts';
import { printReport } from './mochaReport.ts';
import type { MochaReport } from './mochaReport.ts';
import { repositoryRoot } from './paths.ts';
import { scratchDirectory, writeFolder } from './scratch.ts';
import { conclude } from './suiteResult.ts';
import type { SuiteResult } from './suiteResult.ts';
import { exampleExtension, packTestExtension } from './testExtension.ts';
import { testFiles } from './testFiles.ts';

export async function runDesktop(vsix: string, only: readonly string[] = []): Promise<SuiteResult> {
  const executable = await downloadDesktop();
  const directory = scratchDirectory('desktop');
  const profile = [`--user-data-dir=${join(directory, 'data')}`, `--extensions-dir=${join(directory, 'extensions')}`];
  const [cli = executable, ...cliArguments] = resolveCliArgsFromVSCodeExecutablePath(executable, { reuseMachineInstall: true });
  const example = await packTestExtension(exampleExtension, join(directory, 'example'));
  const install = spawnSync(cli, [...cliArguments, ...profile, '--install-extension', vsix, '--install-extension', example, '--force'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (install.status !== 0) throw new Error(`The desktop editor did not install ${vsix}:\n${install.stdout}${install.stderr}`);
  let passed = 0;
  let failed = 0;
  for (const spec of testFiles('host', only)) {
    console.log(relative(repositoryRoot, spec));
    const report = await runSpecOnDesktop(spec, executable, directory, profile);
    printReport(report);
    passed += report.passed.length;
    failed += report.failures.length;
  }
  return { suite: 'desktop', passed, failed };
}

async function downloadDesktop(): Promise<string> {
  try {
    return await downloadAndUnzipVSCode({ version: 'stable', cachePath: join(cacheDirectory(), 'desktop') });
  } catch (error) {
    throw new Error(
      'VS Code for the desktop could not be downloaded, so its tests did not run. `npm run test:host` runs the same ' +
        'specs in the VS Code server, which comes from the package registry.',
      { cause: error },
    );
  }
}

async function runSpecOnDesktop(spec: string, executable: string, directory: string, profile: string[]): Promise<MochaReport> {
  const name = specName(spec);
  const bundle = await bundleSpec(spec, join(directory, 'bundles', name));
  const order = hostOrder(bundle);
  const place = specPlace(spec, join(directory, 'folders', name));
  const home = writeFolder(join(directory, 'home'), {});
  await runTests({
    vscodeExecutablePath: executable,
    reuseMachineInstall: true,
    extensionDevelopmentPath: bundle.developmentPath,
    extensionTestsPath: bundle.testsPath,
    extensionTestsEnv: { [hostOrderVariable]: JSON.stringify(order), HOME: home, USERPROFILE: home },
    launchArgs: [place, ...profile, '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
  });
  return readHostReport(order, bundle);
}

if (import.meta.main) {
  const { vsix, only } = await suiteArguments();
  await runDesktop(vsix, only).then(conclude, (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
