// The test's side of the bridge extension (bridge/extension.ts): packs it, waits for it, and runs functions through it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscodeApi from 'vscode';
import type { BridgeAnnouncement, BridgeAnswer } from './bridgeProtocol.ts';
import { supportDirectory } from './paths.ts';
import { packTestExtension } from './testExtension.ts';
import { until } from './until.ts';

/** Packs the bridge extension into the given empty directory and returns the .vsix file. */
export function packBridge(directory: string): Promise<string> {
  return packTestExtension(join(supportDirectory, 'bridge'), directory);
}

/** One extension host, reached through its bridge. */
export class ExtensionHost {
  readonly #announcement: BridgeAnnouncement;

  constructor(announcement: BridgeAnnouncement) {
    this.#announcement = announcement;
  }

  get pid(): number {
    return this.#announcement.pid;
  }

  /**
   * Runs a function in the extension host. Its source text travels, so it sees nothing but its two parameters; the
   * argument and the result travel as JSON.
   */
  async evaluate<Result, Argument = undefined>(
    run: (vscode: typeof vscodeApi, argument: Argument) => Result | PromiseLike<Result>,
    ...[argument]: undefined extends Argument ? [] : [argument: Argument]
  ): Promise<Result> {
    const { port, token } = this.#announcement;
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'x-bridge-token': token },
      body: `return (${run.toString()})(vscode, ${JSON.stringify(argument) ?? 'undefined'});`,
    });
    if (!response.ok) throw new Error(`The bridge answered with status ${response.status}.`);
    const answer = (await response.json()) as BridgeAnswer;
    if (answer.error !== undefined) throw new Error(`In the extension host: ${answer.error}`);
    return answer.value as Result;
  }
}

/** The extension hosts a server has announced so far, by process id; take it before opening a page to tell the new one. */
export async function announcedHosts(bridgeDirectory: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(bridgeDirectory));
}

/** Waits for an extension host on this folder that was not there before. */
export async function nextHost(bridgeDirectory: string, folder: string, before: ReadonlySet<string>): Promise<ExtensionHost> {
  return until(`an extension host starts on ${folder}`, async () => {
    for (const name of await readdir(bridgeDirectory)) {
      if (before.has(name) || !name.endsWith('.json')) continue;
      const announcement = JSON.parse(await readFile(join(bridgeDirectory, name), 'utf8')) as BridgeAnnouncement;
      if (announcement.folders.includes(folder)) return new ExtensionHost(announcement);
    }
    return undefined;
  }, 90_000);
}
