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
import { hostOrderVariable } from './hostEntry.ts';
import type { HostOrder } from './hostEntry.ts';
import type { MochaReport } from './mochaReport.ts';
import { resultsDirectory } from './paths.ts';
import { scratchDirectory, writeFolder } from './scratch.ts';
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
  await installVsix(options, [vsix]);
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
export function hostOrder(directory: string): HostOrder {
  const mochaFile = fileURLToPath(import.meta.resolve('mocha'));
  return { mochaFile, reportFile: join(directory, 'report.json'), timeout: 30_000 };
}

export function readHostReport(order: HostOrder): MochaReport | undefined {
  return existsSync(order.reportFile) ? (JSON.parse(readFileSync(order.reportFile, 'utf8')) as MochaReport) : undefined;
}

async function runSpecInHost(spec: string, ground: HostGround): Promise<MochaReport> {
  const name = specName(spec);
  const bundle = await bundleSpec(spec, join(ground.directory, 'bundles', name));
  const folder = writeFolder(join(ground.directory, 'folders', name), {});
  const order = hostOrder(bundle.developmentPath);
  const remote = (path: string) => `vscode-remote://${ground.server.authority}${urlPath(path)}`;
  const url = workbenchUrl(ground.server, folder, {
    extensionDevelopmentPath: remote(bundle.developmentPath),
    extensionTestsPath: remote(bundle.testsPath),
    extensionEnvironment: JSON.stringify({ [hostOrderVariable]: JSON.stringify(order) }),
  });
  const context = await ground.browser.newContext({ viewport });
  try {
    return await openAndAwait(context, url, order, name);
  } finally {
    await context.close();
  }
}

async function openAndAwait(context: BrowserContext, url: string, order: HostOrder, name: string): Promise<MochaReport> {
  const log: string[] = [];
  let exited = false;
  const page = await context.newPage();
  await page.exposeFunction('codeAutomationLog', (kind: string, parts: unknown[]) => log.push(`[${kind}] ${format(...parts)}`));
  await page.exposeFunction('codeAutomationExit', () => (exited = true));
  try {
    await page.goto(url);
    await until(`the spec ${name} ends`, () => exited, specTimeout);
    const report = readHostReport(order);
    if (report === undefined) throw new Error('The editor ended the spec without a report.');
    return report;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure = { title: `${name} reports its outcome`, error: `${reason}\n${log.slice(-20).join('\n')}` };
    return { passed: [], skipped: [], failures: [failure] };
  } finally {
    const results = join(resultsDirectory, 'host');
    await mkdir(results, { recursive: true });
    await writeFile(join(results, `${name}.log`), log.join('\n'));
    await page.screenshot({ path: join(results, `${name}.png`) });
  }
}
