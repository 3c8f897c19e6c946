import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { messageOf } from '../core/base/errors.ts';
import { Emitter } from '../core/base/event.ts';
import { nodeFiles } from '../core/base/files.ts';
import { waitingMissed } from '../core/capture/missed.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { KnownFolder } from './knownFolder.ts';

/**
 * A workspace folder whose turns are recorded, followed while other processes append to it.
 *
 * Invariants: looking never writes; an error while reading becomes `problem` and leaves what was read
 * before; a change is announced once for all hints that came in the same moment.
 */
export class RecordedFolder implements KnownFolder, Disposable {
  readonly folder: vscode.WorkspaceFolder;
  readonly root: KnownRoot;
  readonly store: RootStore;
  readonly isOpen = true;
  readonly inWindow: () => readonly KnownFolder[];
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly watched = new Map<string, Disposable>();
  private readProblem: string | undefined;
  private announced = '';
  private pending = false;
  private disposed = false;

  readonly onDidChange = this.changed.event;

  constructor(folder: vscode.WorkspaceFolder, root: KnownRoot, store: RootStore, inWindow: () => readonly KnownFolder[]) {
    this.folder = folder;
    this.root = root;
    this.inWindow = inWindow;
    this.store = this.owned.add(store);
    this.read();
    this.watch();
  }

  get name(): string {
    return this.folder.name;
  }

  /** Why the history can't be trusted or read to its end; undefined for a sound one. */
  get problem(): string | undefined {
    return this.readProblem ?? this.store.damage;
  }

  /** What could not be recorded, and has not been told in the history yet. */
  get missed(): readonly string[] {
    return waitingMissed(nodeFiles, this.store.directory, this.root.key).map(({ missed }) => missed.reason);
  }

  fileUri(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.folder.uri, ...path.split('/'));
  }

  /** Reads on and announces, whether or not anything is new: what waits beside the journal may be. */
  refresh(): void {
    if (this.disposed) return;
    this.read();
    this.watch();
    this.announce();
  }

  private read(): void {
    try {
      this.store.refresh();
      this.readProblem = undefined;
    } catch (error) {
      this.readProblem = vscode.l10n.t('The history can\'t be read: {0}', messageOf(error));
    }
  }

  // The journal's directory comes with the first record, and one for misses with the first miss; until then
  // the store's own directory tells.
  private watch(): void {
    for (const directory of [this.store.directory, join(this.store.directory, 'journal'), join(this.store.directory, 'missed')]) {
      const isThere = nodeFiles.stat(directory) !== undefined;
      if (!isThere || this.watched.has(directory)) continue;
      try {
        this.watched.set(directory, this.owned.add(nodeFiles.watchDirectory(directory, () => this.refreshSoon())));
      } catch {
        // Without watches (a machine can run out of them) the window's focus still brings news.
      }
    }
  }

  private refreshSoon(): void {
    if (this.pending) return;
    this.pending = true;
    setImmediate(() => {
      this.pending = false;
      if (this.disposed) return;
      this.read();
      this.watch();
      // Locks and temporary files come and go in the same directory.
      if (this.standing() !== this.announced) this.announce();
    });
  }

  private standing(): string {
    return JSON.stringify([this.store.timeline.seq, this.problem, this.missed, nodeFiles.stat(join(this.store.directory, 'paused')) !== undefined]);
  }

  private announce(): void {
    this.announced = this.standing();
    this.changed.fire();
  }

  dispose(): void {
    this.disposed = true;
    this.owned.dispose();
  }
}

