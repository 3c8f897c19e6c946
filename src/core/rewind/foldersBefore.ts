import { isWithin, reachOf, type Reach } from '../timeline/activity.ts';
import type { Call, DirectoryEntry, Operation } from '../timeline/model.ts';
import type { PathGoal } from './goals.ts';
import { madeBy, type Selection } from './selection.ts';

/** The folders that something brought and removed. */
interface Folders {
  readonly seq: number;
  readonly made: readonly DirectoryEntry[];
  readonly removed: readonly DirectoryEntry[];
}

/** Folders as they were at a point: what first happened to each after it tells whether it was there. */
export function foldersBefore(calls: readonly Call[], restores: readonly Folders[]): Pick<Selection, 'emptied' | 'made'> {
  const events = [...calls.map(call => ({ seq: call.seq, made: madeBy([call]), removed: [] })), ...restores].sort((a, b) => a.seq - b.seq);
  const first = new Map<string, { readonly folder: DirectoryEntry; readonly wasThere: boolean }>();
  const note = (folder: DirectoryEntry, wasThere: boolean): void => void (first.has(folder.path) || first.set(folder.path, { folder, wasThere }));
  for (const { made, removed } of events) {
    for (const folder of made) note(folder, false);
    for (const folder of removed) note(folder, true);
  }
  const which = (wasThere: boolean): readonly DirectoryEntry[] => [...first.values()].filter(entry => entry.wasThere === wasThere).map(entry => entry.folder);
  return { emptied: which(false), made: which(true) };
}

/** What a restore did to folders; of one of the whole workspace, a session takes back only what is above its own files. */
export function foldersOf({ seq, intent, done }: Operation, reach: Reach, goals: readonly PathGoal[]): Folders {
  const { made = [], removed = [] } = done ?? {};
  if (isWithin(reach, reachOf(intent).session)) return { seq, made, removed };
  const isAbove = ({ path }: DirectoryEntry): boolean => goals.some(goal => goal.path.startsWith(`${path}/`));
  return { seq, made: made.filter(isAbove), removed: removed.filter(isAbove) };
}
