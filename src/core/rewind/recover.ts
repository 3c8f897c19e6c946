import { TurnstoneError } from '../base/errors.ts';
import { isGone, isThisProcess } from '../base/processes.ts';
import { removeQuietly } from '../base/fileTools.ts';
import { liveTarget } from '../snapshot/paths.ts';
import type { Operation } from '../timeline/model.ts';
import { temporaryName } from './writeState.ts';
import type { PlanContext } from './plan.ts';
import { execute } from './execute.ts';

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
  if (live.kind === 'target') removeQuietly(files, temporaryName(operation, live.absolute));
}

/**
 * Finishes restores that a crash cut short; the caller holds the restore lock. Paths that hold what the
 * plan saw are written, paths that hold the result already are done, all others are left and reported.
 * Running it again finds nothing to do. Returns the operations that it finished.
 */
export async function recoverAll(context: PlanContext): Promise<readonly string[]> {
  context.store.refresh();
  // What can't be believed as a whole is not acted upon in parts.
  if (context.store.damage !== undefined) throw new TurnstoneError('damaged', context.store.damage);
  const open = waitingToFinish(context);
  for (const { intent } of open) {
    for (const { path } of intent.paths) removeTemporary(context, intent.operation, path);
    await execute(context, intent, { operation: intent.operation, recovering: true, throughEditor: new Set() });
  }
  return open.map(({ id }) => id);
}
