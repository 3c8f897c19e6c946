import { TurnstoneError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { State } from '../snapshot/state.ts';
import type { Timeline } from '../timeline/model.ts';
import type { RootIdentity } from '../timeline/rootRegistry.ts';
import type { DonePath } from './apply.ts';
import { callOff, execute } from './execute.ts';
import type { Look } from './goals.ts';
import { draftIntent, isDone, writingItems, type Draft } from './intent.ts';
import { makePlan, type Decide, type Plan, type PlanContext } from './plan.ts';
import { isOutdated, recoverAll, recoverEverywhere, waitingEverywhere, type Ended, type Found } from './recover.ts';
import { recoveredSentences, together, waitingSentences } from './recovered.ts';
import type { Selection } from './selection.ts';
import { observationOf } from './sight.ts';

/** Picks what to undo from the timeline as it is at that moment. */
export type Select = (timeline: Timeline, look: Look) => Selection;

/** What a restore is to do in one folder. */
export interface Errand {
  readonly context: PlanContext;
  readonly select: Select;
}

/** What it did there, or would do. */
export interface Part {
  readonly context: PlanContext;
  readonly plan: Plan;
  readonly done: readonly DonePath[];
}

/** How a restore over one or several folders ended, or what it would do. `planned`: it was only asked for, or not agreed to. */
export type WholeResult =
  | { readonly kind: 'blocked' | 'planned' | 'already'; readonly parts: readonly Part[] }
  | { readonly kind: 'applied'; readonly parts: readonly Part[]; readonly operation: string };

/** How a restore in one folder ended, or what it would do. */
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
  /** Sees the plan that is about to be carried out, after all looking; where it returns false, nothing is written. */
  readonly agrees?: (parts: readonly Part[]) => boolean;
  /** Called after each written path, for progress. */
  readonly onPath?: (path: string) => void;
}

const planAttempts = 5;

function lookThrough(context: PlanContext): Look {
  const look = (path: string): State => observationOf(context, path).state;
  return Object.assign(look, { isRunning: (call: string) => context.running?.has(call) === true });
}

function isFolderOf({ files }: PlanContext, { path, identity }: RootIdentity): boolean {
  try {
    return files.stat(path)?.identity === identity;
  } catch {
    return false;
  }
}

function plan({ context, select }: Errand, decide: Decide): Part {
  context.store.refresh();
  const { identity } = context.store;
  const warnings = isFolderOf(context, identity) ? [] : ['This is not the folder that was recorded, but another one at the same path.'];
  return { context, plan: makePlan(context, select(context.store.timeline, lookThrough(context)), decide, warnings), done: [] };
}

/** What concerns all folders is told with the first. */
function withWarnings([first, ...others]: readonly Part[], warnings: readonly string[]): readonly Part[] {
  return first === undefined ? [] : [{ ...first, plan: { ...first.plan, warnings: [...first.plan.warnings, ...warnings] } }, ...others];
}

async function planDry(errands: readonly Errand[], decide: Decide): Promise<WholeResult> {
  const waiting = await waitingEverywhere(errands.map(({ context }) => context));
  const parts = withWarnings(errands.map(errand => plan(errand, decide)), waitingSentences(waiting));
  return { kind: parts.some(part => part.plan.blocked) ? 'blocked' : 'planned', parts };
}

/** Holds the restore locks of all folders, always in the same order, so that two restores never wait for each other. */
function holding<T>(errands: readonly Errand[], work: () => Promise<T>): Promise<T> {
  const stores = [...new Map(errands.map(({ context: { store } }) => [store.identity.key, store])).entries()].sort(([a], [b]) => (a < b ? 1 : -1));
  return stores.reduce<() => Promise<T>>((inner, [, store]) => () => store.restoring(inner), work)();
}

interface Drafted {
  readonly part: Part;
  readonly draft: Draft;
}

/** Draws up all intents, also in folders where nothing is left to write: what the restore is called is known in each. Undefined where the world has moved since the plans were made. */
async function draftAll(parts: readonly Part[], operation: string): Promise<readonly Drafted[] | undefined> {
  const named = parts.map(({ context: { store } }) => ({ key: store.identity.key, store: store.identity.store }));
  const drafted: Drafted[] = [];
  for (const part of parts) {
    const draft = await draftIntent(part.context, operation, part.plan, named.length > 1 ? named : undefined);
    if (draft === undefined) return undefined;
    drafted.push({ part, draft });
  }
  return drafted;
}

