import { sha256 } from '../base/digest.ts';
import { messageOf } from '../base/errors.ts';
import { makeDurable } from '../base/fileTools.ts';
import { observe } from '../snapshot/observe.ts';
import { liveTarget, type LiveTarget } from '../snapshot/paths.ts';
import { absent, asFile, modeOf, sameContent, sameState, type State } from '../snapshot/state.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { PlanContext } from './plan.ts';
import { lookWhole } from './sight.ts';
import { ChangedMeanwhile, writeState, type IntentPath, type Seen } from './writeState.ts';

export type DonePath = RecordOf<'restore.done'>['paths'][number];

const changedMeanwhile = 'it was changed meanwhile';

function outcome(path: string, result: DonePath['outcome'], after: State, reason?: string): DonePath {
  return { path, outcome: result, after, ...(reason === undefined ? {} : { reason }) };
}

/** A disk writes whole blocks of at least this many bytes. */
const block = 512;

/** Whether a block holds a beginning of the new bytes and from there on old ones, or zeros where the old file had none; or nothing but zeros. */
function isTornBlock(now: Buffer, old: Buffer, fresh: Buffer, start: number): boolean {
  const end = Math.min(start + block, now.length);
  let same = start;
  while (same < end && now[same] === fresh[same]) same += 1;
  for (let at = same; at < end; at += 1) if (now[at] !== (old[at] ?? 0)) return now.subarray(start, end).every(byte => byte === 0);
  return true;
}

/**
 * Whether the disk holds what a write in place leaves when it is cut off: new bytes, then old ones, where the process was killed;
 * where the power failed, any blocks of either, and zeros for those that the file was to grow by.
 */
function isTornWrite(context: PlanContext, planned: IntentPath, bytes: Uint8Array | undefined): boolean {
  const { before, after } = planned;
  if (planned.inPlace !== true || bytes === undefined || before.kind !== 'content' || after.kind !== 'content') return false;
  const old = Buffer.from(context.store.blobs.read(before.hash));
  const fresh = Buffer.from(context.store.blobs.read(after.hash));
  const now = Buffer.from(bytes);
  if (now.length < Math.min(old.length, fresh.length) || now.length > Math.max(old.length, fresh.length)) return false;
  for (let start = 0; start < now.length; start += block) if (!isTornBlock(now, old, fresh, start)) return false;
  return true;
}

/** Where something is that no plan foresaw, its content is kept: no record names what is not in the store. */
export function keepUnforeseen({ files, store }: PlanContext, done: DonePath, contents: Map<string, Uint8Array>): DonePath {
  if (done.outcome === 'done' || done.after.kind !== 'content') return done;
  const live = liveTarget(files, store.identity.path, done.path);
  if (live.kind === 'refused') return { ...done, after: { kind: 'unreadable', reason: live.reason } };
  const { state, bytes } = observe(files, live.absolute);
  if (state.kind === 'content' && bytes !== undefined) contents.set(state.hash, bytes);
  return { ...done, after: state };
}

export interface ApplyOptions {
  readonly operation: string;
  /** After a crash: what already holds the new state is done, what a cut-off write left is written again. */
  readonly recovering: boolean;
  /** Paths whose unsaved text the user gave up; their bytes are in the store already. */
  readonly throughEditor: ReadonlySet<string>;
}

/** Whether the disk holds what the plan saw, or all of what is to be there and only its permissions are to follow. */
function isAsPlanned(planned: IntentPath, { state }: Seen, recovering: boolean): boolean {
  if (sameState(state, planned.before)) return true;
  // A file that was written in place has its new bytes before it has its new permissions.
  return recovering && planned.inPlace === true && sameContent(state, planned.after) && modeOf(state) === modeOf(planned.before);
}

/** Whether everything that would be lost by replacing an unsaved document is in the store: its text, and the file under it. */
async function isKept({ store, workspace }: PlanContext, absolute: string, { state }: Seen): Promise<boolean> {
  const text = workspace.unsaved().has(absolute) ? await workspace.unsavedBytes(absolute) : new Uint8Array(0);
  return text !== undefined && store.blobs.has(sha256(text)) && (state.kind === 'absent' || (state.kind === 'content' && store.blobs.has(state.hash)));
}

