import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { nodeFiles } from '../core/base/files.ts';
import { publishUnsaved } from '../core/rewind/unsavedFiles.ts';
import { holds } from '../core/timeline/rootRegistry.ts';
import type { Roots } from '../core/timeline/roots.ts';
import { unsavedDocuments, unsavedPaths } from './editorWorkspace.ts';
import type { Log } from './log.ts';

/**
 * Says in the store what this window holds unsaved in recorded folders, so that a restore from the command
 * line or another window leaves it alone.
 *
 * Invariants: nothing is written before a folder is known, in an untrusted workspace, or when the list is
 * as it was; files outside the known folders are never named; the list goes with the window.
 */
export class UnsavedPublisher implements Disposable {
  private readonly roots: Roots;
  private readonly log: Log;
  private readonly owned = new DisposableStore();
  private seen = '';
  private published = '';

  constructor(roots: Roots, log: Log) {
    this.roots = roots;
    this.log = log;
    this.owned.add(vscode.workspace.onDidChangeTextDocument(() => this.publishIfDifferent()));
    this.owned.add(vscode.workspace.onDidSaveTextDocument(() => this.publishIfDifferent()));
    this.owned.add(vscode.workspace.onDidCloseTextDocument(() => this.publishIfDifferent()));
    this.owned.add(vscode.window.tabGroups.onDidChangeTabs(() => this.publish()));
    this.publish();
  }

  publish(): void {
    if (!vscode.workspace.isTrusted) return;
    try {
      const roots = this.roots.list();
      if (roots.length > 0) this.write(unsavedPaths().filter(path => roots.some(root => holds(root.path, path))));
    } catch (error) {
      this.log.error(error);
    }
  }

  // This runs at every key stroke, and nearly always the same documents are unsaved as before.
  private publishIfDifferent(): void {
    const now = unsavedDocuments().map(({ uri }) => uri.path).join('\n');
    if (now === this.seen) return;
    this.seen = now;
    this.publish();
  }

  private write(paths: readonly string[]): void {
    const list = paths.join('\n');
    if (list === this.published) return;
    publishUnsaved(nodeFiles, this.roots.storage, paths);
    this.published = list;
  }

  dispose(): void {
    this.owned.dispose();
    if (this.published !== '') this.write([]);
  }
}
