import { TurnstoneError } from '../base/errors.ts';
import { sha256 } from '../base/digest.ts';
import { randomId } from '../base/ids.ts';
import { currentProcess } from '../base/processes.ts';
import { liveTarget } from '../snapshot/paths.ts';
import { sameState, type State } from '../snapshot/state.ts';
import { interruptedClose } from '../timeline/interrupted.ts';
import type { DirectoryEntry, Timeline } from '../timeline/model.ts';
import type { JournalRecord, RecordOf } from '../timeline/records.ts';
import type { RootIdentity } from '../timeline/rootRegistry.ts';
import type { DonePath } from './apply.ts';
import { execute } from './execute.ts';
import { lookWhole, makePlan, type Decide, type Plan, type PlanContext, type PlanItem } from './plan.ts';
import { isEmptyFolder } from './folders.ts';
import { recoverAll, waitingToFinish } from './recover.ts';
import type { Look } from './goals.ts';
import type { Selection } from './selection.ts';

/** How a restore ended, or what it would do. */
export type RestoreResult =
  /** Nothing was written: conflicts have to be decided first. */
  | { readonly kind: 'blocked'; readonly plan: Plan }
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** There was nothing to do, and nothing was recorded. */
  | { readonly kind: 'already'; readonly plan: Plan }
  | { readonly kind: 'applied'; readonly plan: Plan; readonly operation: string; readonly done: readonly DonePath[] };

export interface RestoreOptions {
  readonly decide: Decide;
  readonly dryRun: boolean;
  /** Called after each written path, for progress. */
  readonly onPath?: (path: string) => void;
}

const writes: ReadonlySet<PlanItem['action']> = new Set(['restore', 'create', 'delete', 'merge']);
const planAttempts = 5;

/** Picks what to undo from the timeline as it is at that moment. */
export type Select = (timeline: Timeline, look: Look) => Selection;

function lookThrough(context: PlanContext): Look {
  return path => {
    const live = liveTarget(context.files, context.store.identity.path, path);
    return live.kind === 'refused' ? { kind: 'unreadable', reason: live.reason } : lookWhole(context.files, live.absolute).state;
  };
}

function isFolderOf({ files }: PlanContext, { path, identity }: RootIdentity): boolean {
  try {
    return files.stat(path)?.identity === identity;
  } catch {
    return false;
  }
}

function plan(context: PlanContext, select: Select, decide: Decide): Plan {
  context.store.refresh();
  const { identity } = context.store;
  const warnings = isFolderOf(context, identity) ? [] : ['This is not the folder that was recorded, but another one at the same path.'];
  return makePlan(context, select(context.store.timeline, lookThrough(context)), decide, warnings);
}

interface SafetyCopies {
  readonly contents: Map<string, Uint8Array>;
  /** By path, the hash of the text that an editor holds unsaved and that goes. */
  readonly unsaved: Map<string, string>;
}

/** Safety copies of all that is about to be overwritten, and the bytes to write that are not stored yet. */
async function safetyCopies(context: PlanContext, items: readonly PlanItem[]): Promise<SafetyCopies | undefined> {
  const contents = new Map<string, Uint8Array>();
  const unsaved = new Map<string, string>();
  for (const { path, before, after, merged, throughEditor } of items) {
    const live = liveTarget(context.files, context.store.identity.path, path);
    if (live.kind === 'refused') return undefined;
    const now = lookWhole(context.files, live.absolute);
    // The world moved between the plan and now: the plan is made anew.
    if (!sameState(now.state, before)) return undefined;
    if (now.state.kind === 'content' && now.bytes !== undefined) contents.set(now.state.hash, now.bytes);
    if (merged !== undefined && after.kind === 'content') contents.set(after.hash, merged);
    if (!throughEditor) continue;
    const text = await context.workspace.unsavedBytes(live.absolute);
    // It was saved or closed just now: what it held is judged anew.
    if (text === undefined) return undefined;
    const hash = sha256(text);
    contents.set(hash, text);
    unsaved.set(path, hash);
  }
  return { contents, unsaved };
}

function madeFolder(context: PlanContext, path: string): readonly DirectoryEntry[] {
  const live = liveTarget(context.files, context.store.identity.path, path);
  const state = live.kind === 'target' ? lookWhole(context.files, live.absolute).state : undefined;
  return state?.kind === 'directory' ? [{ path, mode: state.mode }] : [];
}

