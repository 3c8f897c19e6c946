import * as fs from 'node:fs';
import { systemCode } from './errors.ts';
import { toDisposable, type Disposable } from './disposable.ts';

export type FileKind = 'file' | 'directory' | 'link' | 'other';

/** What `lstat` says, as far as anybody here needs it. `mode` is the 12 permission bits. */
export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly links: number;
  /** The user that owns it, where the platform has numbers for users. */
  readonly owner: number;
  /** Its group, likewise. */
  readonly group: number;
  /** Changes whenever the file does, as far as the file system tells: `size:mtime:ctime:inode`, both times in nanoseconds since 1970. */
  readonly stamp: string;
  /** Device, inode and birth: a file's identity, and a folder's. An inode's number alone is given again at once when it is free. */
  readonly identity: string;
}

/** When a file was written, and when anything about it changed last, in milliseconds since 1970; undefined where a stamp doesn't tell. */
export function timesOf(stamp: string): { readonly written: number; readonly changed: number } | undefined {
  const parts = stamp.split(':');
  const written = Number(parts[1]) / 1e6;
  const changed = Number(parts[2]) / 1e6;
  return parts.length === 4 && Number.isFinite(written) && Number.isFinite(changed) ? { written, changed } : undefined;
}

/** An open file. Every method throws the operating system's error. */
export interface OpenFile {
  write(bytes: Uint8Array, position: number): void;
  truncate(size: number): void;
  setMode(mode: number): void;
  size(): number;
  /** Data, and the size that is needed to read it, are on the disk when this returns. */
  syncData(): void;
  /** As `syncData`, and all else about the file. */
  sync(): void;
  close(): void;
}

/** `append` and `update` open what is there (append creates it); `create` fails where something is. */
export type OpenFlag = 'create' | 'append' | 'update';

/**
 * The file system as a port: the only door to it in the core, so that faults can be put in at every
 * single operation. Calls are synchronous because for many small files that is three to five times
 * cheaper than promises; the callers yield between files.
 */
export interface Files {
  /** Doesn't follow a link; undefined where nothing is. */
  stat(path: string): FileStat | undefined;
  read(path: string): Uint8Array;
  /** At most `length` bytes from `offset` on; fewer at the end of the file. */
  readAt(path: string, offset: number, length: number): Uint8Array;
  readDirectory(path: string): readonly string[];
  readLink(path: string): string;
  realPath(path: string): string;
  makeDirectory(path: string, mode: number): void;
  removeDirectory(path: string): void;
  remove(path: string): void;
  rename(from: string, to: string): void;
  /** Another name for the same file: fails where `path` exists, which makes it a lock. */
  hardLink(existing: string, path: string): void;
  symbolicLink(target: string, path: string): void;
  setMode(path: string, mode: number): void;
  open(path: string, flag: OpenFlag, mode: number): OpenFile;
  /** Throws where nothing may be made in a directory, as far as the system tells without a try. */
  mustBeWritable(directory: string): void;
  /** Makes renames, creations and removals in a directory durable (does nothing where a platform can't). */
  syncDirectory(path: string): void;
  /** A hint that something in a directory changed; may come late, twice, or for nothing. */
  watchDirectory(path: string, listener: () => void): Disposable;
}

const openFlags: Record<OpenFlag, string> = { create: 'wx+', append: 'a+', update: 'r+' };

// On Windows a file that an editor, a scanner or an indexer holds open can't be replaced for a moment.
const transientOnWindows = new Set(['EPERM', 'EACCES', 'EBUSY']);
const renameAttempts = 30;

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function kindOf(stat: fs.BigIntStats): FileKind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'link';
  return 'other';
}

