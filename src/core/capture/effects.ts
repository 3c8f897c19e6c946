import { dirname } from 'node:path/posix';
import type { TreeChange } from '../snapshot/scanTree.ts';
import { sameState } from '../snapshot/state.ts';
import type { TreeCache } from '../snapshot/treeCache.ts';
import type { Timeline } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';

type Effect = Omit<RecordOf<'effects'>['paths'][number], 'made'>;

/** The paths that calls have declared and not given back: what changes there is theirs, and they say so themselves. */
function declaredPaths(timeline: Timeline): ReadonlySet<string> {
  const open = [...timeline.calls.values()].filter(call => call.outcome === 'open' && !call.undeclared);
  return new Set(open.flatMap(call => [...call.snapshots.keys()]));
}

/** The paths that a restore is writing just now. */
export function pathsBeingRestored(timeline: Timeline): readonly string[] {
  return [...timeline.operations.values()].filter(({ done }) => done === undefined).flatMap(({ intent }) => intent.paths.map(({ path }) => path));
}

/**
 * What of a tree's changes since the last look nobody has recorded. A path whose newest record came after that look, at `lookedAt`, begins
 * with what that record left there, and any other with what the look saw: also where it is again as it was on record before the look, because
 * somebody had changed it in between, and that is what would be lost.
 */
export function unrecorded(changes: readonly TreeChange[], timeline: Timeline, lookedAt: number): readonly Effect[] {
  const claimed = new Set([...declaredPaths(timeline), ...pathsBeingRestored(timeline)]);
  return changes.flatMap(({ path, before: seen, after }) => {
    const recordedAt = timeline.changes.get(path)?.at(-1)?.seq ?? 0;
    const before = recordedAt > lookedAt ? (timeline.paths.get(path) ?? seen) : seen;
    return claimed.has(path) || sameState(before, after) ? [] : [{ path, before, after }];
  });
}

/** The folders above a path in which the last look had seen nothing, outermost first. */
export function newFolders(path: string, known: ReadonlySet<string>): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.' && !known.has(folder); folder = dirname(folder)) folders.unshift(folder);
  return folders;
}

/** All folders that hold something that a look knows. */
export function foldersIn({ entries, unknown }: TreeCache): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of [...entries.keys(), ...unknown]) {
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  for (const path of unknown) folders.add(path);
  return folders;
}
