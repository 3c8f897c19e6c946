// node test/support/mochaSuite.ts <suite> [word…]     runs test/<suite>/**/*.test.ts with mocha
//     --long --schedules N --seed N                   for its random tests: testOptions.ts
// Called as a function it runs itself in a child process: one suite's globals, open handles or sudden end then cannot
// touch another's, and the counts come back through a file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { runAndReport } from './mochaReport.ts';
import { repositoryRoot } from './paths.ts';
import { ownProcess } from './processTree.ts';
import { scratchDirectory } from './scratch.ts';
import { conclude } from './suiteResult.ts';
import type { SuiteResult } from './suiteResult.ts';
import { testFiles } from './testFiles.ts';
import { takeTestOptions } from './testOptions.ts';

const resultVariable = 'TURNSTONE_SUITE_RESULT';

/** Of a suite only the files that the words name. With `beside`, what it prints is kept until that has ended: another suite is printing meanwhile. */
export async function runMochaSuite(suite: string, { only = [], beside }: { readonly only?: readonly string[]; readonly beside?: Promise<unknown> } = {}): Promise<SuiteResult> {
  const resultFile = join(scratchDirectory('suite'), 'result.json');
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), suite, ...only], {
    cwd: repositoryRoot,
    stdio: beside === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [resultVariable]: resultFile },
  });
  if (child.pid !== undefined) ownProcess(child.pid);
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => printed.push(bytes));
  await once(child, 'close');
  await beside;
  process.stdout.write(Buffer.concat(printed));
  if (existsSync(resultFile)) return JSON.parse(readFileSync(resultFile, 'utf8')) as SuiteResult;
  console.error(`${suite}: the suite ended without a result.`);
  return { suite, passed: 0, failed: 1 };
}

async function runHere(suite: string, only: readonly string[]): Promise<SuiteResult> {
  const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout: 120_000 });
  for (const file of testFiles(suite, only)) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const report = await runAndReport(mocha);
  return { suite, passed: report.passed.length, failed: report.failures.length };
}

if (import.meta.main) {
  const [suite = 'unit', ...only] = takeTestOptions(process.argv.slice(2));
  const result = await runHere(suite, only);
  const resultFile = process.env[resultVariable];
  if (resultFile === undefined) conclude(result);
  else writeFileSync(resultFile, JSON.stringify(result));
  // A handle that a test left open must not keep the whole run waiting.
  process.exit();
}
