// What all UI specs share: one VS Code server with the packaged extension and the bridge in it, and one browser.
// The server runs without the smoke-test driver, so toasts and modal dialogs appear as they do for a user.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { packBridge } from './bridge.ts';
import { launchChromium } from './chromium.ts';
import { scratchDirectory, writeFolder } from './scratch.ts';
import { installVsix, startServer } from './vscodeServer.ts';
import type { VscodeServer } from './vscodeServer.ts';
import { openWorkbench } from './workbench.ts';
import type { Workbench } from './workbench.ts';

export interface UiGround {
  readonly server: VscodeServer;
  readonly browser: Browser;
  /** The scratch home of the server, where a spec can put a user's files. */
  readonly homeDirectory: string;
  /** Makes a fresh folder of these files. */
  folder(files: Readonly<Record<string, string>>): string;
  open(folder: string): Promise<Workbench>;
  /** The pages that are open now; the runner takes their pictures when a test fails. */
  readonly openWorkbenches: ReadonlySet<Workbench>;
  stop(): Promise<void>;
}

let current: UiGround | undefined;

/** The ground of the running UI suite. */
export function uiGround(): UiGround {
  if (current === undefined) throw new Error('UI specs are run by test/support/runUi.ts, which prepares their ground.');
  return current;
}

export async function startUiGround(vsix: string): Promise<UiGround> {
  const directory = scratchDirectory('ui');
  const homeDirectory = writeFolder(join(directory, 'home'), {});
  const options = { dataDirectory: join(directory, 'data'), homeDirectory, driver: false };
  await installVsix(options, [await packBridge(join(directory, 'bridge')), vsix]);
  const server = await startServer(options);
  const browser = await launchChromium().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const openWorkbenches = new Set<Workbench>();
  let folders = 0;
  current = {
    server,
    browser,
    homeDirectory,
    openWorkbenches,
    folder: (files) => writeFolder(join(directory, 'folders', `folder-${++folders}`), files),
    open: async (folder) => {
      const workbench = await openWorkbench(browser, server, folder);
      openWorkbenches.add(workbench);
      workbench.page.on('close', () => openWorkbenches.delete(workbench));
      return workbench;
    },
    stop: async () => {
      current = undefined;
      await browser.close();
      await server.stop();
    },
  };
  return current;
}
