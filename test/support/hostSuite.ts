// Runs the specs of test/host inside the extension host of a real VS Code server, against the installed .vsix.
// One server for all, one fresh browser context and one fresh folder for each spec. Because the specs are extension
// tests, VS Code rejects modal dialogs in them; what needs a dialog is a UI test.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { bundleSpec, specName } from './hostBundle.ts';
import type { HostBundle } from './hostBundle.ts';
import { hostOrderVariable } from './hostEntry.ts';
import type { HostOrder } from './hostEntry.ts';
import { specPlace } from './hostPlace.ts';
import { unbundleStack } from './hostStack.ts';
import { describeError } from './mochaReport.ts';
import type { MochaReport } from './mochaReport.ts';
import { resultsDirectory } from './paths.ts';
import { scratchDirectory, writeFolder } from './scratch.ts';
import { exampleExtension, packTestExtension } from './testExtension.ts';
import { until } from './until.ts';
import { installVsix, startServer } from './vscodeServer.ts';
import type { VscodeServer } from './vscodeServer.ts';
import { urlPath, viewport, workbenchUrl } from './workbench.ts';

const specTimeout = 300_000;

interface HostGround {
  readonly directory: string;
  readonly server: VscodeServer;
  readonly browser: Browser;
}

export async function runHostSpecs(
  vsix: string,
  specs: readonly string[],
  onReport: (spec: string, report: MochaReport) => void,
): Promise<void> {
  const directory = scratchDirectory('host');
  const homeDirectory = writeFolder(join(directory, 'home'), {});
  const options = { dataDirectory: join(directory, 'data'), homeDirectory, driver: true };
  await installVsix(options, [vsix, await packTestExtension(exampleExtension, join(directory, 'example'))]);
  const server = await startServer(options);
  try {
    const browser = await launchChromium();
    try {
      for (const spec of specs) onReport(spec, await runSpecInHost(spec, { directory, server, browser }));
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

/** What a host spec and its runner agree on, for the server and for the desktop editor alike. */
export function hostOrder(bundle: HostBundle): HostOrder {
  const mochaFile = fileURLToPath(import.meta.resolve('mocha'));
  return { mochaFile, reportFile: join(bundle.developmentPath, 'report.json'), timeout: 30_000 };
}

export function readHostReport(order: HostOrder, bundle: HostBundle): MochaReport {
  if (!existsSync(order.reportFile)) return lostReport('The editor ended the spec without a report.');
  const report = JSON.parse(readFileSync(order.reportFile, 'utf8')) as MochaReport;
  const failures = report.failures.map(({ title, error }) => ({ title, error: unbundleStack(error, bundle.testsPath) }));
  return { ...report, failures };
}

function lostReport(error: string): MochaReport {
  return { passed: [], skipped: [], failures: [{ title: 'the spec reports its outcome', error }] };
}

async function runSpecInHost(spec: string, ground: HostGround): Promise<MochaReport> {
  const name = specName(spec);
  const bundle = await bundleSpec(spec, join(ground.directory, 'bundles', name));
  const place = specPlace(spec, join(ground.directory, 'folders', name));
  const order = hostOrder(bundle);
  const remote = (path: string) => `vscode-remote://${ground.server.authority}${urlPath(path)}`;
  const url = workbenchUrl(ground.server, place, {
    extensionDevelopmentPath: remote(bundle.developmentPath),
    extensionTestsPath: remote(bundle.testsPath),
    extensionEnvironment: JSON.stringify({ [hostOrderVariable]: JSON.stringify(order) }),
  });
  const context = await ground.browser.newContext({ viewport });
  try {
    await openAndAwait(context, url, name);
    return readHostReport(order, bundle);
  } catch (error) {
    return lostReport(describeError(error));
  } finally {
    await context.close();
  }
}

/** Returns when VS Code says the run is over; what its log said meanwhile stays in test-results/host. */
async function openAndAwait(context: BrowserContext, url: string, name: string): Promise<void> {
  const log: string[] = [];
  let exited = false;
  const page = await context.newPage();
  await page.exposeFunction('codeAutomationLog', (kind: string, parts: unknown[]) => log.push(`[${kind}] ${format(...parts)}`));
  await page.exposeFunction('codeAutomationExit', () => (exited = true));
  try {
    await page.goto(url);
    await until(`the spec ${name} ends (see test-results/host/${name}.log)`, () => exited, specTimeout);
  } finally {
    const results = join(resultsDirectory, 'host');
    await mkdir(results, { recursive: true });
    await writeFile(join(results, `${name}.log`), log.join('\n'));
    await page.screenshot({ path: join(results, `${name}.png`) });
  }
}
