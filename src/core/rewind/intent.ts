import { sha256 } from '../base/digest.ts';
import { currentProcess } from '../base/processes.ts';
import type { Observation } from '../snapshot/observe.ts';
import { liveTarget, parentsOf } from '../snapshot/paths.ts';
import { sameContent, sameState, type State } from '../snapshot/state.ts';
import { modesOf } from '../timeline/folderWork.ts';
import { closeByDisk } from '../timeline/interrupted.ts';
import type { DirectoryEntry } from '../timeline/model.ts';
import type { JournalRecord, RecordOf } from '../timeline/records.ts';
import { isEmptyFolder } from './folders.ts';
import { foldersInTheWay, groundOf } from './inTheWay.ts';
import type { Plan, PlanContext, PlanItem } from './plan.ts';
import type { Selection } from './selection.ts';
import { asObservation, lookWhole, observationOf, sightOf } from './sight.ts';

type Intent = RecordOf<'restore.intent'>;

const writes: ReadonlySet<PlanItem['action']> = new Set(['restore', 'create', 'delete', 'merge']);

/** The files that a plan writes. */
export function writingItems({ items }: Plan): readonly PlanItem[] {
  return items.filter(({ action }) => writes.has(action));
}

/** What has to be durable before the first file is written. */
export interface Draft {
  readonly contents: ReadonlyMap<string, Uint8Array>;
  /** The intent, and before it what the disk tells that no record has seen. */
  readonly records: readonly JournalRecord[];
  readonly intent: Intent;
}

interface SafetyCopies {
  readonly contents: ReadonlyMap<string, Uint8Array>;
  /** By path, the hash of the text that an editor holds unsaved and that goes. */
  readonly unsaved: ReadonlyMap<string, string>;
}

/** Safety copies of all that is about to be overwritten, and the bytes to write that are not stored yet. */
async function safetyCopies(context: PlanContext, items: readonly PlanItem[]): Promise<SafetyCopies | undefined> {
  const contents = new Map<string, Uint8Array>();
  const unsaved = new Map<string, string>();
  for (const { path, before, after, merged, throughEditor } of items) {
    const sight = sightOf(context, path);
    // The world moved between the plan and now: the plan is made anew.
    if (sight.kind === 'refused' || !sameState(sight.now, before)) return undefined;
    if (sight.now.kind === 'content' && sight.bytes !== undefined) contents.set(sight.now.hash, sight.bytes);
    if (merged !== undefined && after.kind === 'content') contents.set(after.hash, merged);
    if (!throughEditor) continue;
    const text = await context.workspace.unsavedBytes(sight.absolute);
    // It was saved or closed just now: what it held is judged anew.
    if (text === undefined) return undefined;
    const hash = sha256(text);
    contents.set(hash, text);
    unsaved.set(path, hash);
  }
  return { contents, unsaved };
}

function folderNow(context: PlanContext, path: string): readonly DirectoryEntry[] {
  const live = liveTarget(context.files, context.store.identity.path, path);
  const state = live.kind === 'target' ? lookWhole(context.files, live.absolute).state : undefined;
  return state?.kind === 'directory' ? [{ path, mode: state.mode }] : [];
}

/** What a restore counts as done because somebody else has made it so: without a record of that, the path's history would end elsewhere than the restore says. */
function foundDone({ store }: PlanContext, { items, selection }: Plan): readonly PlanItem[] {
  const isKnown = ({ path, before }: PlanItem): boolean => {
    const last = store.timeline.paths.get(path);
    return last === undefined || sameContent(last, before) || selection.drifted.includes(path) || selection.openCalls.some(call => call.snapshots.has(path));
  };
  return items.filter(item => item.action === 'unchanged' && !isKnown(item));
}

/** What the disk tells that no record has seen: changes of the user's, and what calls did that never ended. Undefined where it is not any more as the plan saw it. */
function sightings(context: PlanContext, plan: Plan): { readonly records: readonly JournalRecord[]; readonly contents: ReadonlyMap<string, Uint8Array> } | undefined {
  const { openCalls, drifted } = plan.selection;
  const contents = new Map<string, Uint8Array>();
  const keep = ({ state, bytes }: Observation): State => {
    if (state.kind === 'content' && bytes !== undefined) contents.set(state.hash, bytes);
    return state;
  };
  const see = (path: string): State => keep(observationOf(context, path));
  const found = foundDone(context, plan).map(({ path, before }) => ({ path, before, after: keep(asObservation(sightOf(context, path))) }));
  if (!found.every(({ before, after }) => sameState(before, after))) return undefined;
  const seen = [...drifted.map(path => ({ path, after: see(path) })), ...found.map(({ path, after }) => ({ path, after }))];
  const drift: readonly JournalRecord[] = seen.length === 0 ? [] : [{ type: 'drift', paths: seen }];
  const closings = openCalls.map(call => closeByDisk(call, openCalls, see, missing => missing.flatMap(folder => folderNow(context, folder))));
  return { records: [...drift, ...closings], contents };
}

