import { messageOf, systemCode, TurnstoneError } from '../core/base/errors.ts';
import { readIfThere } from '../core/base/fileTools.ts';
import { randomId } from '../core/base/ids.ts';
import { ChangedMeanwhile } from '../core/rewind/writeState.ts';
import { versionOf } from './knowledge.ts';
import { isUnchanged, lookAt, type Target } from './target.ts';
import { mustRecord, type ToolHost } from './toolHost.ts';
import { Refused } from './toolResult.ts';
import type { Place, Turns } from './turns.ts';

/** One call of a tool, as its caller has it. */
export interface CallContext {
  readonly host: ToolHost;
  readonly turns: Turns;
  readonly tool: string;
  readonly signal: AbortSignal | undefined;
  readonly agentCall: string | undefined;
}

/** What a tool is about to do to files that it has looked at. */
export interface Work {
  readonly targets: readonly Target[];
  /** What each file is to hold; undefined for one that is to go. */
  readonly after: ReadonlyMap<string, Uint8Array | undefined>;
  /** Does it, in one go: nothing else runs in between. */
  write(targets: readonly Target[], call: string): void;
}

export function mustGoOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Refused('cancelled', 'The call was cancelled. Nothing was written.');
}

/** Why a tool could not write, where the disk says so. Everything is as it was: each file is written at once or not at all. */
function refusalOf(error: unknown, paths: string): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof ChangedMeanwhile) return changed(paths);
  return new Refused('failed', `${paths} could not be written (${systemCode(error) ?? messageOf(error)}). It was left as it was.`);
}

function changed(paths: string): Refused {
  return new Refused('changed', `${paths} was changed by somebody else just now. Nothing was written. Read it again.`);
}

export function notRecording(error: unknown): Refused {
  return new Refused('notRecording', `Not recording: ${TurnstoneError.is(error) ? error.message : `Turnstone failed: ${messageOf(error)}`} Nothing was written, because it could not be taken back.`);
}

function isDoneOnDisk({ files }: ToolHost, { targets, after }: Work): boolean {
  return targets.every(({ path, absolute }) => {
    try {
      return versionOf(readIfThere(files, absolute)) === versionOf(after.get(path));
    } catch {
      return false;
    }
  });
}

/**
 * Does a tool's work in between the two records of its call: the states before are durable when it begins, and it begins only if the
 * files are still what they were. Returns what the history could not be told of it afterwards. Throws `Refused`; then nothing was written.
 */
export async function recorded({ host, turns, tool, signal, agentCall }: CallContext, { folder, recorder, knowledge }: Place, work: Work): Promise<string | undefined> {
  const { store } = folder;
  mustRecord(host, folder);
  const paths = work.targets.map(({ path }) => path).join(' and ');
  const call = randomId('call');
  let isDone = false;
  let warning: string | undefined;
  try {
    const turn = await turns.open({ folder, recorder, knowledge });
    const after = new Map(work.targets.map(({ absolute, path }) => [absolute, work.after.get(path)]));
    // That a file is to go can't be said beforehand. Of a move half would be known for the call's then, should it be cut short: the file in its new place would be taken back, and nothing brought to the old one.
    const saysAll = [...after.values()].every(bytes => bytes !== undefined);
    const start = { session: turns.session, turn, call, tool, agentCall: agentCall ?? call, paths: [...after.keys()], ...(saysAll ? { expected: (path: string) => after.get(path) } : {}) };
    await recorder.run(start, async () => {
      try {
        mustGoOn(signal);
        const now = work.targets.map(({ path }) => lookAt(host, folder, path));
        if (!now.every((target, index) => isUnchanged(work.targets[index] as Target, target))) throw changed(paths);
        work.write(now, call);
      } catch (error) {
        // It took its place, and only the disk's word that it stays there is missing.
        if (error instanceof Refused || !isDoneOnDisk(host, work)) throw refusalOf(error, paths);
        warning = `It was written, but the disk did not confirm it (${systemCode(error) ?? messageOf(error)}).`;
      }
      isDone = true;
    });
  } catch (error) {
    if (!isDone) throw error instanceof Refused ? error : notRecording(error);
    warning = `It was written, but that could not be recorded as done (${messageOf(error)}); the history shows the call as not ended.`;
  }
  const { seq } = refreshed(store);
  for (const [path, bytes] of work.after) knowledge.note(path, bytes, seq);
  return warning;
}

function refreshed(store: Place['folder']['store']): { readonly seq: number } {
  try {
    store.refresh();
  } catch {
    // The call has ended all the same; what is known of the file is as old as the last look then.
  }
  return store.timeline;
}
