import { posix } from 'node:path';
import { toDisposable, type Disposable } from '../../src/core/base/disposable.ts';
import type { FileStat, Files, OpenFile, OpenFlag } from '../../src/core/base/files.ts';
import { directoryNode, fileNode, forgetUnsynced, linkNode, settle, statOf, type DirectoryNode, type FileNode, type MemoryNode } from './memoryNodes.ts';
import { systemError } from './systemError.ts';

const { basename, dirname, join } = posix;
const mask = 0o022;

/**
 * The file system port in memory, with the same errors as the real one (a contract test holds both to that).
 * Permissions are kept and never enforced, as for the superuser. A power failure takes what was not synced: bytes
 * of files, and names in directories.
 */
export class MemoryFiles implements Files {
  private readonly top = directoryNode(0o755);
  private readonly watchers = new Map<string, Set<() => void>>();

  /** For tests: writes a whole file, with the folders above it. */
  put(path: string, content: string | Uint8Array, mode = 0o644): void {
    this.folder(dirname(path));
    const there = this.find(path, 'put');
    const node = there?.kind === 'file' ? there : fileNode(mode);
    node.bytes = Buffer.from(content);
    node.changes += 1;
    if (there?.kind !== 'file') this.parent(path, 'put').entries.set(basename(path), node);
    this.tell(path);
  }

  /** For tests: a folder and what is missing above it. */
  folder(path: string): void {
    if (this.find(path, 'folder') !== undefined) return;
    this.folder(dirname(path));
    this.makeDirectory(path, 0o755);
  }

  /** For tests: all that is there survives a power failure. */
  settleBelow(path: string): void {
    settle(this.directory(path, 'settle'));
  }

  /** For tests: the strictest power failure, after which only what was synced is there. */
  powerFailure(): void {
    forgetUnsynced(this.top);
  }

  text(path: string): string {
    return Buffer.from(this.read(path)).toString('utf8');
  }

  stat(path: string): FileStat | undefined {
    const node = this.find(path, 'stat');
    return node === undefined ? undefined : statOf(node);
  }

  read(path: string): Uint8Array {
    return Buffer.from(this.file(path, 'open').bytes);
  }

  readAt(path: string, offset: number, length: number): Uint8Array {
    return Buffer.from(this.file(path, 'open').bytes.subarray(offset, offset + length));
  }

  readDirectory(path: string): readonly string[] {
    return [...this.directory(path, 'scandir').entries.keys()].sort();
  }

  readLink(path: string): string {
    const node = this.existing(path, 'readlink');
    if (node.kind !== 'link') throw systemError('EINVAL', 'readlink', path);
    return node.target;
  }

  realPath(path: string): string {
    let real = '/';
    const parts = path.split('/').filter(part => part !== '');
    for (let hops = 0; parts.length > 0; ) {
      const part = parts.shift() as string;
      const next = part === '..' ? dirname(real) : join(real, part);
      const node = this.existing(next, 'realpath');
      if (node.kind !== 'link') {
        real = next;
        continue;
      }
      hops += 1;
      if (hops > 40) throw systemError('ELOOP', 'realpath', path);
      parts.unshift(...node.target.split('/').filter(piece => piece !== '' && piece !== '.'));
      if (node.target.startsWith('/')) real = '/';
    }
    return real;
  }

  makeDirectory(path: string, mode: number): void {
    const parent = this.parent(path, 'mkdir');
    if (parent.entries.has(basename(path)) || path === '/') throw systemError('EEXIST', 'mkdir', path);
    this.enter(parent, path, directoryNode(mode & ~mask));
  }

