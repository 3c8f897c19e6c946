import { TurnstoneError } from '../base/errors.ts';
import type { Reach } from '../timeline/activity.ts';
import { effectiveChanges } from '../timeline/chain.ts';
import type { Call, Change, DirectoryEntry, Operation, Timeline } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import { foldersBefore } from './foldersBefore.ts';
import { goalOf, withDisk, withOpenCall, type Look, type PathGoal } from './goals.ts';
import { inForceIn, restOf } from './rest.ts';

/** Everything a restore would undo, path by path; nothing of it looks at the disk but open calls' files. */
export interface Selection {
  readonly kind: RecordOf<'restore.intent'>['kind'];
  readonly target: string;
  readonly scope: RecordOf<'restore.intent'>['scope'];
  readonly reach: Reach;
  readonly fromSeq: number;
  readonly calls: readonly string[] | undefined;
  readonly goals: readonly PathGoal[];
  /** Calls in reach that never ended: the restore closes them with what is on the disk. */
  readonly openCalls: readonly Call[];
  /** Recorded paths whose content on the disk no record has seen yet: it is recorded before the restore. */
  readonly drifted: readonly string[];
  /** Folders that what is undone had brought, or had removed; one that is in both is to have the permissions of `made`, where it has those of `emptied`. */
  readonly emptied: readonly DirectoryEntry[];
  readonly made: readonly DirectoryEntry[];
  /** Whether anything in reach is still in force: if not, and no file differs, there is nothing to record. */
  readonly moves: boolean;
  /** Things worth knowing about it that stop nothing. */
  readonly notes?: readonly string[];
}

/** What a restore could not do, by path; and, with `decided`, what it was told to leave. */
export function leftBy({ intent, done }: Operation, decided = false): ReadonlySet<string> {
  const failed = (done?.paths ?? []).filter(({ outcome }) => outcome !== 'done');
  const left = intent.left.filter(({ action }) => action === 'unavailable' || (decided && action === 'conflict'));
  return new Set([...failed, ...left].map(({ path }) => path));
}

export function callsIn(timeline: Timeline, which: (call: Call) => boolean): readonly Call[] {
  return [...timeline.calls.values()].filter(which);
}

/** Roll back single calls, or one path of them; what came later stays. */
export function selectRollback(timeline: Timeline, target: string, path: string | undefined, look: Look): Selection {
  const turn = timeline.turns.get(target);
  const call = timeline.calls.get(target);
  if (turn === undefined && call === undefined) throw new TurnstoneError('notFound', `There is no turn or call ${target}. Nothing was touched.`);
  const calls = turn === undefined ? [call as Call] : callsIn(timeline, candidate => candidate.turn === turn.id);
  const session = (turn ?? (call as Call)).session;
  const ids = new Set(calls.map(candidate => candidate.id));
  const paths = [...new Set(calls.flatMap(candidate => [...candidate.snapshots.keys()]))].filter(candidate => path === undefined || candidate === path);
  if (path !== undefined && paths.length === 0) throw new TurnstoneError('notFound', `${target} has no file ${path}. Nothing was touched.`);
  const openCalls = calls.filter(candidate => candidate.outcome === 'open' && paths.some(of => candidate.snapshots.has(of)));
  const isInForce = inForceIn(timeline);
  const goals = paths.flatMap(of => {
    const isChosen = ({ by }: Change): boolean => by.kind === 'call' && ids.has(by.call);
    const [choice, recorded] = [{ isChosen, isOwn: isChosen }, effectiveChanges(timeline, of)];
    const goal = goalOf(of, withOpenCall(timeline, of, recorded, openCalls, look), choice, { session }, timeline);
    return goal ?? restOf(timeline, of, () => withDisk(timeline, of, recorded, openCalls, look), choice, isInForce, { session }) ?? [];
  });
  const undone = calls.filter(candidate => paths.some(of => candidate.snapshots.has(of)) || (path === undefined && candidate.folders.made.length + candidate.folders.removed.length > 0));
  const folders = foldersBefore(undone, []);
  const isMeant = (folder: DirectoryEntry): boolean => path === undefined || path.startsWith(`${folder.path}/`);
  return { kind: 'rollback', target, scope: 'code', reach: { session }, fromSeq: (turn ?? (call as Call)).seq, calls: undone.map(({ id }) => id), goals, openCalls, drifted: [], emptied: folders.emptied.filter(isMeant), made: folders.made.filter(isMeant), moves: goals.some(({ stays }) => stays === undefined) };
}
