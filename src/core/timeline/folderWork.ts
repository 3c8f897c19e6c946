import { parentsOf } from '../snapshot/paths.ts';
import type { DirectoryEntry, FolderWork } from './model.ts';

/** The permissions that a folder had, and has; undefined where there was, or is, none. */
interface FolderChange {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export function modesOf(folders: readonly DirectoryEntry[]): ReadonlyMap<string, number> {
  return new Map(folders.map(({ path, mode }) => [path, mode]));
}

function changesIn({ made, removed }: FolderWork): ReadonlyMap<string, FolderChange> {
  const [before, after] = [modesOf(removed), modesOf(made)];
  return new Map([...new Set([...before.keys(), ...after.keys()])].map(path => [path, { before: before.get(path), after: after.get(path) }]));
}

/** What two works, one after the other, come to: a folder that is as it was is none of it. */
export function bothWorks(earlier: FolderWork, later: FolderWork): FolderWork {
  const changes = new Map(changesIn(earlier));
  for (const [path, { before, after }] of changesIn(later)) {
    const first = changes.get(path);
    changes.set(path, { before: first === undefined ? before : first.before, after });
  }
  const which = (side: keyof FolderChange): readonly DirectoryEntry[] =>
    [...changes].flatMap(([path, change]) => {
      const mode = change[side];
      return mode === undefined || change.before === change.after ? [] : [{ path, mode }];
    });
  return { made: which('after'), removed: which('before') };
}

/** The folders of a work that hold none of these paths, and those of which only the permissions are others. */
export function foldersBeside(work: FolderWork, paths: readonly string[]): readonly string[] {
  const above = new Set(paths.flatMap(parentsOf));
  return [...changesIn(work)].filter(([path, { before, after }]) => !above.has(path) || (before !== undefined && after !== undefined)).map(([path]) => path);
}
