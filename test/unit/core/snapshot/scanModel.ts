import { posix } from 'node:path';
import type { FileStat, Files } from '../../../../src/core/base/files.ts';
import { sha256 } from '../../../../src/core/base/digest.ts';
import type { State } from '../../../../src/core/snapshot/state.ts';
import type { MemoryFiles } from '../../../twins/memoryFiles.ts';
import type { SeededRandom } from '../../../twins/random.ts';

/** A disk that random edits are made on. Times stand still within a step, so an edit of the same size leaves the same stamp. */
export interface EditedDisk {
  readonly files: Files;
  readonly root: string;
  put(path: string, text: string): void;
  remove(path: string): void;
  move(from: string, to: string): void;
  mode(path: string, mode: number): void;
  touch(path: string): void;
  link(path: string, target: string): void;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  now(): number;
  /** Some time goes by: more than any file system's step. */
  later(): void;
}

/** What is at each path, as somebody would write it down who watches every edit. */
export type Watched = Map<string, State>;

const folders = ['', 'd/', 'd/e/', 'f/', 'ignored/', 'f/deep/er/'];
const names = ['a', 'b', 'c', 'A', 'x.log', 'é', 'e\u0301', 'with space', 'q"uote'];
const modes = [0o644, 0o755, 0o600];

function textOf(random: SeededRandom): string {
  return random.chance(0.8) ? `${random.below(10)}` : 'x'.repeat(random.below(30));
}

function contentOf(text: string, mode: number, maxFileSize: number): State {
  const size = Buffer.byteLength(text);
  return { kind: size > maxFileSize ? 'oversize' : 'content', hash: sha256(Buffer.from(text)), mode, size };
}

export function isIgnored(path: string): boolean {
  return path.startsWith('ignored/') || path.endsWith('.log');
}

/** One random edit, made and written down. */
export function edit(random: SeededRandom, disk: EditedDisk, watched: Watched, maxFileSize: number): void {
  const path = random.pick(folders) + random.pick(names);
  const there = watched.get(path);
  const other = random.pick(folders) + random.pick(names);
  switch (random.below(there === undefined ? 2 : 7)) {
    case 0: {
      if (there?.kind === 'link') return;
      const text = textOf(random);
      disk.put(path, text);
      watched.set(path, contentOf(text, there !== undefined && 'mode' in there ? there.mode : 0o644, maxFileSize));
      return;
    }
    case 1: {
      if (there !== undefined) disk.remove(path);
      disk.link(path, other);
      watched.set(path, { kind: 'link', target: other });
      return;
    }
    case 2:
      disk.remove(path);
      watched.delete(path);
      return;
    case 3:
      if (there === undefined || other === path) return;
      disk.move(path, other);
      watched.set(other, there);
      watched.delete(path);
      return;
    case 4: {
      if (there?.kind !== 'content' && there?.kind !== 'oversize') return;
      const mode = random.pick(modes);
      disk.mode(path, mode);
      watched.set(path, { ...there, mode });
      return;
    }
    default:
      if (there?.kind === 'content') disk.touch(path);
  }
}

const foldersOnly = ['d', 'd/e', 'f', 'f/deep', 'empty', 'empty/in', 'ignored', 'ignored/in'];

/** One random edit of a folder alone. */
export function editFolder(random: SeededRandom, disk: EditedDisk): void {
  const path = random.pick(foldersOnly);
  const absolute = `${disk.root}/${path}`;
  if (disk.files.stat(absolute) === undefined) disk.makeFolder(path);
  else if (disk.files.readDirectory(absolute).length === 0) disk.removeFolder(path);
  else disk.mode(path, random.pick([0o755, 0o700, 0o750]));
}

/** By path, the permissions of all folders that are not ignored, as a naive look finds them. */
export function foldersOn({ files, root }: Pick<EditedDisk, 'files' | 'root'>, path = ''): ReadonlyMap<string, number> {
  const absolute = path === '' ? root : `${root}/${path}`;
  const stat = files.stat(absolute);
  if (stat?.kind !== 'directory' || isIgnored(`${path}/`)) return new Map();
  const below = files.readDirectory(absolute).flatMap(name => [...foldersOn({ files, root }, path === '' ? name : `${path}/${name}`)]);
  return new Map([[path, stat.mode], ...below]);
}

export function folderDifferences(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.flatMap(path => (before.get(path) === after.get(path) ? [] : [`${path}: ${before.get(path)} -> ${after.get(path)}`])).toSorted();
}

/** What a naive look would say: every path compared, nothing remembered but states. */
export function differences(before: Watched, after: Watched): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(path => !isIgnored(path));
  return paths.flatMap(path => {
    const [old, fresh] = [before.get(path), after.get(path)].map(state => JSON.stringify(state ?? { kind: 'absent' }));
    return old === fresh ? [] : [`${path}: ${old} -> ${fresh}`];
  }).toSorted();
}

/** The memory's disk with times that come in steps of a second, as some file systems have them. */
export class SteppingFiles implements EditedDisk {
  readonly root = '/r';
  readonly files: Files;
  private time = 1_000_000_000;
  private readonly seen = new Map<string, { readonly changes: string; readonly at: number }>();
  private readonly disk: MemoryFiles;

  constructor(disk: MemoryFiles) {
    this.disk = disk;
    disk.folder(this.root);
    const stat = (path: string): FileStat | undefined => this.stat(path);
    this.files = new Proxy<Files>(disk, { get: (target, key) => (key === 'stat' ? stat : (Reflect.get(target, key) as (...parameters: unknown[]) => unknown).bind(target)) });
  }

  private stat(path: string): FileStat | undefined {
    const stat = this.disk.stat(path);
    if (stat === undefined) return undefined;
    const [size, changes, , inode] = stat.stamp.split(':') as [string, string, string, string];
    const seen = this.seen.get(inode);
    const at = seen?.changes === changes ? seen.at : Math.floor(this.time / 1000) * 1000;
    this.seen.set(inode, { changes, at });
    return { ...stat, stamp: `${size}:${at * 1e6}:${at * 1e6}:${inode}` };
  }

  private after(path: string, change: (absolute: string) => void): void {
    change(posix.join(this.root, path));
    // Whoever looks gives the change its time, so somebody has to at once.
    this.stat(posix.join(this.root, path));
  }

  put(path: string, text: string): void {
    this.after(path, absolute => this.disk.put(absolute, text));
  }

  remove(path: string): void {
    this.after(path, absolute => this.disk.remove(absolute));
  }

  move(from: string, to: string): void {
    this.disk.folder(posix.join(this.root, posix.dirname(to)));
    this.after(to, absolute => this.disk.rename(posix.join(this.root, from), absolute));
  }

  mode(path: string, mode: number): void {
    this.after(path, absolute => this.disk.setMode(absolute, mode));
  }

  touch(path: string): void {
    this.after(path, absolute => this.disk.setMode(absolute, this.disk.stat(absolute)?.mode ?? 0));
  }

  link(path: string, target: string): void {
    this.disk.folder(posix.join(this.root, posix.dirname(path)));
    this.after(path, absolute => this.disk.symbolicLink(target, absolute));
  }

  makeFolder(path: string): void {
    this.disk.folder(posix.join(this.root, path));
  }

  removeFolder(path: string): void {
    this.disk.removeDirectory(posix.join(this.root, path));
  }

  now(): number {
    return this.time;
  }

  later(): void {
    this.time += 10_000;
  }
}
