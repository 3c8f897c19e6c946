import { TurnstoneError, messageOf } from '../base/errors.ts';
import { parentsOf } from '../snapshot/paths.ts';
import type { RecordOf } from '../timeline/records.ts';
import { applyPath, keepUnforeseen, type ApplyOptions, type DonePath } from './apply.ts';
import { makeFolders, openFolders, removeFolders, settleFolders } from './folders.ts';
import type { PlanContext } from './plan.ts';

/** Ends an intent that did not reach every folder: nothing was written for it, and nothing is. */
export async function callOff(context: PlanContext, { operation }: RecordOf<'restore.intent'>): Promise<void> {
  await context.store.commit(new Map(), [{ type: 'restore.done', operation, cancelled: true, paths: [], removed: [], made: [] }]);
  context.store.refresh();
}

/** Carries out a durable intent: folders, files one by one, folders; then says how it ended. */
export async function execute(context: PlanContext, intent: RecordOf<'restore.intent'>, options: ApplyOptions, onPath?: (path: string) => void): Promise<readonly DonePath[]> {
  // A folder that was removed empty comes back empty; others come with the files that need them.
  const folders = new Set([
    ...intent.made.flatMap(({ path }) => [...parentsOf(path), path]),
    ...intent.paths.filter(({ after }) => after.kind !== 'absent').flatMap(({ path }) => parentsOf(path)),
  ]);
  openFolders(context, intent);
  const made = makeFolders(context, intent, folders, options.recovering);
  const paths: DonePath[] = [];
  const contents = new Map<string, Uint8Array>();
  for (const planned of intent.paths) {
    paths.push(keepUnforeseen(context, await applyPath(context, planned, options), contents));
    onPath?.(planned.path);
    await context.workspace.yield();
  }
  const removed = removeFolders(context, intent, options.recovering);
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