/** What the disk tells that no record has seen: changes of the user's, and what calls did that never ended. Recorded together with the intent. */
function sightings(context: PlanContext, { openCalls, drifted }: Selection): { records: JournalRecord[]; contents: Map<string, Uint8Array> } {
  const contents = new Map<string, Uint8Array>();
  const see = (path: string): State => {
    const live = liveTarget(context.files, context.store.identity.path, path);
    if (live.kind === 'refused') return { kind: 'unreadable', reason: 'it is not in the root any more' };
    const { state, bytes } = lookWhole(context.files, live.absolute);
    if (state.kind === 'content' && bytes !== undefined) contents.set(state.hash, bytes);
    return state;
  };
  const drift: readonly JournalRecord[] = drifted.length === 0 ? [] : [{ type: 'drift', paths: drifted.map(path => ({ path, after: see(path) })) }];
  const closings = openCalls.map(call => interruptedClose(call, see, missing => missing.flatMap(folder => madeFolder(context, folder))));
  return { records: [...drift, ...closings], contents };
}

/** Those of the folders that are there, as they are: after a crash the rest is known to be no doing of ours. */
function foldersNow(context: PlanContext, folders: readonly DirectoryEntry[]): DirectoryEntry[] {
  return folders.flatMap(({ path }) => madeFolder(context, path));
}

/** Whether a folder that has to go is there and empty: it may have been left when the rest was done. */
function hasEmptied(context: PlanContext, selection: Selection): boolean {
  return foldersNow(context, selection.emptied).some(({ path }) => isEmptyFolder(context, path));
}

function intentOf(context: PlanContext, operation: string, made: Plan, unsaved: ReadonlyMap<string, string>): RecordOf<'restore.intent'> {
  const { selection, items } = made;
  const { session } = selection.reach;
  return {
    type: 'restore.intent',
    operation,
    kind: selection.kind,
    scope: selection.scope,
    reach: session === undefined ? 'workspace' : 'session',
    target: selection.target,
    fromSeq: selection.fromSeq,
    owner: currentProcess(context.files),
    ...(session === undefined ? {} : { session }),
    ...(selection.calls === undefined ? {} : { calls: [...selection.calls] }),
    paths: items
      .filter(({ action }) => writes.has(action))
      .map(({ path, action, before, after, inPlace }) => {
        const text = unsaved.get(path);
        return { path, action: action as 'restore', before, after, ...(inPlace ? { inPlace } : {}), ...(text === undefined ? {} : { unsaved: text }) };
      }),
    left: items.filter(({ action }) => !writes.has(action)).map(({ path, action, reason }) => ({ path, action: action as 'unchanged', ...(reason === undefined ? {} : { reason }) })),
    emptied: foldersNow(context, selection.emptied),
    made: selection.made.filter(({ path }) => madeFolder(context, path).length === 0),
  };
}

/**
 * The one machine behind every restore: plan, guard, safety copies, intent, apply, verify, done.
 *
 * Nothing in the workspace is written before the safety copies and the intent are durable; after that a
 * crash is finished by `recoverAll`. Conflicts are a returned value. Throws `notFound`, `busy`, `readOnly`
 * or `damaged`, each before anything was written.
 */
export async function restore(context: PlanContext, select: Select, options: RestoreOptions): Promise<RestoreResult> {
  if (options.dryRun) {
    const seen = plan(context, select, options.decide);
    const unfinished = waitingToFinish(context).length > 0 ? ['A restore that was cut short is finished first. What that does is not in this plan.'] : [];
    const made = { ...seen, warnings: [...seen.warnings, ...unfinished] };
    return made.blocked ? { kind: 'blocked', plan: made } : { kind: 'planned', plan: made };
  }
  return context.store.restoring(async () => {
    await recoverAll(context);
    for (let attempt = 1; attempt <= planAttempts; attempt += 1) {
      const made = plan(context, select, options.decide);
      if (made.blocked) return { kind: 'blocked', plan: made };
      const writing = made.items.filter(({ action }) => writes.has(action));
      if (writing.length === 0 && !made.selection.moves && !hasEmptied(context, made.selection)) return { kind: 'already', plan: made };
      const copies = await safetyCopies(context, writing);
      if (copies === undefined) continue;
      const seen = sightings(context, made.selection);
      const intent = intentOf(context, randomId('operation'), made, copies.unsaved);
      const committed = await context.store.commit(new Map([...copies.contents, ...seen.contents]), [...seen.records, intent], made.seq);
      if (!committed) continue;
      const throughEditor = new Set(writing.filter(item => item.throughEditor).map(({ path }) => path));
      const done = await execute(context, intent, { operation: intent.operation, recovering: false, throughEditor }, options.onPath);
      return { kind: 'applied', plan: made, operation: intent.operation, done };
    }
    throw new TurnstoneError('busy', 'The files kept changing while the restore was being prepared. Nothing was written. Try again when the agent is idle.');
  });
}
