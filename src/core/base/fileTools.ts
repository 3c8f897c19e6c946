import { dirname, join } from 'node:path';
import { systemCode } from './errors.ts';
import { uniqueName } from './digest.ts';
import type { Files, OpenFile } from './files.ts';

/** Makes a directory and what is missing above it. */
export function makeDirectories(files: Files, directory: string, mode: number): void {
  if (files.stat(directory) !== undefined) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectories(files, parent, mode);
  let isOurs = true;
  try {
    files.makeDirectory(directory, mode);
  } catch (error) {
    // Somebody else made it between our look and our try.
    if (systemCode(error) !== 'EEXIST') throw error;
    isOurs = false;
  }
  try {
    files.syncDirectory(parent);
  } catch (error) {
    // Whoever finds it next would take it for durable, and what is put into it would go with its name.
    if (isOurs) removeDirectoryQuietly(files, directory);
    throw error;
  }
}

/** Removes a directory that is empty; one that is not, or was never there, is left as it is. */
export function removeDirectoryQuietly(files: Files, directory: string): void {
  try {
    files.removeDirectory(directory);
  } catch {
    // Somebody has put something into it meanwhile.
  }
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

/** Makes a new file's name durable. A name that the system has given up is not written by its next sync either, so the file goes again, and who comes next makes it anew. */
export function syncNameOf(files: Files, path: string): void {
  try {
    files.syncDirectory(dirname(path));
  } catch (error) {
    removeQuietly(files, path);
    throw error;
  }
}

/** Makes a file that is there, and its name, durable as another process left them; or, where nothing is, that it is gone. */
export function makeDurable(files: Files, path: string): void {
  if (files.stat(path)?.kind === 'file') syncFile(files, path);
  if (files.stat(dirname(path)) !== undefined) files.syncDirectory(dirname(path));
}

/** Makes a file durable that is there already, as far as its permissions let it be opened. */
export function syncFile(files: Files, path: string): void {
  let file: OpenFile;
  try {
    file = files.open(path, 'update', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EACCES' || systemCode(error) === 'EPERM') return;
    throw error;
  }
  try {
    file.sync();
  } finally {
    file.close();
  }
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