/** Makes the intents durable, one store after the other. False, and none of them in force, where one history has grown meanwhile. */
async function commitAll(drafted: readonly Drafted[]): Promise<boolean> {
  const written: Drafted[] = [];
  try {
    for (const one of drafted) {
      const { part, draft } = one;
      if (!(await part.context.store.commit(draft.contents, draft.records, part.plan.seq))) break;
      written.push(one);
    }
    return written.length === drafted.length;
  } finally {
    // An intent that did not reach every folder is called off where it did: nothing has been written yet.
    if (written.length < drafted.length) for (const { part, draft } of written) await callOff(part.context, draft.intent);
  }
}

async function carryOut(drafted: readonly Drafted[], onPath: RestoreOptions['onPath']): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const errors: unknown[] = [];
  for (const { part, draft } of drafted) {
    const throughEditor = new Set(writingItems(part.plan).filter(item => item.throughEditor).map(({ path }) => path));
    try {
      const done = await execute(part.context, draft.intent, { operation: draft.intent.operation, recovering: false, throughEditor }, onPath);
      parts.push({ ...part, done });
    } catch (error) {
      // What goes wrong in one folder must not keep the others from being done.
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return parts;
}

/** Stops what this process runs and the restore takes back; what it has left is planned anew. False where nothing runs. */
async function stopCalls(parts: readonly Part[]): Promise<boolean> {
  let isStopped = false;
  for (const { context, plan: { selection } } of parts) {
    const calls = selection.openCalls.map(({ id }) => id);
    if ((await context.running?.stop(calls, new Error(`Cancelled by a ${selection.kind}.`))) === true) isStopped = true;
  }
  return isStopped;
}

const moving = 'The files kept changing while the restore was being prepared. Nothing was written. Try again when the agent is idle.';

/** Plans and carries out; the caller holds the locks of all folders. */
async function restoreLocked(errands: readonly Errand[], options: RestoreOptions): Promise<WholeResult> {
  for (let attempt = 1; attempt <= planAttempts; attempt += 1) {
    const parts = errands.map(errand => plan(errand, options.decide));
    if (parts.some(part => part.plan.blocked)) return { kind: 'blocked', parts };
    if (parts.every(part => isDone(part.context, part.plan))) return { kind: 'already', parts };
    if (options.agrees?.(parts) === false) return { kind: 'planned', parts };
    if (await stopCalls(parts)) continue;
    const drafted = await draftAll(parts, randomId('operation'));
    if (drafted === undefined || !(await commitAll(drafted))) continue;
    const applied = await carryOut(drafted, options.onPath);
    const operation = (drafted[0] as Drafted).draft.intent.operation;
    return { kind: 'applied', parts: parts.map(part => applied.find(({ context }) => context === part.context) ?? part), operation };
  }
  throw new TurnstoneError('busy', moving);
}

/**
 * The one machine behind every restore: plan, guard, safety copies, intent, apply, verify, done.
 *
 * Nothing in a workspace is written before the safety copies and the intents are durable in the stores of all folders that it
 * writes in; after that a crash is finished by `recoverAll`. A conflict in one folder stops it in all, and is a returned value.
 * Throws `notFound`, `busy`, `readOnly` or `damaged`, each before anything of it was written. `ended` is what was ended of others before it.
 */
export async function restoreEverywhere(errands: readonly Errand[], options: RestoreOptions, ended?: Found<Ended>): Promise<WholeResult> {
  if (options.dryRun) return planDry(errands, options.decide);
  const contexts = errands.map(({ context }) => context);
  let all = ended ?? { operations: [], closed: [], looked: new Map() };
  for (let attempt = 1; attempt <= planAttempts; attempt += 1) {
    const found = await recoverEverywhere(contexts);
    all = together(all, found);
    const result = await holding(errands, async () => {
      for (const context of contexts) all = { ...all, operations: [...all.operations, ...(await recoverAll(context))] };
      // Whoever held these locks may have been killed between two folders: the other one has to be finished first, and by nobody who holds a lock.
      return isOutdated(found, contexts) ? undefined : restoreLocked(errands, options);
    });
    if (result !== undefined) return { ...result, parts: withWarnings(result.parts, recoveredSentences(all)) };
  }
  throw new TurnstoneError('busy', moving);
}

/** A restore in one folder. */
export async function restore(context: PlanContext, select: Select, options: RestoreOptions): Promise<RestoreResult> {
  const result = await restoreEverywhere([{ context, select }], options);
  const [part] = result.parts as readonly [Part];
  return result.kind === 'applied' ? { kind: 'applied', plan: part.plan, operation: result.operation, done: part.done } : { kind: result.kind, plan: part.plan };
}
