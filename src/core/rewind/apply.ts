import { basename, dirname, join } from 'node:path';
import { TurnstoneError, messageOf } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { removeQuietly } from '../base/fileTools.ts';
import { liveTarget } from '../snapshot/paths.ts';
import { modeOf, sameContent, sameState, type State } from '../snapshot/state.ts';
import type { DirectoryEntry } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import { lookWhole, type PlanContext } from './plan.ts';

export type IntentPath = RecordOf<'restore.intent'>['paths'][number];
export type DonePath = RecordOf<'restore.done'>['paths'][number];

/** The name of the file that content is written to before it takes its place; found again after a crash. */
export function temporaryName(operation: string, path: string): string {
  return join(dirname(path), `.${basename(path)}.${operation}.tmp`);
}

function outcome(path: string, result: DonePath['outcome'], after: State, reason?: string): DonePath {
  return { path, outcome: result, after, ...(reason === undefined ? {} : { reason }) };
}

function reasonOf(error: unknown): string {
  // The system's own sentence names the whole path; the code and what it was doing are enough here.
  return error instanceof TurnstoneError ? error.message : messageOf(error);
}

function writeBeside(files: Files, operation: string, absolute: string, bytes: Uint8Array, mode: number): void {
  const temporary = temporaryName(operation, absolute);
  // Left from a crash of this very operation.
  removeQuietly(files, temporary);
  try {
    // Nobody but the owner may look into it before its permissions are the right ones.
    const file = files.open(temporary, 'create', 0o600);
    try {
      file.write(bytes, 0);
      file.setMode(mode);
      file.sync();
    } finally {
      file.close();
    }
    files.rename(temporary, absolute);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
}

function writeInPlace(files: Files, absolute: string, bytes: Uint8Array, mode: number): void {
  const file = files.open(absolute, 'update', mode);
  try {
    // Nothing is cut before all is written: after a crash the file is a beginning of the new bytes and a rest of the old.
    file.write(bytes, 0);
    file.truncate(bytes.length);
    if (process.platform !== 'win32') file.setMode(mode);
    file.sync();
  } finally {
    file.close();
  }
}

function writeState(context: PlanContext, operation: string, absolute: string, planned: IntentPath): void {
  const { files, store } = context;
  const { after } = planned;
  switch (after.kind) {
    case 'absent':
      files.remove(absolute);
      break;
    case 'content': {
      const bytes = store.blobs.read(after.hash);
      if (planned.inPlace === true) writeInPlace(files, absolute, bytes, after.mode);
      else writeBeside(files, operation, absolute, bytes, after.mode);
      break;
    }
    case 'link': {
      const temporary = temporaryName(operation, absolute);
      removeQuietly(files, temporary);
      files.symbolicLink(after.target, temporary);
      files.rename(temporary, absolute);
      break;
    }
    default:
      throw new Error(`a ${after.kind} can't be written`);
  }
  files.syncDirectory(dirname(absolute));
}

/** Whether the disk holds what a write in place leaves when it is cut off: new bytes, then old ones. */
function isTornWrite(context: PlanContext, planned: IntentPath, bytes: Uint8Array | undefined): boolean {
  const { before, after } = planned;
  if (planned.inPlace !== true || bytes === undefined || before.kind !== 'content' || after.kind !== 'content') return false;
  const old = Buffer.from(context.store.blobs.read(before.hash));
  const fresh = Buffer.from(context.store.blobs.read(after.hash));
  const now = Buffer.from(bytes);
  let same = 0;
  while (same < now.length && same < fresh.length && now[same] === fresh[same]) same += 1;
  return now.length === Math.max(old.length, same) && now.subarray(same).equals(old.subarray(same));
}

export interface ApplyOptions {
  readonly operation: string;
  /** After a crash: what already holds the new state is done, what a cut-off write left is written again. */
  readonly recovering: boolean;
  /** Paths whose unsaved text the user gave up; their bytes are in the store already. */
  readonly throughEditor: ReadonlySet<string>;
}

/** Writes one path, if it still holds exactly what the plan saw, and looks at the result. Never throws. */
export async function applyPath(context: PlanContext, planned: IntentPath, options: ApplyOptions): Promise<DonePath> {
  const { files, store, workspace } = context;
  const live = liveTarget(files, store.identity.path, planned.path);
  if (live.kind === 'refused') return outcome(planned.path, 'failed', planned.before, live.reason);
  const { absolute } = live;
  try {
    const { state: now, bytes } = lookWhole(files, absolute);
    const unsaved = workspace.unsaved().get(absolute);
    const throughEditor = options.throughEditor.has(planned.path);
    if (unsaved !== undefined && !throughEditor) return outcome(planned.path, 'skipped', now, 'it has unsaved changes in an editor now');
    if (options.recovering && sameContent(now, planned.after)) return outcome(planned.path, 'done', now);
    const asPlanned = sameState(now, planned.before) || (options.recovering && isTornWrite(context, planned, bytes));
    if (!asPlanned && !throughEditor) return outcome(planned.path, 'skipped', now, 'it was changed meanwhile');
    if (throughEditor && unsaved?.owner === 'here' && planned.after.kind === 'content') {
      if (!(await workspace.replaceUnsaved(absolute, store.blobs.read(planned.after.hash)))) return outcome(planned.path, 'failed', now, 'the editor did not save it');
    } else {
      writeState(context, options.operation, absolute, planned);
    }
    const after = lookWhole(files, absolute).state;
    if (!sameContent(after, planned.after)) return outcome(planned.path, 'failed', after, 'it does not hold what was written');
    const modeKept = process.platform === 'win32' || modeOf(after) === modeOf(planned.after) || throughEditor;
    return modeKept ? outcome(planned.path, 'done', after) : outcome(planned.path, 'done', after, 'its permissions could not be set');
  } catch (error) {
    return outcome(planned.path, 'failed', lookWhole(files, absolute).state, reasonOf(error));
  }
}

/** Brings folders that are missing, outermost first. Returns those that are there now because of it. */
export function makeFolders(context: PlanContext, folders: readonly DirectoryEntry[], wanted: ReadonlySet<string>): DirectoryEntry[] {
  const { files, store } = context;
  const modes = new Map(folders.map(({ path, mode }) => [path, mode]));
  const made: DirectoryEntry[] = [];
  for (const path of [...wanted].sort()) {
    const live = liveTarget(files, store.identity.path, path);
    if (live.kind === 'refused' || files.stat(live.absolute) !== undefined) continue;
    try {
      files.makeDirectory(live.absolute, modes.get(path) ?? 0o777);
      const mode = modes.get(path);
      // The process's mask takes bits away that the folder had.
      if (mode !== undefined && files.stat(live.absolute)?.mode !== mode) files.setMode(live.absolute, mode);
      files.syncDirectory(dirname(live.absolute));
      made.push({ path, mode: files.stat(live.absolute)?.mode ?? 0o777 });
    } catch {
      // The files in it fail with the reason.
    }
  }
  return made;
}

/** Removes folders that are empty, innermost first; others stay, whoever put something in. */
export function removeFolders(context: PlanContext, folders: readonly DirectoryEntry[]): DirectoryEntry[] {
  const { files, store } = context;
  const removed: DirectoryEntry[] = [];
  for (const { path } of [...folders].sort((a, b) => b.path.length - a.path.length)) {
    const live = liveTarget(files, store.identity.path, path);
    if (live.kind === 'refused') continue;
    try {
      const stat = files.stat(live.absolute);
      if (stat?.kind !== 'directory' || files.readDirectory(live.absolute).length > 0) continue;
      files.removeDirectory(live.absolute);
      files.syncDirectory(dirname(live.absolute));
      removed.push({ path, mode: stat.mode });
    } catch {
      // A folder that somebody is just filling, or that can't be removed, harms nothing.
    }
  }
  return removed;
}
