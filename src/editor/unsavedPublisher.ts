import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { nodeFiles } from '../core/base/files.ts';
import { publishUnsaved } from '../core/rewind/unsavedFiles.ts';
import { unsavedPaths } from './editorWorkspace.ts';
import type { Log } from './log.ts';

/**
 * Says in the store what this window holds unsaved, so that a restore from the command line or another
 * window leaves it alone.
 *
 * Invariants: nothing is written before `mayWrite` says so, nor when the list is as it was; the file goes
 * with the window.
 */
export class UnsavedPublisher implements Disposable {
  private readonly storage: string;
  private readonly mayWrite: () => boolean;
  private readonly log: Log;
  private readonly owned = new DisposableStore();
  private published = '';

  constructor(storage: string, mayWrite: () => boolean, log: Log) {
    this.storage = storage;
    this.mayWrite = mayWrite;
    this.log = log;
    const publish = (): void => this.publish();
    this.owned.add(vscode.workspace.onDidChangeTextDocument(publish));
    this.owned.add(vscode.workspace.onDidSaveTextDocument(publish));
    this.owned.add(vscode.workspace.onDidCloseTextDocument(publish));
    this.owned.add(vscode.window.tabGroups.onDidChangeTabs(publish));
    this.publish();
  }

  publish(): void {
    if (!this.mayWrite()) return;
    try {
      this.write(unsavedPaths());
    } catch (error) {
      this.log.error(error);
    }
  }

  private write(paths: readonly string[]): void {
    const list = paths.join('\n');
    if (list === this.published) return;
    publishUnsaved(nodeFiles, this.storage, paths);
    this.published = list;
  }

  dispose(): void {
    this.owned.dispose();
    if (this.published !== '') this.write([]);
  }
}
