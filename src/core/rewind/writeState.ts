import { basename, dirname, join } from 'node:path';
import { sha256 } from '../base/digest.ts';
import { systemCode } from '../base/errors.ts';
import type { Files, OpenFile } from '../base/files.ts';
import { removeQuietly, syncFile, writeNewFile } from '../base/fileTools.ts';
import { modeOf, sameContent, type State } from '../snapshot/state.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { PlanContext } from './plan.ts';

export type IntentPath = RecordOf<'restore.intent'>['paths'][number];

/**
 * The name of the file that content is written to before it takes its place; found again after a crash. It is
 * short whatever the file is called, because a name has a longest length, and some files' names have it.
 */
export function temporaryName(operation: string, path: string): string {
  return join(dirname(path), `.${operation}-${sha256(Buffer.from(basename(path))).slice(0, 12)}.tmp`);
}

/** A file was changed between the look at it and the moment of its replacement. */
export class ChangedMeanwhile extends Error {}

/** Somebody may save a file while its replacement is being written and synced: the last look is just before the rename. */
function replaceUnlessChanged(files: Files, temporary: string, absolute: string, stamp: string | undefined): void {
  if (files.stat(absolute)?.stamp !== stamp) throw new ChangedMeanwhile();
  files.rename(temporary, absolute);
}

/** Puts a file with these bytes in the place of what had this `stamp` (undefined: of nothing), at once or not at all. The folder is not synced. Throws `ChangedMeanwhile`. */
export function writeBeside(files: Files, operation: string, absolute: string, bytes: Uint8Array, mode: number, stamp: string | undefined): void {
  const temporary = temporaryName(operation, absolute);
  // Left from a crash of this very operation.
  removeQuietly(files, temporary);
  try {
    writeNewFile(files, temporary, bytes, mode);
    replaceUnlessChanged(files, temporary, absolute, stamp);
  } catch (error) {
    discard(files, temporary);
    throw error;
  }
}

/** Removes a file that nobody will look for again, so that no power failure brings it back. */
export function discard(files: Files, temporary: string): void {
  removeQuietly(files, temporary);
  try {
    files.syncDirectory(dirname(temporary));
  } catch {
    // The disk refuses already; the file is at least out of sight.
  }
}

// A file may be writable only before its permissions change, or only after.
function setModeDurably(files: Files, absolute: string, mode: number): void {
  let file: OpenFile | undefined;
  try {
    file = files.open(absolute, 'update', mode);
  } catch (error) {
    if (systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM') throw error;
  }
  if (file === undefined) {
    files.setMode(absolute, mode);
    return syncFile(files, absolute);
  }
  try {
    file.setMode(mode);
    file.sync();
  } finally {
    file.close();
  }
}

// Only its owner may set a file's permissions, even to what they are; a write takes the two identity bits away.
function needsMode(mode: number, { state }: Seen): boolean {
  return process.platform !== 'win32' && (mode !== modeOf(state) || (mode & 0o6000) !== 0);
}

/** For a file that has other names, or is somebody else's. */
export function writeInPlace(files: Files, absolute: string, bytes: Uint8Array, mode: number, seen: Seen): void {
  const file = files.open(absolute, 'update', mode);
  try {
    // Nothing is cut before all is written: what a crash leaves is made of new bytes and old ones, and can be told from anybody's edit.
    file.write(bytes, 0);
    file.truncate(bytes.length);
    if (needsMode(mode, seen)) file.setMode(mode);
    file.sync();
  } catch (error) {
    // Half of it was never anybody's content.
    if (seen.bytes !== undefined) putBack(file, seen.bytes);
    throw error;
  } finally {
    file.close();
  }
}

function putBack(file: OpenFile, old: Uint8Array): void {
  try {
    file.write(old, 0);
    file.truncate(old.length);
    file.sync();
  } catch {
    // The safety copy in the store has the bytes.
  }
}

/** What is at a path, at one moment. */
export interface Seen {
  readonly state: State;
  /** What is put back where a write in place fails. */
  readonly bytes?: Uint8Array;
  /** From before the look, so that a change during it is one too. */
  readonly stamp: string | undefined;
}

/** Makes a path what was planned, at once or not at all. */
export function writeState(context: PlanContext, operation: string, absolute: string, planned: IntentPath, seen: Seen): void {
  const { files, store } = context;
  const { after } = planned;
  if (after.kind === 'content' && sameContent(seen.state, after)) {
    // Only the permissions differ: what is right already is not written again.
    setModeDurably(files, absolute, after.mode);
    return;
  }
  switch (after.kind) {
    case 'absent':
      files.remove(absolute);
      break;
    case 'content': {
      const bytes = store.blobs.read(after.hash);
      if (planned.inPlace === true) writeInPlace(files, absolute, bytes, after.mode, seen);
      else writeBeside(files, operation, absolute, bytes, after.mode, seen.stamp);
      break;
    }
    case 'link': {
      const temporary = temporaryName(operation, absolute);
      removeQuietly(files, temporary);
      files.symbolicLink(after.target, temporary);
      try {
        replaceUnlessChanged(files, temporary, absolute, seen.stamp);
      } catch (error) {
        discard(files, temporary);
        throw error;
      }
      break;
    }
    default:
      throw new Error(`a ${after.kind} can't be written`);
  }
  files.syncDirectory(dirname(absolute));
}