  removeDirectory(path: string): void {
    const node = this.directory(path, 'rmdir');
    if (node.entries.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
    this.leave(path);
  }

  remove(path: string): void {
    const node = this.existing(path, 'unlink');
    if (node.kind === 'directory') throw systemError('EISDIR', 'unlink', path);
    node.links -= 1;
    this.leave(path);
  }

  rename(from: string, to: string): void {
    const node = this.existing(from, 'rename');
    const over = this.find(to, 'rename');
    if (over === node) return;
    if (over?.kind === 'directory' && node.kind !== 'directory') throw systemError('EISDIR', 'rename', from);
    if (over !== undefined) over.links -= 1;
    const parent = this.parent(to, 'rename');
    this.leave(from);
    this.enter(parent, to, node);
  }

  hardLink(existing: string, path: string): void {
    const node = this.existing(existing, 'link');
    const parent = this.parent(path, 'link');
    if (parent.entries.has(basename(path))) throw systemError('EEXIST', 'link', existing);
    node.links += 1;
    this.enter(parent, path, node);
  }

  symbolicLink(target: string, path: string): void {
    const parent = this.parent(path, 'symlink');
    if (parent.entries.has(basename(path))) throw systemError('EEXIST', 'symlink', path);
    this.enter(parent, path, linkNode(target));
  }

  setMode(path: string, mode: number): void {
    const node = this.existing(this.realPath(path), 'chmod');
    node.mode = mode;
    node.changes += 1;
  }

  open(path: string, flag: OpenFlag, mode: number): OpenFile {
    const there = this.find(path, 'open');
    if (flag === 'create' && there !== undefined) throw systemError('EEXIST', 'open', path);
    if (flag === 'update' && there === undefined) throw systemError('ENOENT', 'open', path);
    if (there === undefined) this.enter(this.parent(path, 'open'), path, fileNode(mode & ~mask));
    return this.openFile(this.file(path, 'open'), path, flag === 'append');
  }

  mustBeWritable(directory: string): void {
    if (this.lookUp(directory, 'access') === undefined) throw systemError('ENOENT', 'access', directory);
  }

  syncDirectory(path: string): void {
    const node = this.directory(path, 'open');
    node.durable = new Map(node.entries);
  }

  watchDirectory(path: string, listener: () => void): Disposable {
    this.directory(path, 'watch');
    const listeners = this.watchers.get(path) ?? new Set();
    this.watchers.set(path, listeners.add(listener));
    return toDisposable(() => listeners.delete(listener));
  }

  private openFile(node: FileNode, path: string, appends: boolean): OpenFile {
    const changed = (): void => {
      node.changes += 1;
      this.tell(path);
    };
    return {
      write(bytes, position) {
        const at = appends ? node.bytes.length : position;
        const grown = Buffer.alloc(Math.max(node.bytes.length, at + bytes.length));
        node.bytes.copy(grown);
        grown.set(bytes, at);
        node.bytes = grown;
        changed();
      },
      truncate(size) {
        const cut = Buffer.alloc(size);
        node.bytes.copy(cut);
        node.bytes = cut;
        changed();
      },
      setMode(mode) {
        node.mode = mode;
        changed();
      },
      size: () => node.bytes.length,
      syncData: () => void (node.durable = node.bytes),
      sync: () => void (node.durable = node.bytes),
      close: () => undefined,
    };
  }

  private enter(parent: DirectoryNode, path: string, node: MemoryNode): void {
    parent.entries.set(basename(path), node);
    parent.changes += 1;
    node.changes += 1;
    this.tell(path);
  }

  private leave(path: string): void {
    const parent = this.parent(path, 'unlink');
    parent.entries.delete(basename(path));
    parent.changes += 1;
    this.tell(path);
  }

  private tell(path: string): void {
    for (const listener of [...(this.watchers.get(dirname(path)) ?? [])]) listener();
  }

  /** The node that a path names, links on the way followed, the last one not. */
  private find(path: string, method: string): MemoryNode | undefined {
    if (path === '/') return this.top;
    const parent = this.lookUp(dirname(path), method);
    if (parent === undefined) return undefined;
    // The real file system says ENOTDIR here, and Node's quiet lstat passes that over like ENOENT.
    if (parent.kind !== 'directory') return undefined;
    return parent.entries.get(basename(path));
  }

  private lookUp(path: string, method: string, hops = 0): MemoryNode | undefined {
    if (hops > 40) throw systemError('ELOOP', method, path);
    const node = this.find(path, method);
    if (node?.kind !== 'link') return node;
    return this.lookUp(posix.resolve(dirname(path), node.target), method, hops + 1);
  }

  private existing(path: string, method: string): MemoryNode {
    const node = this.find(path, method);
    if (node === undefined) throw systemError('ENOENT', method, path);
    return node;
  }

  private file(path: string, method: string): FileNode {
    const node = this.lookUp(path, method);
    if (node === undefined) throw systemError('ENOENT', method, path);
    if (node.kind !== 'file') throw systemError('EISDIR', method, path);
    return node;
  }

  private directory(path: string, method: string): DirectoryNode {
    const node = this.lookUp(path, method);
    if (node === undefined) throw systemError('ENOENT', method, path);
    if (node.kind !== 'directory') throw systemError('ENOTDIR', method, path);
    return node;
  }

  private parent(path: string, method: string): DirectoryNode {
    return this.directory(dirname(path), method);
  }
}
