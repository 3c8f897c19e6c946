import * as vscode from 'vscode';
import { sha256 } from '../core/base/digest.ts';
import { parseBlobUri } from './blobUris.ts';
import { operationWords } from './operationWords.ts';
import type { Recordings } from './recordings.ts';
import { reportText, type OtherStore } from './restoreReport.ts';

const transientLimit = 64;

/**
 * The read-only file system `turnstone:`. It serves bytes, not text, so that encodings, images and binary
 * files are shown as the editor shows any file.
 *
 * Invariants: only contents of a store are served, each verified against its hash; the path of an address is
 * for the editor's eyes only and is never looked up anywhere; nothing can be written.
 */
export class BlobFileSystem implements vscode.FileSystemProvider {
  private readonly recordings: Recordings;
  // Results of a merge that is only being looked at: they come into the store when it is carried out.
  private readonly transient = new Map<string, Uint8Array>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();

  readonly onDidChangeFile = this.changed.event;

  constructor(recordings: Recordings) {
    this.recordings = recordings;
  }

  /** Makes bytes that are in no store readable under their hash, for a preview. */
  offer(bytes: Uint8Array): string {
    const hash = sha256(bytes);
    this.transient.set(hash, bytes);
    const oldest = this.transient.keys().next().value;
    if (this.transient.size > transientLimit && oldest !== undefined) this.transient.delete(oldest);
    return hash;
  }

  watch(): vscode.Disposable {
    // A content never changes: its address is its hash.
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 1, mtime: 1, size: this.readFile(uri).byteLength, permissions: vscode.FilePermission.Readonly };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const bytes = this.find(uri);
    if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  private find(uri: vscode.Uri): Uint8Array | undefined {
    const address = parseBlobUri(uri);
    switch (address?.kind) {
      case undefined:
        return undefined;
      case 'empty':
        return new Uint8Array(0);
      case 'link':
        return Buffer.from(address.target);
      case 'report':
        return this.report(address.root, address.operation);
      case 'content': {
        const transient = this.transient.get(address.hash);
        if (transient !== undefined) return transient;
        const store = this.recordings.storeWithKey(address.root);
        return store?.blobs.has(address.hash) === true ? store.blobs.read(address.hash) : undefined;
      }
    }
  }

  private report(key: string, id: string): Uint8Array | undefined {
    const folder = this.recordings.knownWithKey(key);
    const operation = folder?.store.timeline.operations.get(id);
    if (folder === undefined || operation === undefined) return undefined;
    const text = reportText(folder.store, id, operationWords(folder, operation).done, root => this.otherStore(root));
    return text === undefined ? undefined : Buffer.from(text);
  }

  private otherStore(root: Parameters<OtherStore>[0]): ReturnType<OtherStore> {
    try {
      const store = this.recordings.storeWithKey(root.key);
      store?.refresh();
      return store?.identity.store === root.store ? store : undefined;
    } catch {
      // The report says so.
      return undefined;
    }
  }

  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    throw vscode.FileSystemError.FileNotFound(uri);
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
