// npm test: type check, build, package, then every suite against that package. The last line is the sum of all suites.
import { runNpm } from './command.ts';
import { runMochaSuite } from './mochaSuite.ts';
import { packageExtension } from './packageExtension.ts';
import { repositoryRoot } from './paths.ts';
import { runHost } from './runHost.ts';
import { runProperty, usualRuns, usualSeed } from './runProperty.ts';
import { runUi } from './runUi.ts';
import type { SuiteResult } from './suiteResult.ts';

const results: SuiteResult[] = [];

async function step(name: string, run: () => Promise<SuiteResult>): Promise<void> {
  const start = performance.now();
  console.log(`\n== ${name}`);
  const result = await run().catch((error: unknown): SuiteResult => {
    console.error(error);
    return { suite: name, passed: 0, failed: 1 };
  });
  // A suite that finds nothing to run is a broken suite, not a passing one.
  const failed = result.passed + result.failed === 0 ? 1 : result.failed;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`== ${name}: ${result.passed} passed, ${failed} failed (${seconds} s)`);
  results.push({ ...result, failed });
}

function total(key: 'passed' | 'failed'): number {
  return results.reduce((sum, result) => sum + result[key], 0);
}

let vsix = '';

async function inEditor(): Promise<void> {
  if (vsix === '') return;
  await step('host', () => runHost(vsix));
  await step('ui', () => runUi(vsix));
}

await step('typecheck', async () => {
  await runNpm(['run', '--silent', 'typecheck'], repositoryRoot);
  return { suite: 'typecheck', passed: 1, failed: 0 };
});
await step('package', async () => {
  vsix = await packageExtension();
  return { suite: 'package', passed: 1, failed: 0 };
});
// What goes through the built command line mostly waits for its processes: half of it beside the other, by the first letters of its files.
const first = [...'abcdefg'].map((letter) => `cases/${letter}`);
const unit = step('unit', () => runMochaSuite('unit', { only: ['!cases/'] }));
const cases = runMochaSuite('unit', { only: first, beside: unit });
const moreCases = runMochaSuite('unit', { only: ['cases/', ...first.map((words) => `!${words}`)], beside: cases });
await unit;
await step('cases', () => cases);
await step('more cases', () => moreCases);
// Agents mostly wait for their models and hooks; random sequences need nothing but a core.
const agents = step('agents', () => runMochaSuite('agents'));
const property = runProperty(usualRuns, usualSeed, 1);
// Whatever it ends with is told in its turn.
property.catch(() => undefined);
await agents;
await step('property', () => property);
// A person in an editor leaves a core free, and simulated disks need one and no time of their own.
const editor = inEditor();
const crash = runMochaSuite('crash', { beside: editor });
await editor;
await step('crash', () => crash);
console.log(`\n${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') === 0 ? 0 : 1);
