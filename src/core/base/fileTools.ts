import { dirname, join } from 'node:path';
import { systemCode } from './errors.ts';
import { uniqueName } from './digest.ts';
import type { Files, OpenFile } from './files.ts';

/** Makes a directory and what is missing above it. */
export function makeDirectories(files: Files, directory: string, mode: number): void {
  if (files.stat(directory) !== undefined) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectories(files, parent, mode);
  try {
    files.makeDirectory(directory, mode);
  } catch (error) {
    // Somebody else made it between our look and our try.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  files.syncDirectory(parent);
}

/** Writes a file that is not there yet; it is durable when this returns, and its name when its directory is synced. */
export function writeNewFile(files: Files, path: string, bytes: Uint8Array, mode: number): void {
  // Nobody but the owner may look into it before its permissions are the right ones.
  const file = files.open(path, 'create', 0o600);
  try {
    file.write(bytes, 0);
    file.setMode(mode);
    file.sync();
  } finally {
    file.close();
  }
}

/** Replaces a small file as a whole: temporary file beside it, sync, rename, directory sync. */
export function replaceFile(files: Files, path: string, bytes: Uint8Array, mode: number): void {
  const temporary = `${path}.${uniqueName()}.tmp`;
  try {
    writeNewFile(files, temporary, bytes, mode);
    files.rename(temporary, path);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  files.syncDirectory(dirname(path));
}

/**
 * Makes the last (by name) of a directory's files that match durable, with its name and the directory's: what another process
 * wrote there and may not have synced. Does nothing where there is no directory.
 */
export function settleNewest(files: Files, directory: string, pattern: RegExp): void {
  if (files.stat(directory) === undefined) return;
  const newest = files.readDirectory(directory).filter(name => pattern.test(name)).sort().at(-1);
  if (newest !== undefined) {
    const file = files.open(join(directory, newest), 'update', 0o600);
    try {
      file.sync();
    } finally {
      file.close();
    }
  }
  files.syncDirectory(directory);
  files.syncDirectory(dirname(directory));
}

/** Closes a file that was synced, or has failed: what is on the disk is there, and the descriptor is gone all the same. */
export function closeQuietly(file: OpenFile): void {
  try {
    file.close();
  } catch {
    // See above.
  }
}

/** Removes a file that is only in the way; that it can't be removed harms nothing. */
export function removeQuietly(files: Files, path: string): void {
  try {
    if (files.stat(path) !== undefined) files.remove(path);
  } catch {
    // Left behind: the next start finds it by its name.
  }
}

/** A file's bytes, or undefined where there is none. */
export function readIfThere(files: Files, path: string): Uint8Array | undefined {
  try {
    return files.read(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
