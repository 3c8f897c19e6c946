import { messageOf, systemCode } from '../base/errors.ts';
import type { Files, FileStat } from '../base/files.ts';
import { sha256, sha256OfPieces } from '../base/digest.ts';
import { absent, type State } from './state.ts';

/** What is at a path, with the bytes where they are to be kept. */
export interface Observation {
  readonly state: State;
  readonly bytes?: Uint8Array;
}

/** Files larger than this many bytes are told apart by hash, but not kept. */
export const defaultMaxFileSize = 10 * 1024 * 1024;

const chunk = 4 * 1024 * 1024;
const attempts = 3;

function* pieces(files: Files, path: string, size: number): Iterable<Uint8Array> {
  for (let offset = 0; offset < size; offset += chunk) yield files.readAt(path, offset, chunk);
}

/** A file that was read; `stamp` is what it had before and after, and empty where it never was the same. */
export interface FileObservation extends Observation {
  readonly stamp: string;
}

/** As `observe`, for a file whose `stat` is at hand; throws what the disk says. What is there by now may be something else. */
export function observeFile(files: Files, path: string, first: FileStat, maxFileSize: number, digest = sha256): FileObservation {
  let stat = first;
  for (let attempt = 1; ; attempt += 1) {
    const oversize = stat.size > maxFileSize;
    const bytes = oversize ? undefined : files.read(path);
    const hash = bytes === undefined ? sha256OfPieces(pieces(files, path, stat.size)) : digest(bytes);
    const after = files.stat(path);
    if (after === undefined || after.kind !== 'file') return { ...observe(files, path, maxFileSize), stamp: '' };
    // A file that is being written is read again: half of it was never anybody's content.
    if (after.stamp !== stat.stamp && attempt < attempts) {
      stat = after;
      continue;
    }
    const stamp = after.stamp === stat.stamp ? stat.stamp : '';
    if (bytes === undefined) return { state: { kind: 'oversize', hash, mode: after.mode, size: stat.size }, stamp };
    return { state: { kind: 'content', hash, mode: after.mode, size: bytes.length }, bytes, stamp };
  }
}

/** Looks at a path. Never throws for what the disk says: a path that can't be read is `unreadable`. */
export function observe(files: Files, path: string, maxFileSize: number = defaultMaxFileSize): Observation {
  try {
    const stat = files.stat(path);
    if (stat === undefined) return { state: absent };
    switch (stat.kind) {
      case 'file': {
        const { stamp: _, ...observation } = observeFile(files, path, stat, maxFileSize);
        return observation;
      }
      case 'directory':
        return { state: { kind: 'directory', mode: stat.mode } };
      case 'link':
        return { state: { kind: 'link', target: files.readLink(path) } };
      case 'other':
        return { state: { kind: 'special' } };
    }
  } catch (error) {
    const code = systemCode(error);
    // It was there a moment ago, and somebody has removed it between the two looks.
    if (code === 'ENOENT') return { state: absent };
    return { state: { kind: 'unreadable', reason: code ?? messageOf(error) } };
  }
}
