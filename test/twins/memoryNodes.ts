import type { FileKind, FileStat } from '../../src/core/base/files.ts';

/** What a name in a directory stands for; two names of one file are one node. */
export type MemoryNode = FileNode | DirectoryNode | LinkNode;

interface Shared {
  readonly inode: number;
  mode: number;
  links: number;
  /** Counts every change, as a change time with perfect resolution would. */
  changes: number;
}

/** What a file is; a buffer is never changed, only replaced, so that copies may share it. */
export interface FileContent {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** A change to a file that the disk need not have yet. */
export type FileChange =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'resize'; readonly size: number }
  /** The size of a write reached the disk, and its data did not. */
  | { readonly kind: 'grow'; readonly size: number }
  | { readonly kind: 'mode'; readonly mode: number };

export interface FileNode extends Shared {
  readonly kind: 'file';
  bytes: Buffer;
  /** What the disk has for certain. */
  durable: FileContent;
  /** What it may have on top of that, wholly, partly, or not, in any combination. */
  unsynced: readonly FileChange[];
}

export interface DirectoryNode extends Shared {
  readonly kind: 'directory';
  readonly entries: Map<string, MemoryNode>;
  /** The names that the disk has for certain. */
  readonly durable: Map<string, MemoryNode>;
}

export interface LinkNode extends Shared {
  readonly kind: 'link';
  readonly target: string;
}

/** Names that come and go together: a rename is one change, also between two directories. */
export interface NameChange {
  readonly steps: readonly { readonly directory: DirectoryNode; readonly name: string; readonly node: MemoryNode | undefined }[];
}

let inodes = 0;

function shared(mode: number): Shared {
  inodes += 1;
  return { inode: inodes, mode, links: 1, changes: 0 };
}

export function fileNode(mode: number): FileNode {
  const bytes = Buffer.alloc(0);
  return { ...shared(mode), kind: 'file', bytes, durable: { bytes, mode }, unsynced: [] };
}

export function directoryNode(mode: number): DirectoryNode {
  return { ...shared(mode), kind: 'directory', entries: new Map(), durable: new Map() };
}

export function linkNode(target: string): LinkNode {
  return { ...shared(0o777), kind: 'link', target };
}

function resized(bytes: Buffer, size: number): Buffer {
  const result = Buffer.alloc(size);
  bytes.copy(result);
  return result;
}

export function withChange({ bytes, mode }: FileContent, change: FileChange): FileContent {
  switch (change.kind) {
    case 'write': {
      const grown = resized(bytes, Math.max(bytes.length, change.at + change.bytes.length));
      change.bytes.copy(grown, change.at);
      return { bytes: grown, mode };
    }
    case 'resize':
      return { bytes: resized(bytes, change.size), mode };
    case 'grow':
      return { bytes: resized(bytes, Math.max(bytes.length, change.size)), mode };
    case 'mode':
      return { bytes, mode: change.mode };
  }
}

/** Somebody changes a file: all see it at once, and the disk will have it some day. */
export function changeFile(node: FileNode, change: FileChange): void {
  const { bytes, mode } = withChange(node, change);
  node.bytes = bytes;
  node.mode = mode;
  node.unsynced = [...node.unsynced, change];
  node.changes += 1;
}

/** Makes a file's bytes durable, and with `all` what else is known about it. */
export function syncFile(node: FileNode, all: boolean): void {
  const waiting = all ? [] : node.unsynced.filter(({ kind }) => kind === 'mode');
  const arriving = all ? node.unsynced : node.unsynced.filter(({ kind }) => kind !== 'mode');
  node.durable = arriving.reduce(withChange, node.durable);
  node.unsynced = waiting;
}

/** A directory and all below it. */
export function directoriesIn(directory: DirectoryNode): readonly DirectoryNode[] {
  return [directory, ...[...directory.entries.values()].flatMap(node => (node.kind === 'directory' ? directoriesIn(node) : []))];
}

/** Makes all below a node durable as it is now. */
export function settle(node: MemoryNode): void {
  if (node.kind === 'file') {
    node.durable = { bytes: node.bytes, mode: node.mode };
    node.unsynced = [];
  }
  if (node.kind !== 'directory') return;
  node.durable.clear();
  for (const [name, child] of node.entries) {
    node.durable.set(name, child);
    settle(child);
  }
}

/** A file is again what the disk has for certain. */
export function goBack(node: FileNode): void {
  node.bytes = node.durable.bytes;
  node.mode = node.durable.mode;
  node.changes += 1;
}

/** After a power failure: the names and bytes below a node are those that the disk has, and links are counted anew. */
export function restart(top: MemoryNode, surviving: (changes: readonly FileChange[]) => readonly FileChange[]): void {
  const seen = new Set<MemoryNode>();
  const visit = (node: MemoryNode): void => {
    node.links = seen.has(node) ? node.links + 1 : 1;
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === 'file') {
      node.durable = surviving(node.unsynced).reduce(withChange, node.durable);
      node.unsynced = [];
      goBack(node);
    }
    if (node.kind !== 'directory') return;
    node.entries.clear();
    for (const [name, child] of node.durable) {
      node.entries.set(name, child);
      visit(child);
    }
  };
  visit(top);
}

export function changeNames(maps: 'entries' | 'durable', { steps }: NameChange): void {
  for (const { directory, name, node } of steps) {
    if (node === undefined) directory[maps].delete(name);
    else directory[maps].set(name, node);
  }
}

/** All names, kinds, permissions and bytes below a node, as one text. */
export function fingerprintOf(node: MemoryNode): string {
  switch (node.kind) {
    case 'file':
      return `${node.inode} ${node.mode} ${node.bytes.length} ${node.bytes.toString('latin1')}`;
    case 'link':
      return `-> ${node.target}`;
    case 'directory':
      return `${node.mode} {${[...node.entries].map(([name, child]) => `${name}: ${fingerprintOf(child)}`).join('\n')}}`;
  }
}

/** Copies nodes so that two names of one file stay two names of one file. */
export class NodeCopier {
  private readonly copies = new Map<MemoryNode, MemoryNode>();

  copy<Node extends MemoryNode>(node: Node): Node {
    const known = this.copies.get(node);
    if (known !== undefined) return known as Node;
    const copy: MemoryNode = node.kind === 'directory' ? { ...node, entries: new Map(), durable: new Map() } : { ...node };
    this.copies.set(node, copy);
    if (node.kind === 'directory' && copy.kind === 'directory') {
      for (const [name, child] of node.entries) copy.entries.set(name, this.copy(child));
      for (const [name, child] of node.durable) copy.durable.set(name, this.copy(child));
    }
    return copy as Node;
  }

  copyChange({ steps }: NameChange): NameChange {
    return { steps: steps.map(({ directory, name, node }) => ({ directory: this.copy(directory), name, node: node === undefined ? undefined : this.copy(node) })) };
  }
}

// Asked of the system once: it is asked for at every look at a file.
const owner = typeof process.getuid === 'function' ? process.getuid() : 0;
const group = typeof process.getgid === 'function' ? process.getgid() : 0;

export function statOf(node: MemoryNode): FileStat {
  const kind: FileKind = node.kind;
  const size = node.kind === 'file' ? node.bytes.length : node.kind === 'link' ? node.target.length : 0;
  return { kind, size, mode: node.mode, links: node.links, owner, group, stamp: `${size}:${node.changes}:${node.changes}:${node.inode}`, identity: `memory:${node.inode}` };
}
