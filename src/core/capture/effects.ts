import type { FolderChange, TreeChange, Uncovered } from '../snapshot/scanTree.ts';
import { sameState } from '../snapshot/state.ts';
import type { Call, DirectoryEntry, FolderWork, Snapshot, Timeline } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';

type Effect = RecordOf<'effects'>['paths'][number];

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

/** The folders that declared calls and restores have brought since the last look, at `lookedAt`, or may be bringing, and those that restores took away: their records say so. */
function foldersRecorded({ calls, operations, changes }: Timeline, lookedAt: number): ReadonlySet<string> {
  const since = ({ path }: Snapshot, { id, outcome }: Call): boolean => outcome === 'open' || (changes.get(path) ?? []).some(({ seq, by }) => seq > lookedAt && by.kind === 'call' && by.call === id);
  const declared = [...calls.values()].filter(({ undeclared }) => !undeclared).flatMap(call => [...call.snapshots.values()].filter(snapshot => snapshot.missing.length > 0 && since(snapshot, call)).flatMap(({ missing }) => missing));
  const restored = [...operations.values()].flatMap(({ seq, intent, done }) => {
    if (done === undefined) return [...intent.emptied.map(({ path }) => path), ...intent.made.map(({ path }) => path), ...(intent.above ?? [])];
    // Somebody may have looked between its intent and its end.
    const isSince = seq > lookedAt || done.paths.some(({ path }) => (changes.get(path)?.at(-1)?.seq ?? 0) > lookedAt);
    return isSince ? [...done.removed, ...done.made].map(({ path }) => path) : [];
  });
  return new Set([...declared, ...restored]);
}

/** What of the folders that came, went or got other permissions since the last look nobody has recorded. */
export function unrecordedFolders(changes: readonly FolderChange[], timeline: Timeline, lookedAt: number): FolderWork {
  const recorded = changes.length === 0 ? new Set() : foldersRecorded(timeline, lookedAt);
  const own = changes.filter(({ path }) => path !== '' && !recorded.has(path)).toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const which = (side: 'before' | 'after'): readonly DirectoryEntry[] => own.flatMap(({ path, [side]: mode }) => (mode === undefined ? [] : [{ path, mode }]));
  return { made: which('after'), removed: which('before') };
}

/** What changed about the root itself, which nobody brings back. */
export function rootChanges(changes: readonly FolderChange[]): readonly Uncovered[] {
  const octal = (mode = 0): string => mode.toString(8).padStart(4, '0');
  return changes.filter(({ path }) => path === '').map(({ path, before, after }) => ({ path, reason: `the permissions of the folder itself became ${octal(after)}, were ${octal(before)}, and stay` }));
}
