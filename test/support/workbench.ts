// One workbench page on one folder, in a browser context of its own: a second page in the same context would restore
// the editors of the first, because the workspace state sits in the browser's storage.
// The page counts as open when the bridge extension has announced its extension host, not when it merely looks ready.
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { announcedHosts, nextHost } from './bridge.ts';
import type { ExtensionHost } from './bridge.ts';
import { resultsDirectory } from './paths.ts';
import { isAlive } from './processTree.ts';
import { until } from './until.ts';
import type { VscodeServer } from './vscodeServer.ts';
import { WorkbenchParts } from './workbenchParts.ts';

/** Start-up options of a workbench page. VS Code keeps only the last value of a repeated key, hence an object. */
export type Payload = Readonly<Record<string, string>>;

type NextHost = (cause: () => unknown) => Promise<ExtensionHost>;

export const viewport = { width: 1400, height: 900 };

/** `place` is a folder, or a file that names the folders of a workspace. */
export function workbenchUrl(server: VscodeServer, place: string, payload: Payload = {}): string {
  const pairs = Object.entries({ skipWelcome: 'true', skipReleaseNotes: 'true', ...payload });
  const kind = place.endsWith('.code-workspace') ? 'workspace' : 'folder';
  const query = new URLSearchParams({ [kind]: urlPath(place), payload: JSON.stringify(pairs) });
  return `${server.url}/?${query}`;
}

/** A path as the server's pages write it: with forward slashes, and one before a Windows drive. */
export function urlPath(path: string): string {
  return decodeURIComponent(pathToFileURL(path).pathname);
}

export class Workbench {
  readonly page: Page;
  /** The folder it is open on, without symbolic links. */
  readonly folder: string;
  readonly parts: WorkbenchParts;
  readonly #nextHost: NextHost;
  #host: ExtensionHost;

  constructor(page: Page, folder: string, nextHost: NextHost, host: ExtensionHost) {
    this.page = page;
    this.folder = folder;
    this.parts = new WorkbenchParts(page);
    this.#nextHost = nextHost;
    this.#host = host;
  }

  get host(): ExtensionHost {
    return this.#host;
  }

  /** Does what makes the page get a new extension host, a reload or a kill for instance, and waits until it has one. */
  async replaceHost(cause: () => unknown): Promise<void> {
    this.#host = await this.#nextHost(cause);
  }

  /**
   * Runs a command the way a user does, by its full title in the command palette. The palette is opened anew until
   * it offers the command: a list that was open before the window heard of a state does not learn of it.
   */
  async runCommand(title: string): Promise<void> {
    await until(`the palette runs ${title}`, async () => {
      await this.page.keyboard.press('F1');
      const input = this.page.locator('.quick-input-widget:visible input');
      await input.waitFor();
      await input.fill(`>${title}`);
      const isOffered = await this.parts.quickPickRow(title).click({ timeout: 3000 }).then(() => true, () => false);
      if (!isOffered) await this.page.keyboard.press('Escape');
      return isOffered;
    });
  }

  async screenshot(name: string): Promise<string> {
    const directory = join(resultsDirectory, 'ui');
    mkdirSync(directory, { recursive: true });
    const path = join(directory, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** Closes the page and waits until its extension host has ended, so that the next one starts with the machine free. */
  async close(): Promise<void> {
    // Leaving the page tells the server at once; a closed context is only noticed after the reconnection time.
    await this.page.goto('about:blank');
    await this.page.context().close();
    await until('the extension host of the closed page ends', () => !isAlive(this.host.pid), 30_000);
  }
}

export async function openWorkbench(
  browser: Browser,
  server: VscodeServer,
  folder: string,
  payload: Payload = {},
): Promise<Workbench> {
  const realFolder = realpathSync(folder);
  const next: NextHost = async (cause) => {
    const before = await announcedHosts(server.bridgeDirectory);
    await cause();
    return nextHost(server.bridgeDirectory, realFolder, before);
  };
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  try {
    const host = await next(async () => {
      await page.goto(workbenchUrl(server, realFolder, payload));
      await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 90_000 });
    });
    return new Workbench(page, realFolder, next, host);
  } catch (error) {
    await page.screenshot({ path: join(resultsDirectory, 'ui', 'never-ready.png') });
    await context.close();
    throw error;
  }
}
