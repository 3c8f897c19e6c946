// node test/support/runUi.ts [--vsix FILE] [word…]     the UI suite, or the specs whose path contains a word
// The specs run in plain Node and click in the workbench page; when a test fails, a picture of every open page is
// left in test-results/ui.
import Mocha from 'mocha';
import { suiteArguments } from './commandLine.ts';
import { runAndReport } from './mochaReport.ts';
import { conclude } from './suiteResult.ts';
import type { SuiteResult } from './suiteResult.ts';
import { testFiles } from './testFiles.ts';
import { startUiGround } from './uiGround.ts';
import type { UiGround } from './uiGround.ts';

export async function runUi(vsix: string, only: readonly string[] = []): Promise<SuiteResult> {
  const files = testFiles('ui', only);
  const ground = await startUiGround(vsix);
  try {
    const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout: 120_000 });
    mocha.rootHooks({ afterEach: picturesOfFailure(ground) });
    for (const file of files) mocha.addFile(file);
    await mocha.loadFilesAsync();
    const report = await runAndReport(mocha);
    return { suite: 'ui', passed: report.passed.length, failed: report.failures.length };
  } finally {
    await ground.stop();
  }
}

function picturesOfFailure(ground: UiGround): Mocha.AsyncFunc {
  return async function () {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    const name = test.fullTitle().replace(/[^\w]+/g, '-');
    let number = 0;
    for (const workbench of ground.openWorkbenches) await workbench.screenshot(`failed-${name}-${++number}`);
  };
}

if (import.meta.main) {
  const { vsix, only } = await suiteArguments();
  conclude(await runUi(vsix, only));
}
