import { TurnstoneError, messageOf } from '../base/errors.ts';
import type { RecordOf } from '../timeline/records.ts';
import { applyPath, keepUnforeseen, type ApplyOptions, type DonePath } from './apply.ts';
import { makeFolders, openFolders, removeFolders, settleFolders } from './folders.ts';
import { stepsOf } from './inTheWay.ts';
import type { PlanContext } from './plan.ts';
import type { IntentPath } from './writeState.ts';

/** Ends an intent that did not reach every folder: nothing was written for it, and nothing is. */
export async function callOff(context: PlanContext, { operation }: RecordOf<'restore.intent'>): Promise<void> {
  await context.store.commit(new Map(), [{ type: 'restore.done', operation, cancelled: true, paths: [], removed: [], made: [] }]);
  context.store.refresh();
}

/** Carries out a durable intent: makes way, then folders, files one by one, folders; then says how it ended. */
export async function execute(context: PlanContext, intent: RecordOf<'restore.intent'>, options: ApplyOptions, onPath?: (path: string) => void): Promise<readonly DonePath[]> {
  const steps = stepsOf(intent);
  const paths: DonePath[] = [];
  const contents = new Map<string, Uint8Array>();
  const apply = async (all: readonly IntentPath[]): Promise<void> => {
    for (const planned of all) {
      paths.push(keepUnforeseen(context, await applyPath(context, planned, options), contents));
      onPath?.(planned.path);
      await context.workspace.yield();
    }
  };
  openFolders(context, intent);
  await apply(steps.clearing);
  const cleared = removeFolders(context, { emptied: steps.cleared, made: [] }, options.recovering);
  const made = makeFolders(context, intent, steps.folders, options.recovering);
  await apply(steps.others);
  const removed = [...cleared, ...removeFolders(context, { emptied: steps.emptied, made: intent.made }, options.recovering)];
  const changed = settleFolders(context, intent, made, options.recovering);
  const done: RecordOf<'restore.done'> = { type: 'restore.done', operation: intent.operation, ...(options.recovering ? { recovered: true } : {}), paths, removed: [...removed, ...changed.removed], made: [...made, ...changed.made] };
  try {
    await context.store.commit(contents, [done]);
  } catch (error) {
    // The intent is durable, so the next restore or the editor's next start says what happened here.
    const count = paths.filter(({ outcome }) => outcome === 'done').length;
    throw new TurnstoneError('readOnly', `${count} of ${paths.length} files were restored, but that could not be recorded (${messageOf(error)}). It is recorded with the next restore.`, error);
  }
  context.store.refresh();
  return paths;
}
