import * as vscode from 'vscode';
import { systemClock } from '../core/base/clock.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { messageOf } from '../core/base/errors.ts';
import { Emitter } from '../core/base/event.ts';
import { nodeFiles } from '../core/base/files.ts';
import { Pause } from '../core/capture/pause.ts';
import { Roots } from '../core/timeline/roots.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { closedFolder, type KnownFolder } from './knownFolder.ts';
import { RecordedFolder } from './recordedFolder.ts';

/**
 * The recorded folders of this window, as they come and go.
 *
 * Invariants: nothing is ever written here; a folder that is not known, or whose store can't be opened,
 * is left out, the latter with its reason in `problems`.
 */
export class Recordings implements Disposable {
  readonly roots: Roots;
  readonly pause: Pause;
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly open = new Map<string, RecordedFolder>();
  private readonly closed = new Map<string, KnownFolder>();
  private found: readonly string[] = [];
  private watching = false;
  private pending = false;

  readonly onDidChange = this.changed.event;

  constructor(storage: string) {
    this.roots = new Roots(nodeFiles, systemClock, storage);
    this.pause = new Pause(nodeFiles, storage);
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

  /** Any known root, also one that is not open here: tabs and sessions know more folders than a window. Throws as `folderOf` does. */
  knownWithKey(key: string): KnownFolder | undefined {
    const root = this.withKey(key)?.root ?? this.roots.list().find(candidate => candidate.key === key);
    return root === undefined ? undefined : this.folderOf(root);
  }

  storeWithKey(key: string): RootStore | undefined {
    return this.knownWithKey(key)?.store;
  }

  /** A known root, as a folder of this window or as one that is not open here. Throws `damaged` where it can't be told whose its store is. */
  folderOf(root: KnownRoot): KnownFolder {
    const open = this.withKey(root.key);
    if (open !== undefined) return open;
    const known = this.closed.get(root.key);
    // Its history may have been deleted and begun anew meanwhile.
    if (known?.store.identity.store === this.roots.identityOf(root).store) return known;
    const store = this.owned.add(this.roots.open(root));
    store.refresh();
    const folder = closedFolder(root, store, () => this.folders);
    this.closed.set(root.key, folder);
    return folder;
  }

  /** When the newest record of a known root was made; undefined where that can't be told without reading its history. Throws as `folderOf` does. */
  newestIn(root: KnownRoot): number | undefined {
    const open = this.withKey(root.key);
    if (open !== undefined) return open.store.newest()?.at;
    const store = this.roots.open(root);
    try {
      return store.newest()?.at;
    } finally {
      store.dispose();
    }
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
        const recorded = new RecordedFolder(folder, root, this.roots.open(root), () => this.folders);
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
