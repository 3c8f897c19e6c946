import { isWithin, reachOf, type Reach } from '../timeline/activity.ts';
import type { Call, DirectoryEntry, FolderWork, Operation } from '../timeline/model.ts';
import type { PathGoal } from './goals.ts';
import type { Selection } from './selection.ts';

interface Folders extends FolderWork {
  readonly seq: number;
}

/** The folders that calls brought. */
function madeBy(calls: readonly Call[]): readonly DirectoryEntry[] {
  const above = calls.flatMap(call => [...call.snapshots.values()]).flatMap(snapshot => [...snapshot.made, ...(snapshot.after === undefined ? snapshot.missing.map(path => ({ path, mode: 0o755 })) : [])]);
  const all = [...above, ...calls.flatMap(({ folders }) => folders.made)];
  return [...new Map(all.map(directory => [directory.path, directory])).values()];
}

/**
 * Folders as they were at a point: what first happened to each after it tells whether it was there, and with which permissions. One that is in both lists
 * is to get others than it had last.
 */
export function foldersBefore(calls: readonly Call[], restores: readonly Folders[]): Pick<Selection, 'emptied' | 'made'> {
  const events = [...calls.map(call => ({ seq: call.seq, made: madeBy([call]), removed: call.folders.removed })), ...restores].sort((a, b) => a.seq - b.seq);
  const first = new Map<string, { readonly folder: DirectoryEntry; readonly wasThere: boolean }>();
  const note = (folder: DirectoryEntry, wasThere: boolean): void => void (first.has(folder.path) || first.set(folder.path, { folder, wasThere }));
  const last = new Map<string, number>();
  for (const { made, removed } of events) {
    for (const folder of removed) note(folder, true);
    for (const folder of made) note(folder, false);
    for (const { path } of removed) last.delete(path);
    for (const { path, mode } of made) last.set(path, mode);
  }
  const which = (wasThere: boolean): readonly DirectoryEntry[] => [...first.values()].filter(entry => entry.wasThere === wasThere).map(entry => entry.folder);
  const changed = which(true).flatMap(({ path, mode }) => {
    const left = last.get(path);
    return left === undefined || left === mode ? [] : [{ path, mode: left }];
  });
  return { emptied: [...which(false), ...changed], made: which(true) };
}

/** What a restore did to folders; of one of the whole workspace, a session takes back only what is above its own files. */
export function foldersOf({ seq, intent, done }: Operation, reach: Reach, goals: readonly PathGoal[]): Folders {
  const { made = [], removed = [] } = done ?? {};
  if (isWithin(reach, reachOf(intent).session)) return { seq, made, removed };
  const isAbove = ({ path }: DirectoryEntry): boolean => goals.some(goal => goal.path.startsWith(`${path}/`));
  return { seq, made: made.filter(isAbove), removed: removed.filter(isAbove) };
}
