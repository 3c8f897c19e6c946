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

export interface FileNode extends Shared {
  readonly kind: 'file';
  bytes: Buffer;
  /** What is left of it when the power fails. */
  durable: Buffer;
}

export interface DirectoryNode extends Shared {
  readonly kind: 'directory';
  readonly entries: Map<string, MemoryNode>;
  /** The names that are left when the power fails. */
  durable: ReadonlyMap<string, MemoryNode>;
}

export interface LinkNode extends Shared {
  readonly kind: 'link';
  readonly target: string;
}

let inodes = 0;

function shared(mode: number): Shared {
  inodes += 1;
  return { inode: inodes, mode, links: 1, changes: 0 };
}

export function fileNode(mode: number): FileNode {
  return { ...shared(mode), kind: 'file', bytes: Buffer.alloc(0), durable: Buffer.alloc(0) };
}

export function directoryNode(mode: number): DirectoryNode {
  return { ...shared(mode), kind: 'directory', entries: new Map(), durable: new Map() };
}

export function linkNode(target: string): LinkNode {
  return { ...shared(0o777), kind: 'link', target };
}

/** Makes all that is there durable, or, the other way round, forgets all that is not. */
export function settle(node: MemoryNode): void {
  if (node.kind === 'file') node.durable = node.bytes;
  if (node.kind !== 'directory') return;
  node.durable = new Map(node.entries);
  for (const child of node.entries.values()) settle(child);
}

export function forgetUnsynced(node: MemoryNode): void {
  if (node.kind === 'file') node.bytes = node.durable;
  if (node.kind !== 'directory') return;
  node.entries.clear();
  for (const [name, child] of node.durable) {
    node.entries.set(name, child);
    forgetUnsynced(child);
  }
}

export function statOf(node: MemoryNode): FileStat {
  const kind: FileKind = node.kind;
  const size = node.kind === 'file' ? node.bytes.length : node.kind === 'link' ? node.target.length : 0;
  const owner = typeof process.getuid === 'function' ? process.getuid() : 0;
  const group = typeof process.getgid === 'function' ? process.getgid() : 0;
  return { kind, size, mode: node.mode, links: node.links, owner, group, stamp: `${size}:${node.changes}:${node.inode}`, identity: `memory:${node.inode}` };
}