/** Writes one path, if it still holds exactly what the plan saw, and looks at the result. Never throws. */
export async function applyPath(context: PlanContext, planned: IntentPath, options: ApplyOptions): Promise<DonePath> {
  const first = await tryPath(context, planned, options);
  // What a write in place left when it was cut off is nobody's content, and nobody will come to finish it after this: it does not stay for one refusal.
  return options.recovering && planned.inPlace === true && first.outcome === 'failed' ? tryPath(context, planned, options) : first;
}

/** Below what is no folder, or with a name that must not be followed, nothing is written. */
function unreachable({ path, before, after }: IntentPath, { reason, obstacle }: Extract<LiveTarget, { kind: 'refused' }>, recovering: boolean): DonePath {
  // After a crash, what took the place of a folder may be there already: then what was in the folder is gone, as it was to be.
  return recovering && obstacle !== undefined && after.kind === 'absent' ? outcome(path, 'done', after) : outcome(path, 'failed', before, reason);
}

async function tryPath(context: PlanContext, planned: IntentPath, options: ApplyOptions): Promise<DonePath> {
  const { files, store, workspace } = context;
  const live = liveTarget(files, store.identity.path, planned.path);
  if (live.kind === 'refused') return unreachable(planned, live, options.recovering);
  const { absolute } = live;
  try {
    const stamp = files.stat(absolute)?.stamp;
    const found = lookWhole(files, absolute);
    // It could not be removed, or somebody has put something in.
    if (found.state.kind === 'directory' && planned.after.kind !== 'absent') return outcome(planned.path, 'failed', absent, 'a folder is there now');
    const seen: Seen = { ...found, state: asFile(found.state), stamp };
    const now = seen.state;
    const unsaved = workspace.unsaved().get(absolute);
    const throughEditor = options.throughEditor.has(planned.path);
    if (unsaved !== undefined && !throughEditor) return outcome(planned.path, 'skipped', now, 'it has unsaved changes in an editor now');
    if (options.recovering && sameState(now, planned.after)) {
      // Whoever wrote it was cut short before it was synced, perhaps.
      makeDurable(files, absolute);
      return outcome(planned.path, 'done', now);
    }
    const isTorn = options.recovering && !sameState(now, planned.before) && isTornWrite(context, planned, seen.bytes);
    const mayWrite = throughEditor ? await isKept(context, absolute, seen) : isTorn || isAsPlanned(planned, seen, options.recovering);
    // It may still be what the plan saw: that it can't be read now is no change, and trying again gets it.
    if (!mayWrite && now.kind === 'unreadable') return outcome(planned.path, 'failed', now, `it can't be read (${now.reason})`);
    if (!mayWrite) return outcome(planned.path, 'skipped', now, changedMeanwhile);
    if (throughEditor && unsaved?.owner === 'here' && planned.after.kind === 'content') {
      if (!(await workspace.replaceUnsaved(absolute, store.blobs.read(planned.after.hash)))) return outcome(planned.path, 'failed', now, 'the editor did not save it');
    } else {
      writeState(context, options.operation, absolute, planned, isTorn && planned.before.kind === 'content' ? { ...seen, bytes: store.blobs.read(planned.before.hash) } : seen);
    }
    const after = lookWhole(files, absolute).state;
    if (!sameContent(after, planned.after)) return outcome(planned.path, 'failed', after, 'it does not hold what was written');
    const modeKept = process.platform === 'win32' || modeOf(after) === modeOf(planned.after) || throughEditor;
    return modeKept ? outcome(planned.path, 'done', after) : outcome(planned.path, 'done', after, 'its permissions could not be set');
  } catch (error) {
    const { state } = lookWhole(files, absolute);
    // It took its place and only what comes after that failed: an undo has to know that it was written.
    if (sameState(state, planned.after) && !sameState(planned.before, planned.after)) return outcome(planned.path, 'done', state, messageOf(error));
    return error instanceof ChangedMeanwhile ? outcome(planned.path, 'skipped', state, changedMeanwhile) : outcome(planned.path, 'failed', state, messageOf(error));
  }
}
