import { TurnstoneError } from '../base/errors.ts';
import { isGone, isThisProcess } from '../base/processes.ts';
import { liveTarget } from '../snapshot/paths.ts';
import type { Operation } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import { discard, temporaryName } from './writeState.ts';
import type { PlanContext } from './plan.ts';
import { callOff, execute } from './execute.ts';

type NamedRoot = NonNullable<RecordOf<'restore.intent'>['roots']>[number];

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
 * Whether an intent reached every folder that it names. Its owner is gone, so the answer stays the same for whoever asks.
 * A folder whose history is gone has no say. Undefined where a history can't be read: then nobody can tell.
 */
function isComplete(context: PlanContext, operation: Operation): boolean | undefined {
  let complete: boolean | undefined = true;
  for (const root of sistersOf(context, operation)) {
    const sister = context.sister?.(root);
    if (sister === undefined) continue;
    sister.store.refresh();
    const same = sister.store.timeline.operations.get(operation.id);
    if (same?.done?.cancelled === true) return false;
    if (same !== undefined) sister.store.settle();
    else if (sister.store.damage === undefined) return false;
    else complete = undefined;
  }
  return complete;
}

/**
 * Finishes restores that a crash cut short; the caller holds the restore lock. Paths that hold what the
 * plan saw are written, paths that hold the result already are done, all others are left and reported. One that did not
 * reach every folder is called off. Running it again finds nothing to do. Returns the operations that it ended.
 */
export async function recoverAll(context: PlanContext): Promise<readonly Operation[]> {
  context.store.refresh();
  // What can't be believed as a whole is not acted upon in parts.
  if (context.store.damage !== undefined) throw new TurnstoneError('damaged', context.store.damage);
  const ended: Operation[] = [];
  const waiting = waitingToFinish(context);
  // An intent that goes with the power must not have been acted upon.
  if (waiting.length > 0) context.store.settle();
  for (const operation of waiting) {
    const { intent } = operation;
    const complete = isComplete(context, operation);
    if (complete === undefined) continue;
    for (const { path } of intent.paths) removeTemporary(context, intent.operation, path);
    if (complete) await execute(context, intent, { operation: intent.operation, recovering: true, throughEditor: new Set() });
    else await callOff(context, intent);
    ended.push(operation);
  }
  return ended;
}

/** `recoverAll` in several folders, and in those that what is found there names; never holding two locks at once. Returns how many restores it ended. */
export async function recoverEverywhere(contexts: readonly PlanContext[]): Promise<number> {
  let count = 0;
  const seen = new Set<string>();
  const waiting = [...contexts];
  for (let context = waiting.shift(); context !== undefined; context = waiting.shift()) {
    const here = context;
    if (seen.has(here.store.identity.key)) continue;
    seen.add(here.store.identity.key);
    here.store.refresh();
    if (here.store.damage === undefined && waitingToFinish(here).length === 0) continue;
    const ended = await here.store.restoring(() => recoverAll(here));
    count += ended.length;
    for (const root of ended.flatMap(operation => sistersOf(here, operation))) {
      const sister = here.sister?.(root);
      if (sister !== undefined) waiting.push(sister);
    }
  }
  return count;
}