// Below a file there is nothing, as in an empty folder; only POSIX calls that an error of its own.
function statQuietly(path: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

class NodeOpenFile implements OpenFile {
  private readonly descriptor: number;
  private readonly appends: boolean;

  constructor(path: string, flag: OpenFlag, mode: number) {
    this.descriptor = fs.openSync(path, openFlags[flag], mode);
    this.appends = flag === 'append';
  }

  write(bytes: Uint8Array, position: number): void {
    let done = 0;
    while (done < bytes.length) {
      done += fs.writeSync(this.descriptor, bytes, done, bytes.length - done, this.appends ? null : position + done);
    }
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.descriptor, size);
  }

  setMode(mode: number): void {
    fs.fchmodSync(this.descriptor, mode);
  }

  size(): number {
    return fs.fstatSync(this.descriptor).size;
  }

  syncData(): void {
    fs.fdatasyncSync(this.descriptor);
  }

  sync(): void {
    fs.fsyncSync(this.descriptor);
  }

  close(): void {
    fs.closeSync(this.descriptor);
  }
}

/** All of standard input; an agent that leaves it open without a word is given up after `wait` milliseconds. */
export function readStandardInput(wait = 10_000): Uint8Array {
  const chunks: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(64 * 1024);
  for (let waited = 0; ; ) {
    try {
      const count = fs.readSync(0, chunk);
      if (count === 0) break;
      chunks.push(Buffer.from(chunk.subarray(0, count)));
    } catch (error) {
      // A pipe that the agent made non-blocking says "again"; Windows reports the end as an error.
      if (systemCode(error) === 'EOF') break;
      if (systemCode(error) !== 'EAGAIN' || waited >= wait) throw error;
      waited += 2;
      pause(2);
    }
  }
  return Buffer.concat(chunks);
}

/** The real file system. */
export const nodeFiles: Files = {
  stat(path) {
    const stat = statQuietly(path);
    if (stat === undefined) return undefined;
    return {
      kind: kindOf(stat),
      size: Number(stat.size),
      mode: Number(stat.mode) & 0o7777,
      links: Number(stat.nlink),
      owner: Number(stat.uid),
      group: Number(stat.gid),
      stamp: `${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.ino}`,
      identity: `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`,
    };
  },
  read: path => fs.readFileSync(path),
  readAt(path, offset, length) {
    const descriptor = fs.openSync(path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(length);
      let done = 0;
      while (done < length) {
        const count = fs.readSync(descriptor, buffer, done, length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return buffer.subarray(0, done);
    } finally {
      fs.closeSync(descriptor);
    }
  },
  readDirectory: path => fs.readdirSync(path),
  readLink: path => fs.readlinkSync(path),
  realPath: path => fs.realpathSync.native(path),
  makeDirectory: (path, mode) => fs.mkdirSync(path, { mode }),
  removeDirectory: path => fs.rmdirSync(path),
  remove: path => fs.unlinkSync(path),
  rename(from, to) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        fs.renameSync(from, to);
        return;
      } catch (error) {
        const transient = process.platform === 'win32' && transientOnWindows.has(systemCode(error) ?? '');
        if (!transient || attempt === renameAttempts) throw error;
        pause(Math.min(attempt * 5, 100));
      }
    }
  },
  hardLink: (existing, path) => fs.linkSync(existing, path),
  symbolicLink: (target, path) => fs.symlinkSync(target, path),
  setMode: (path, mode) => fs.chmodSync(path, mode),
  open: (path, flag, mode) => new NodeOpenFile(path, flag, mode),
  mustBeWritable: directory => fs.accessSync(directory, fs.constants.W_OK),
  syncDirectory(path) {
    // Windows can't open a directory; there the file set is kept fixed instead.
    if (process.platform === 'win32') return;
    const descriptor = fs.openSync(path, 'r');
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  },
  watchDirectory(path, listener) {
    const watcher = fs.watch(path, { persistent: false }, () => listener());
    // A watched directory that is removed ends the hints; the next look at the store finds out why.
    watcher.on('error', () => watcher.close());
    return toDisposable(() => watcher.close());
  },
};
