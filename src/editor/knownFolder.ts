import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { RootStore } from '../core/timeline/store.ts';

/** A folder whose history can be looked into, whether or not it is open in this window. */
export interface KnownFolder {
  readonly root: KnownRoot;
  readonly store: RootStore;
  readonly name: string;
  readonly isOpen: boolean;
  /** The file of a recorded path, named so that a document of it that is open is the same one. */
  fileUri(path: string): vscode.Uri;
  /** The recorded folders that are open in this window. */
  inWindow(): readonly KnownFolder[];
}

/** A folder that is not open here: a session of one that is may have worked in it too. */
export function closedFolder(root: KnownRoot, store: RootStore, inWindow: () => readonly KnownFolder[]): KnownFolder {
  const folder = vscode.Uri.file(root.path);
  return { root, store, name: basename(root.path), isOpen: false, fileUri: path => vscode.Uri.joinPath(folder, ...path.split('/')), inWindow };
}
