import { dirname } from 'node:path';
import { liveTarget } from '../snapshot/paths.ts';
import { makeDurable } from '../base/fileTools.ts';
import { modesOf } from '../timeline/folderWork.ts';
import type { DirectoryEntry, FolderWork } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { PlanContext } from './plan.ts';

type Folders = Pick<RecordOf<'restore.intent'>, 'emptied' | 'made'>;

/** What folders need while files in them are written. */
function withOwner(mode: number): number {
  return mode | 0o700;
}

/** Whether not even its owner may write in a folder. */
function isClosed(mode: number): boolean {
  return (mode & 0o300) !== 0o300;
}

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
export function makeFolders(context: PlanContext, intent: Folders & Pick<RecordOf<'restore.intent'>, 'above'>, wanted: ReadonlySet<string>, recovering: boolean): DirectoryEntry[] {
  const { files, store } = context;
  const [modes, kept] = [modesOf(intent.made), modesOf(intent.emptied)];
  const wasMissing = new Set([...[...modes.keys()].filter(path => !kept.has(path)), ...(intent.above ?? [])]);
  const made: DirectoryEntry[] = [];
  for (const path of [...wanted].sort()) {
    const live = liveTarget(files, store.identity.path, path);
    if (live.kind === 'refused') continue;
    try {
      const there = files.stat(live.absolute);
      if (there !== undefined) {
        if (recovering && there.kind === 'directory' && wasMissing.has(path)) made.push({ path, mode: modes.get(path) ?? there.mode });
        if (recovering) files.syncDirectory(dirname(live.absolute));
        continue;
      }
      const mode = modes.get(path);
      files.makeDirectory(live.absolute, withOwner(mode ?? 0o777));
      // Whatever goes wrong from here on, it is there because of this restore.
      made.push({ path, mode: mode ?? 0o755 });
      if (mode !== undefined) giveMode(context, live.absolute, withOwner(mode));
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
    if (files.stat(absolute)?.mode === mode) return;
    files.setMode(absolute, mode);
    files.syncDirectory(absolute);
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
export function removeFolders(context: PlanContext, { emptied, made }: Folders, recovering: boolean): DirectoryEntry[] {
  const kept = modesOf(made);
  const folders = emptied.filter(({ path }) => !kept.has(path));
  const { files, store } = context;
  const removed: DirectoryEntry[] = [];
  for (const folder of folders.sort((a, b) => b.path.length - a.path.length)) {
    const { path } = folder;
    const live = liveTarget(files, store.identity.path, path);
    // After a crash, what took the place of a folder may be there already.
    if (live.kind === 'refused' && live.obstacle !== undefined && recovering) removed.push(folder);
    if (live.kind === 'refused') continue;
    try {
      const stat = files.stat(live.absolute);
      if (stat?.kind !== 'directory' && recovering) {
        removed.push(folder);
        if (stat === undefined) makeDurable(files, live.absolute);
      }
      if (stat?.kind !== 'directory' || files.readDirectory(live.absolute).length > 0) continue;
      files.removeDirectory(live.absolute);
      // Also if the power may bring it back: whoever takes this back has to know that it was there.
      removed.push(stat.mode === withOwner(folder.mode) ? folder : { path, mode: stat.mode });
      files.syncDirectory(dirname(live.absolute));
    } catch {
      // A folder that somebody is just filling, or that can't be removed, harms nothing.
    }
  }
  return removed;
}

/** Opens closed folders for their owner, outermost first, so that what is in them can be written, and removed. */
export function openFolders(context: PlanContext, { emptied }: Folders): void {
  for (const { path, mode } of emptied.toSorted((a, b) => a.path.length - b.path.length)) {
    const live = liveTarget(context.files, context.store.identity.path, path);
    if (isClosed(mode) && live.kind === 'target' && isFolderWith(context, live.absolute, [mode])) giveMode(context, live.absolute, withOwner(mode));
  }
}

/** Gives folders their own permissions when all in them is done, innermost first; those that were to go and stay have them again. Returns those that had others before. */
export function settleFolders(context: PlanContext, { emptied, made }: Folders, brought: readonly DirectoryEntry[], recovering: boolean): FolderWork {
  const [kept, fresh] = [modesOf(emptied), modesOf(brought)];
  const changed: { made: DirectoryEntry[]; removed: DirectoryEntry[] } = { made: [], removed: [] };
  const goals = modesOf(made);
  const staying = emptied.filter(({ path }) => !goals.has(path));
  for (const { path, mode } of [...made, ...staying].toSorted((a, b) => b.path.length - a.path.length)) {
    const live = liveTarget(context.files, context.store.identity.path, path);
    const had = kept.get(path);
    if (live.kind === 'refused' || (had === undefined && !fresh.has(path))) continue;
    const expected = had === undefined ? [withOwner(mode)] : [had, withOwner(had), ...(recovering ? [mode] : [])];
    if (!isFolderWith(context, live.absolute, expected)) continue;
    giveMode(context, live.absolute, mode);
    if (had === undefined || had === mode) continue;
    if (isFolderWith(context, live.absolute, [mode])) {
      changed.made.push({ path, mode });
      changed.removed.push({ path, mode: had });
    } else giveMode(context, live.absolute, had);
  }
  return changed;
}

function isFolderWith({ files }: PlanContext, absolute: string, modes: readonly number[]): boolean {
  try {
    const stat = files.stat(absolute);
    return stat?.kind === 'directory' && modes.includes(stat.mode);
  } catch {
    return false;
  }
}
