import { messageOf, systemCode, TurnstoneError } from '../base/errors.ts';
import { isGone, isThisProcess } from '../base/processes.ts';
import { liveTarget } from '../snapshot/paths.ts';
import { sameState } from '../snapshot/state.ts';
import type { Operation } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import { discard, temporaryName } from './writeState.ts';
import type { PlanContext } from './plan.ts';
import { sightOf } from './sight.ts';
import { callOff, execute } from './execute.ts';

type NamedRoot = NonNullable<RecordOf<'restore.intent'>['roots']>[number];

/** A restore that a crash cut short, and what was done to end it in one folder. */
export interface Ended extends Operation {
  /** It had not reached every folder: nothing was written for it, and nothing is. */
  readonly isCalledOff: boolean;
  /** How many files were written only now, and how many could not be or are not as they were planned any more. */
  readonly written: number;
  readonly left: number;
}

/** What was found of restores that a crash cut short, in folders and in those that they name. */
export interface Found<T extends Operation> {
  readonly operations: readonly T[];
  /** Where one could not be finished, or where that can't be told: a sentence for each. */
  readonly closed: readonly string[];
  /** By folder that was asked for, what `newestShared` was then. */
  readonly looked: ReadonlyMap<string, string | undefined>;
}

/** Whether this process may finish an intent: its owner is gone, or it is this process itself. */
function isOurs(context: PlanContext, { intent }: Operation): boolean {
  return isThisProcess(context.files, intent.owner) || isGone(context.files, intent.owner);
}

/** Restores that a crash cut short and that this process would finish first. */
export function waitingToFinish(context: PlanContext): readonly Operation[] {
  return [...context.store.timeline.operations.values()].filter(operation => operation.done === undefined && isOurs(context, operation));
}

function removeTemporary({ files, store }: PlanContext, operation: string, path: string): void {
  const live = liveTarget(files, store.identity.path, path);
  if (live.kind === 'target') discard(files, temporaryName(operation, live.absolute));
}

/** The other folders that a restore wrote in. */
function sistersOf({ store }: PlanContext, { intent }: Operation): readonly NamedRoot[] {
  return (intent.roots ?? []).filter(({ key }) => key !== store.identity.key);
}

/**
 * The restore over several folders that has ended here last. Others may have been left behind with it: a crash can come between two folders. None but the
 * last has to be looked at, because none begins before the one before it was.
 */
export function newestShared({ store }: PlanContext): Operation | undefined {
  const shared = [...store.timeline.operations.values()].filter(({ intent, done }) => intent.roots !== undefined && done !== undefined);
  return shared.reduce<Operation | undefined>((newest, one) => (newest === undefined || one.seq > newest.seq ? one : newest), undefined);
}

/** What keeps a folder from being looked into, or written, in a sentence. */
function refusalOf(error: unknown): string {
  if (!TurnstoneError.is(error) && systemCode(error) === undefined) throw error;
  return messageOf(error);
}

/** The same for another folder that a restore names: undefined where its history is gone, and a sentence where it can't be told whose it is. */
function sisterAt({ sister }: PlanContext, root: NamedRoot): PlanContext | string | undefined {
  try {
    return sister?.(root);
  } catch (error) {
    return refusalOf(error);
  }
}

/**
 * Whether an intent reached every folder that it names. Its owner is gone, so the answer stays the same for whoever asks.
 * A folder whose history is gone has no say. Undefined where a history can't be read: then nobody can tell.
 */
function isComplete(context: PlanContext, operation: Operation, settles: boolean): boolean | undefined {
  let complete: boolean | undefined = true;
  for (const root of sistersOf(context, operation)) {
    const sister = sisterAt(context, root);
    if (sister === undefined) continue;
    if (typeof sister === 'string') {
      complete = undefined;
      continue;
    }
    sister.store.refresh();
    const same = sister.store.timeline.operations.get(operation.id);
    if (same?.done?.cancelled === true) return false;
    if (same === undefined && sister.store.damage === undefined) return false;
    if (same === undefined) complete = undefined;
    else if (settles) sister.store.settle();
  }
  return complete;
}

function mustBeSound({ store }: PlanContext): void {
  // What can't be believed as a whole is not acted upon in parts.
  if (store.damage !== undefined) throw new TurnstoneError('damaged', store.damage);
}

/** The paths that hold already what a restore was to leave there. */
function pathsDone(context: PlanContext, { intent }: Operation): ReadonlySet<string> {
  const isThere = ({ path, after }: Operation['intent']['paths'][number]): boolean => {
    const sight = sightOf(context, path);
    return sight.kind === 'seen' && sameState(sight.now, after);
  };
  return new Set(intent.paths.filter(isThere).map(({ path }) => path));
}

