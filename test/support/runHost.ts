// node test/support/runHost.ts [--vsix FILE] [word…]     the host suite, or the specs whose path contains a word
import { relative } from 'node:path';
import { suiteArguments } from './commandLine.ts';
import { runHostSpecs } from './hostSuite.ts';
import { printReport } from './mochaReport.ts';
import { repositoryRoot } from './paths.ts';
import { conclude } from './suiteResult.ts';
import type { SuiteResult } from './suiteResult.ts';
import { testFiles } from './testFiles.ts';

export async function runHost(vsix: string, only: readonly string[] = []): Promise<SuiteResult> {
  let passed = 0;
  let failed = 0;
  await runHostSpecs(vsix, testFiles('host', only), (spec, report) => {
    console.log(relative(repositoryRoot, spec));
    printReport(report);
    passed += report.passed.length;
    failed += report.failures.length;
  });
  return { suite: 'host', passed, failed };
}

if (import.meta.main) {
  const { vsix, only } = await suiteArguments();
  conclude(await runHost(vsix, only));
}
