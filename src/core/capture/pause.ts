import { join } from 'node:path';
import { makeDirectories, replaceFile } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import type { KnownRoot } from '../timeline/rootRegistry.ts';

const name = 'paused';

/**
 * Whether the user has paused recording, in a folder or in all: a file in its store, or in the storage, says so by being there. Every process
 * looks when something is about to be recorded; that is one look at a name.
 */
export class Pause {
  private readonly files: Files;
  private readonly storage: string;

  constructor(files: Files, storage: string) {
    this.files = files;
    this.storage = storage;
  }

  private marker(root: KnownRoot | undefined): string {
    return root === undefined ? join(this.storage, name) : join(this.storage, 'roots', root.key, name);
  }

  private isThere(root: KnownRoot | undefined): boolean {
    try {
      return this.files.stat(this.marker(root)) !== undefined;
    } catch {
      // Nobody has paused what can't be looked at.
      return false;
    }
  }

  get isEverywhere(): boolean {
    return this.isThere(undefined);
  }

  isIn(root: KnownRoot): boolean {
    return this.isThere(root) || this.isEverywhere;
  }

  /** Pauses a folder, or, without one, all that are known or will be. */
  begin(root?: KnownRoot): void {
    if (this.isThere(root)) return;
    makeDirectories(this.files, this.storage, 0o700);
    replaceFile(this.files, this.marker(root), new Uint8Array(), 0o600);
  }

  /** Ends the pause of a folder. It may still be paused with all others. */
  end(root: KnownRoot): void {
    this.remove(root);
  }

  /** Ends every pause. */
  endAll(roots: readonly KnownRoot[]): void {
    for (const root of [undefined, ...roots]) this.remove(root);
  }

  private remove(root: KnownRoot | undefined): void {
    if (this.isThere(root)) this.files.remove(this.marker(root));
  }
}