async function end(context: PlanContext, operation: Operation, complete: boolean): Promise<Ended> {
  const { intent } = operation;
  for (const { path } of intent.paths) removeTemporary(context, intent.operation, path);
  if (!complete) {
    await callOff(context, intent);
    return { ...operation, isCalledOff: true, written: 0, left: 0 };
  }
  const before = pathsDone(context, operation);
  const paths = await execute(context, intent, { operation: intent.operation, recovering: true, throughEditor: new Set() });
  const done = paths.filter(({ outcome }) => outcome === 'done');
  return { ...operation, isCalledOff: false, written: done.filter(({ path }) => !before.has(path)).length, left: paths.length - done.length };
}

/**
 * Finishes restores that a crash cut short; the caller holds the restore lock. Paths that hold what the
 * plan saw are written, paths that hold the result already are done, all others are left and reported. One that did not
 * reach every folder is called off. Running it again finds nothing to do. Returns the operations that it ended.
 */
export async function recoverAll(context: PlanContext): Promise<readonly Ended[]> {
  context.store.refresh();
  mustBeSound(context);
  const ended: Ended[] = [];
  const waiting = waitingToFinish(context);
  // An intent that goes with the power must not have been acted upon.
  if (waiting.length > 0) context.store.settle();
  for (const operation of waiting) {
    const complete = isComplete(context, operation, true);
    if (complete !== undefined) ended.push(await end(context, operation, complete));
  }
  return ended;
}

/** Restores that wait in one folder and that `work` ends, or tells of; and the folders that are to be looked at because of them. */
interface Look<T extends Operation> {
  readonly operations: readonly T[];
  readonly closed: readonly string[];
  readonly next: readonly PlanContext[];
  readonly shared: string | undefined;
}

type Work<T extends Operation> = (context: PlanContext) => Promise<readonly T[]>;

async function inFolder<T extends Operation>(context: PlanContext, work: Work<T>): Promise<Look<T>> {
  const { store } = context;
  store.refresh();
  mustBeSound(context);
  const closed: string[] = [];
  const operations = waitingToFinish(context).length === 0 ? [] : await work(context);
  const ended = new Set(operations.map(({ id }) => id));
  if (waitingToFinish(context).some(({ id }) => !ended.has(id))) closed.push(`A restore that was cut short can't be finished in ${store.identity.path}: the history of another folder that it wrote in can't be read.`);
  const shared = newestShared(context);
  const roots = [...operations, ...(shared === undefined || ended.has(shared.id) ? [] : [shared])].flatMap(operation => sistersOf(context, operation).map(root => ({ operation, root })));
  const next = roots.flatMap(({ operation, root }) => {
    const sister = sisterAt(context, root);
    if (typeof sister === 'string') closed.push(untold(undefined, sister));
    // Where the last lines of a history tell that it has ended there, no more is read of it.
    return sister === undefined || typeof sister === 'string' || hasEnded(sister, operation) ? [] : [sister];
  });
  return { operations, closed, next, shared: shared?.id };
}

function untold(path: string | undefined, reason: string): string {
  return `A restore that was cut short may be waiting to be finished in ${path ?? 'another folder'}. It was not: ${reason}`;
}

function hasEnded({ store }: PlanContext, { id }: Operation): boolean {
  try {
    return store.tellsEndOf(id);
  } catch (error) {
    // Whoever reads all of it says why it can't be read.
    refusalOf(error);
    return false;
  }
}

/** Looks in folders, and in those that what is found there names. */
async function inAllFolders<T extends Operation>(contexts: readonly PlanContext[], work: Work<T>): Promise<Found<T>> {
  const operations: T[] = [];
  const closed: string[] = [];
  const looked = new Map<string, string | undefined>();
  const given = new Set(contexts.map(({ store }) => store.identity.key));
  const waiting = [...contexts];
  for (let here = waiting.shift(); here !== undefined; here = waiting.shift()) {
    const { key, path } = here.store.identity;
    if (looked.has(key)) continue;
    looked.set(key, undefined);
    try {
      const look = await inFolder(here, work);
      operations.push(...look.operations);
      closed.push(...look.closed);
      looked.set(key, look.shared);
      waiting.push(...look.next);
    } catch (error) {
      // What keeps it from being finished in a folder that nobody asked for is no reason to do nothing in the others.
      if (given.has(key)) throw error;
      closed.push(untold(path, refusalOf(error)));
    }
  }
  return { operations, closed, looked };
}

/** What `recoverEverywhere` would end. Writes nothing. */
export function waitingEverywhere(contexts: readonly PlanContext[]): Promise<Found<Operation>> {
  return inAllFolders(contexts, async context => waitingToFinish(context).filter(operation => isComplete(context, operation, false) !== undefined));
}

/** `recoverAll` in several folders, and in those that what is found there names; never holding two locks at once. */
export function recoverEverywhere(contexts: readonly PlanContext[]): Promise<Found<Ended>> {
  return inAllFolders(contexts, context => context.store.restoring(() => recoverAll(context)));
}

/** Whether a restore over several folders has ended in one of them since they were looked at: somebody who was at it then may have died before the next folder. */
export function isOutdated({ looked }: Found<Operation>, contexts: readonly PlanContext[]): boolean {
  return contexts.some(context => looked.get(context.store.identity.key) !== newestShared(context)?.id);
}
