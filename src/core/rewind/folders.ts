import { dirname } from 'node:path';
import { liveTarget } from '../snapshot/paths.ts';
import { makeDurable } from '../base/fileTools.ts';
import type { DirectoryEntry } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { PlanContext } from './plan.ts';

export function isEmptyFolder({ files, store }: PlanContext, path: string): boolean {
  const live = liveTarget(files, store.identity.path, path);
  try {
    return live.kind === 'target' && files.readDirectory(live.absolute).length === 0;
  } catch {
    return false;
  }
}

/**
 * Brings folders that are missing, outermost first. Returns those that are there now because of it; after a
 * crash that is all that the intent said were missing.
 */
export function makeFolders(context: PlanContext, intent: Pick<RecordOf<'restore.intent'>, 'made' | 'above'>, wanted: ReadonlySet<string>, recovering: boolean): DirectoryEntry[] {
  const { files, store } = context;
  const modes = new Map(intent.made.map(({ path, mode }) => [path, mode]));
  const wasMissing = new Set([...modes.keys(), ...(intent.above ?? [])]);
  const made: DirectoryEntry[] = [];
  for (const path of [...wanted].sort()) {
    const live = liveTarget(files, store.identity.path, path);
    if (live.kind === 'refused') continue;
    try {
      const there = files.stat(live.absolute);
      if (there !== undefined) {
        if (recovering && there.kind === 'directory' && wasMissing.has(path)) made.push({ path, mode: there.mode });
        if (recovering) files.syncDirectory(dirname(live.absolute));
        continue;
      }
      const mode = modes.get(path);
      files.makeDirectory(live.absolute, mode ?? 0o777);
      // Whatever goes wrong from here on, it is there because of this restore.
      made.push({ path, mode: mode ?? 0o755 });
      if (mode !== undefined) giveMode(context, live.absolute, mode);
      if (isGivenUp(context, live.absolute)) made.pop();
    } catch {
      // The files in it fail with the reason.
    }
  }
  return made;
}

// The process's mask takes bits away that the folder had. One that can't have them is better than none.
function giveMode({ files }: PlanContext, absolute: string, mode: number): void {
  try {
    if (files.stat(absolute)?.mode !== mode) files.setMode(absolute, mode);
  } catch {
    // See above.
  }
}

/**
 * Makes a new folder's name durable. If that can't be, the folder goes again, so that no file is said to be restored in it. True where it is
 * gone for good: one that a power failure may bring back is still there because of this restore, and whatever takes that back removes it.
 */
function isGivenUp({ files }: PlanContext, absolute: string): boolean {
  const parent = dirname(absolute);
  try {
    files.syncDirectory(parent);
    return false;
  } catch {
    files.removeDirectory(absolute);
  }
  files.syncDirectory(parent);
  return true;
}

/** Removes folders that are empty, innermost first; others stay, whoever put something in. Returns those that are gone. */
export function removeFolders(context: PlanContext, folders: readonly DirectoryEntry[], recovering: boolean): DirectoryEntry[] {
  const { files, store } = context;
  const removed: DirectoryEntry[] = [];
  for (const folder of [...folders].sort((a, b) => b.path.length - a.path.length)) {
    const { path } = folder;
    const live = liveTarget(files, store.identity.path, path);
    if (live.kind === 'refused') continue;
    try {
      const stat = files.stat(live.absolute);
      if (stat === undefined && recovering) {
        removed.push(folder);
        makeDurable(files, live.absolute);
      }
      if (stat?.kind !== 'directory' || files.readDirectory(live.absolute).length > 0) continue;
      files.removeDirectory(live.absolute);
      // Also if the power may bring it back: whoever takes this back has to know that it was there.
      removed.push({ path, mode: stat.mode });
      files.syncDirectory(dirname(live.absolute));
    } catch {
      // A folder that somebody is just filling, or that can't be removed, harms nothing.
    }
  }
  return removed;
}
