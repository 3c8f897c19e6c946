import { join, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Runtime } from '../agents/shim.ts';
import { userHome } from '../agents/userHome.ts';

/** Where things are on the machine that the extension host runs on, which is the one with the files. */
export interface Places {
  readonly storage: string;
  readonly runtime: Runtime;
  /** The bundle of the thread that looks at files. */
  readonly looker: string;
  readonly platform: NodeJS.Platform;
}

export function placesOf(context: vscode.ExtensionContext): Places {
  return {
    storage: context.globalStorageUri.fsPath,
    runtime: { executable: process.execPath, bundle: join(context.extensionPath, 'dist', 'cli.js') },
    looker: join(context.extensionPath, 'dist', 'looker.js'),
    platform: process.platform,
  };
}

/** A path as people write it: with `~` for their home. */
export function shortPath(path: string): string {
  const home = userHome(process.env);
  return home !== '' && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
