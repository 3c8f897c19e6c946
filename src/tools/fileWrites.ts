import { dirname, join } from 'node:path';
import { makeDirectories, removeDirectoryQuietly } from '../core/base/fileTools.ts';
import type { Files } from '../core/base/files.ts';
import { mustStay } from '../core/rewind/plan.ts';
import { writeBeside, writeInPlace } from '../core/rewind/writeState.ts';
import { missingParents } from '../core/snapshot/paths.ts';
import { newFileMode, type Target } from './target.ts';
import { Refused } from './toolResult.ts';

/** Makes the folders that are missing above a file; takes them away again where what they are for fails. */
function withFolders(files: Files, { folder, path, absolute }: Target, work: () => void): void {
  const root = folder.store.identity.path;
  const missing = missingParents(files, root, path);
  try {
    makeDirectories(files, dirname(absolute), 0o777);
    work();
  } catch (error) {
    for (const made of missing.toReversed()) removeDirectoryQuietly(files, join(root, made));
    throw error;
  }
}

/** Gives a file its new bytes as a restore would: as a whole, with its permissions, its other names and its owner. */
export function writeContent(files: Files, target: Target, bytes: Uint8Array, call: string): void {
  const { absolute, stat } = target;
  if (stat === undefined || target.bytes === undefined) {
    return withFolders(files, target, () => {
      writeBeside(files, call, absolute, bytes, newFileMode(), undefined);
      files.syncDirectory(dirname(absolute));
    });
  }
  const stays = mustStay(files, absolute);
  if (stays === undefined) throw new Refused('failed', `${target.path} can't be looked at. Nothing was written.`);
  if (stays) {
    const state = { kind: 'content' as const, hash: '', mode: stat.mode, size: target.bytes.length };
    return writeInPlace(files, absolute, bytes, stat.mode, { state, bytes: target.bytes, stamp: stat.stamp });
  }
  writeBeside(files, call, absolute, bytes, stat.mode, stat.stamp);
  files.syncDirectory(dirname(absolute));
}

export function removeFile(files: Files, { absolute }: Target): void {
  files.remove(absolute);
  files.syncDirectory(dirname(absolute));
}

export function moveFile(files: Files, from: Target, to: Target): void {
  withFolders(files, to, () => {
    files.rename(from.absolute, to.absolute);
    files.syncDirectory(dirname(to.absolute));
    if (dirname(from.absolute) !== dirname(to.absolute)) files.syncDirectory(dirname(from.absolute));
  });
}
