import * as vscode from 'vscode';
import { systemClock } from '../core/base/clock.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { messageOf } from '../core/base/errors.ts';
import { Emitter } from '../core/base/event.ts';
import { nodeFiles } from '../core/base/files.ts';
import { Roots } from '../core/timeline/roots.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { RecordedFolder } from './recordedFolder.ts';

/**
 * The recorded folders of this window, as they come and go.
 *
 * Invariants: nothing is ever written here; a folder that is not known, or whose store can't be opened,
 * is left out, the latter with its reason in `problems`.
 */
export class Recordings implements Disposable {
  readonly roots: Roots;
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly open = new Map<string, RecordedFolder>();
  private readonly foreign = new Map<string, RootStore>();
  private found: readonly string[] = [];
  private watching = false;
  private pending = false;

  readonly onDidChange = this.changed.event;

  constructor(storage: string) {
    this.roots = new Roots(nodeFiles, systemClock, storage);
    this.owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()));
    this.owned.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.refresh();
      }),
    );
    this.load();
    this.watchStorage();
  }

  get folders(): readonly RecordedFolder[] {
    return [...this.open.values()];
  }

  /** What keeps known folders from being shown. */
  get problems(): readonly string[] {
    return this.found;
  }

  /** Local folders of this window, recorded or not. */
  get localFolders(): readonly vscode.WorkspaceFolder[] {
    return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  }

  /** Looks again at the workspace, at the known folders and at each one's journal. */
  refresh(): void {
    this.load();
    this.watchStorage();
    for (const folder of this.open.values()) folder.refresh();
    this.changed.fire();
  }

  withKey(key: string): RecordedFolder | undefined {
    return this.folders.find(folder => folder.root.key === key);
  }

  /** The store of any known root, also of one that is not open here: tabs outlive the folders of a window. */
  storeWithKey(key: string): RootStore | undefined {
    const here = this.withKey(key)?.store ?? this.foreign.get(key);
    if (here !== undefined) return here;
    const root = this.roots.list().find(known => known.key === key);
    if (root === undefined) return undefined;
    const store = this.owned.add(this.roots.open(root));
    store.refresh();
    this.foreign.set(key, store);
    return store;
  }

  private load(): void {
    const problems: string[] = [];
    const seen = new Set<string>();
    for (const folder of this.localFolders) {
      try {
        const root = this.roots.at(folder.uri.fsPath);
        if (root === undefined) continue;
        seen.add(root.key);
        if (this.open.has(root.key)) continue;
        const recorded = new RecordedFolder(folder, root, this.roots.open(root));
        recorded.onDidChange(() => this.changed.fire());
        this.open.set(root.key, recorded);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    for (const [key, folder] of this.open) {
      if (seen.has(key)) continue;
      folder.dispose();
      this.open.delete(key);
    }
    this.found = problems;
  }

  // The command line, or another window, makes a folder known while this window is open.
  private watchStorage(): void {
    const { storage } = this.roots;
    if (this.watching || nodeFiles.stat(storage) === undefined) return;
    try {
      this.owned.add(nodeFiles.watchDirectory(storage, () => this.lookSoon()));
      this.watching = true;
    } catch {
      // The window's focus brings the news then.
    }
  }

  private lookSoon(): void {
    if (this.pending) return;
    this.pending = true;
    setImmediate(() => {
      this.pending = false;
      this.load();
      this.changed.fire();
    });
  }

  dispose(): void {
    for (const folder of this.open.values()) folder.dispose();
    this.open.clear();
    this.owned.dispose();
  }
}
