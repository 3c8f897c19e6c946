import { posix } from 'node:path';
import { toDisposable, type Disposable } from '../../src/core/base/disposable.ts';
import type { FileStat, Files, OpenFile, OpenFlag } from '../../src/core/base/files.ts';
import { changeFile, changeNames, directoriesIn, directoryNode, fileNode, fingerprintOf, goBack, linkNode, NodeCopier, restart, settle, statOf, syncFile } from './memoryNodes.ts';
import type { DirectoryNode, FileNode, MemoryNode } from './memoryNodes.ts';
import { outage, type Outage } from './outage.ts';
import { SeededRandom } from './random.ts';
import { systemError } from './systemError.ts';
import { UnsyncedNames } from './unsyncedNames.ts';

const { basename, dirname, join } = posix;
const mask = 0o022;

/** What a system that could not sync does with the bytes: it shows them still, and never writes them, or it shows the old ones. */
export type Forgetting = 'shown' | 'dropped';

/** What only the memory's own files can do: forget what was not synced, as a kernel does after a sync that failed. */
export interface ForgetfulFile extends OpenFile {
  forgetUnsynced(how: Forgetting): void;
}

/**
 * The file system port in memory, with the same errors as the real one (a contract test holds both to that).
 * Permissions are kept and never enforced, as for the superuser.
 *
 * What was not synced is kept apart: each change of a file, and each change of names (a rename is one), in their
 * order. A power failure leaves of them what its `Outage` says; `syncData` and `sync` make a file's bytes safe from
 * it, `syncDirectory` makes names safe, and neither does the other's work.
 */
export class MemoryFiles implements Files {
  private top = directoryNode(0o755);
  private names = new UnsyncedNames();
  private readonly watchers = new Map<string, Set<() => void>>();

  /** For tests: a whole file, with the folders above it, durable at once. */
  put(path: string, content: string | Uint8Array, mode = 0o644): void {
    this.folder(dirname(path));
    const there = this.find(path, 'put');
    const node = there?.kind === 'file' ? there : fileNode(mode);
    node.bytes = Buffer.from(content);
    node.changes += 1;
    if (there?.kind !== 'file') this.parent(path, 'put').entries.set(basename(path), node);
    this.settle(path);
    this.tell(path);
  }

  /** For tests: a folder and what is missing above it, durable at once. */
  folder(path: string): void {
    if (this.find(path, 'folder') !== undefined) return;
    this.folder(dirname(path));
    this.makeDirectory(path, 0o755);
    this.settle(path);
  }

  /** For tests: what is at a path now, or that nothing is, survives a power failure, and so do the folders above it. */
  settle(path: string): void {
    const node = this.find(path, 'settle');
    if (node?.kind === 'file') settle(node);
    for (let name = path; name !== '/'; name = dirname(name)) this.names.settle(this.parent(name, 'settle'), basename(name));
  }

  /** For tests: all that is below a folder survives a power failure, and so does the folder. */
  settleBelow(path: string): void {
    this.settle(path);
    const top = this.directory(path, 'settle');
    for (const directory of directoriesIn(top)) this.names.sync(directory);
    settle(top);
  }

  /** For tests: the same disk once more, with the same things not synced. */
  copy(): MemoryFiles {
    const copier = new NodeCopier();
    const copy = new MemoryFiles();
    copy.top = copier.copy(this.top);
    copy.names = this.names.copy(copier);
    return copy;
  }

  /** For tests: the same text for disks that hold the same; what is not synced is not told apart. */
  fingerprint(): string {
    return fingerprintOf(this.top);
  }

  /** For tests: the power fails. Unless told otherwise, only what was synced is left. */
  powerFailure(left: Outage = outage('lost', new SeededRandom(0))): void {
    for (const change of this.names.takeAll()) if (left.nameSurvives(change)) changeNames('durable', change);
    restart(this.top, changes => left.surviving(changes));
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
    const [source, target] = [this.parent(from, 'rename'), this.parent(to, 'rename')];
    this.names.make([
      { directory: source, name: basename(from), node: undefined },
      { directory: target, name: basename(to), node },
    ]);
    node.changes += 1;
    this.tell(from);
    this.tell(to);
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
    if (node.kind === 'file') return changeFile(node, { kind: 'mode', mode });
    node.mode = mode;
    node.changes += 1;
  }

  open(path: string, flag: OpenFlag, mode: number): ForgetfulFile {
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
    this.names.sync(this.directory(path, 'open'));
  }

  /** For tests: what a system does that could not sync a directory. */
  forgetNames(path: string, how: Forgetting): void {
    const directory = this.directory(path, 'open');
    this.names.take(directory);
    if (how === 'shown') return;
    directory.entries.clear();
    for (const [name, node] of directory.durable) directory.entries.set(name, node);
  }

  watchDirectory(path: string, listener: () => void): Disposable {
    this.directory(path, 'watch');
    const listeners = this.watchers.get(path) ?? new Set();
    this.watchers.set(path, listeners.add(listener));
    return toDisposable(() => listeners.delete(listener));
  }

  private openFile(node: FileNode, path: string, appends: boolean): ForgetfulFile {
    return {
      write: (bytes, position) => {
        changeFile(node, { kind: 'write', at: appends ? node.bytes.length : position, bytes: Buffer.from(bytes) });
        this.tell(path);
      },
      truncate: size => {
        changeFile(node, { kind: 'resize', size });
        this.tell(path);
      },
      setMode: mode => {
        changeFile(node, { kind: 'mode', mode });
        this.tell(path);
      },
      size: () => node.bytes.length,
      syncData: () => syncFile(node, false),
      sync: () => syncFile(node, true),
      close: () => undefined,
      forgetUnsynced(how) {
        node.unsynced = [];
        if (how === 'dropped') goBack(node);
      },
    };
  }

  private enter(parent: DirectoryNode, path: string, node: MemoryNode): void {
    this.names.make([{ directory: parent, name: basename(path), node }]);
    node.changes += 1;
    this.tell(path);
  }

  private leave(path: string): void {
    this.names.make([{ directory: this.parent(path, 'unlink'), name: basename(path), node: undefined }]);
    this.tell(path);
  }

  private tell(path: string): void {
    for (const listener of [...(this.watchers.get(dirname(path)) ?? [])]) listener();
  }

  /** The node that a path names, links on the way followed, the last one not. */
  private find(path: string, method: string, hops = { count: 0 }): MemoryNode | undefined {
    let node: MemoryNode | undefined = this.top;
    for (let start = 1; start < path.length; ) {
      const slash = path.indexOf('/', start);
      const end = slash < 0 ? path.length : slash;
      if (node.kind === 'link') node = this.lookUp(path.slice(0, start - 1), method, hops);
      // The real file system says ENOTDIR below a file, and Node's quiet lstat passes that over like ENOENT.
      if (node?.kind !== 'directory') return undefined;
      const name = path.slice(start, end);
      if (name !== '.' && name !== '') node = node.entries.get(name);
      if (node === undefined) return undefined;
      start = end + 1;
    }
    return node;
  }

  private lookUp(path: string, method: string, hops = { count: 0 }): MemoryNode | undefined {
    const node = this.find(path, method, hops);
    if (node?.kind !== 'link') return node;
    // Of the whole way, as the system counts them: links that lead to each other would else be tried in every combination.
    hops.count += 1;
    if (hops.count > 40) throw systemError('ELOOP', method, path);
    return this.lookUp(posix.resolve(dirname(path), node.target), method, hops);
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