/** What of the folders is to be done as they are now. After a crash the rest is known to be no doing of ours. */
function foldersToDo(context: PlanContext, { emptied, made }: Selection): Pick<Intent, 'emptied' | 'made'> {
  const [goals, left] = [modesOf(made), modesOf(emptied)];
  const there = new Map([...goals.keys(), ...left.keys()].flatMap(path => folderNow(context, path)).map(({ path, mode }) => [path, mode]));
  // Permissions that somebody else has set since stay.
  const isOther = (path: string): boolean => there.has(path) && there.get(path) === left.get(path) && there.get(path) !== goals.get(path);
  return {
    emptied: [...left.keys()].filter(path => there.has(path) && (!goals.has(path) || isOther(path))).map(path => ({ path, mode: there.get(path) as number })),
    made: made.filter(({ path }) => !there.has(path) || isOther(path)),
  };
}

/** With the folders that stand where files are to be: they go, whatever else was to become of them. */
function withCleared({ emptied, made }: Pick<Intent, 'emptied' | 'made'>, { cleared }: Plan): Pick<Intent, 'emptied' | 'made'> {
  const goes = new Set(cleared.map(({ path }) => path));
  return { emptied: [...emptied.filter(({ path }) => !goes.has(path)), ...cleared], made: made.filter(({ path }) => !goes.has(path)) };
}

/** Whether nothing but folders is at a path and above it. */
function isFree(context: PlanContext, path: string): boolean {
  return [...parentsOf(path), path].every(one => {
    const live = liveTarget(context.files, context.store.identity.path, one);
    const kind = live.kind === 'target' ? lookWhole(context.files, live.absolute).state.kind : undefined;
    return kind === 'directory' || kind === 'absent';
  });
}

/** Whether a folder that has to go is there and empty, or one that has to be there is not: it may have been left when the rest was done. */
function hasFolders(context: PlanContext, selection: Selection): boolean {
  const { emptied, made } = foldersToDo(context, selection);
  const goals = modesOf(made);
  return made.some(({ path }) => isFree(context, path)) || emptied.some(({ path }) => !goals.has(path) && isEmptyFolder(context, path));
}

/** Whether there is nothing to write, and no head to move. */
export function isDone(context: PlanContext, plan: Plan): boolean {
  return writingItems(plan).length === 0 && !plan.selection.moves && !hasFolders(context, plan.selection);
}

/** The folders above files to bring that are missing, and that no record knows. */
function missingAbove(context: PlanContext, plan: Plan): readonly string[] {
  const known = new Set(plan.selection.made.map(({ path }) => path));
  const brought = [...writingItems(plan).filter(({ after }) => after.kind !== 'absent'), ...plan.selection.made];
  const needed = new Set(brought.flatMap(({ path }) => parentsOf(path)));
  return [...needed].filter(path => !known.has(path) && folderNow(context, path).length === 0);
}

function intentOf(context: PlanContext, operation: string, plan: Plan, unsaved: ReadonlyMap<string, string>, roots: Intent['roots']): Intent {
  const { kind, scope, target, fromSeq, calls, reach } = plan.selection;
  const { session } = reach;
  const above = missingAbove(context, plan);
  const folders = withCleared(foldersToDo(context, plan.selection), plan);
  return {
    type: 'restore.intent',
    operation,
    kind,
    scope,
    reach: session === undefined ? 'workspace' : 'session',
    target,
    fromSeq,
    owner: currentProcess(context.files),
    ...(session === undefined ? {} : { session }),
    ...(calls === undefined ? {} : { calls: [...calls] }),
    ...(roots === undefined ? {} : { roots }),
    paths: writingItems(plan).map(({ path, action, before, after, inPlace }) => {
      const text = unsaved.get(path);
      return { path, action: action as 'restore', before, after, ...(inPlace ? { inPlace } : {}), ...(text === undefined ? {} : { unsaved: text }) };
    }),
    left: plan.items
      .filter(({ action }) => !writes.has(action))
      .map(({ path, action, reason }) => ({ path, action: action as 'unchanged', ...(reason === undefined ? {} : { reason }) })),
    ...folders,
    ...(above.length === 0 ? {} : { above: [...above] }),
  };
}

/** Whether nothing has come into the folders that files are to take the place of. */
function isStillCleared(context: PlanContext, { items, selection, cleared }: Plan): boolean {
  const folders = foldersInTheWay(context, items, groundOf(items, selection));
  return folders !== undefined && folders.length === cleared.length && folders.every(({ path }, index) => path === cleared[index]?.path);
}

/** Draws up an intent; undefined where the disk is not any more as the plan saw it. */
export async function draftIntent(context: PlanContext, operation: string, plan: Plan, roots: Intent['roots']): Promise<Draft | undefined> {
  const copies = await safetyCopies(context, writingItems(plan));
  if (copies === undefined || !isStillCleared(context, plan)) return undefined;
  const seen = sightings(context, plan);
  if (seen === undefined) return undefined;
  const intent = intentOf(context, operation, plan, copies.unsaved, roots);
  return { contents: new Map([...copies.contents, ...seen.contents]), records: [...seen.records, intent], intent };
}
