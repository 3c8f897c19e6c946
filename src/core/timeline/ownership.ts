import { sameContent, type State } from '../snapshot/state.ts';
import type { OpenCall } from './foldState.ts';
import type { Call, Change, ChangeOwner, Snapshot } from './model.ts';
import type { RecordOf } from './records.ts';

export function ownerBy(call: OpenCall): ChangeOwner {
  return { kind: 'call', call: call.id, turn: call.turn, session: call.session };
}

/** Whether content is what a call's own input says it will leave. */
export function isExpected({ expects }: Snapshot, state: State): boolean {
  return expects !== undefined && (state.kind === 'content' || state.kind === 'oversize') && state.hash === expects;
}

/**
 * Whether a change is the call's. What its agent reports for the first time, as done, is, if nothing of it was
 * found before. All else that was found in the file (after an interrupt, a refusal, a failure, with a second
 * report) is only if it is exactly what the call was to leave: the user may have been in the file too, and his
 * work must not pass for the agent's.
 */
export function isProven(call: OpenCall, snapshot: Snapshot, outcome: RecordOf<'call.close'>['outcome'], isFirst: boolean, after: State): boolean {
  if (isFirst && outcome === 'done') return true;
  // A tool that ran inside our own wrapper is bracketed so closely that what changed is its doing.
  if (isFirst && outcome === 'failed' && call.agentCall === undefined) return true;
  return isExpected(snapshot, after);
}

/** Whether all that has happened to a file since a call began is on record as the doing of other calls. `changes` are the file's, `now` is what it holds. */
export function isWorkOfOthers(changes: readonly Change[], call: Pick<Call, 'id' | 'seq'>, now: State): boolean {
  const since = changes.filter(({ seq }) => seq > call.seq);
  const last = since.at(-1);
  return last !== undefined && sameContent(last.after, now) && since.every(({ by }) => by.kind === 'call' && by.call !== call.id);
}

export const unkept: Partial<Record<State['kind'], string>> = {
  oversize: 'it was too large',
  unreadable: 'it could not be read',
  special: 'it was neither a file nor a link',
};

/** What of a call is not on record. */
export function gapsOf({ tool, undeclared, outside, snapshots }: Pick<Call, 'tool' | 'undeclared' | 'outside' | 'snapshots'>): readonly string[] {
  const files = outside.map(({ path, reason }) => `${tool} ${path}: not tracked, ${reason}`);
  const lost = [...snapshots.values()].flatMap(({ path, before }) => (unkept[before.kind] === undefined ? [] : [`${path}: what was there before is not kept, ${unkept[before.kind]}`]));
  return [...(undeclared ? [`${tool}: what it changed is not tracked`] : []), ...files, ...lost];
}

/** Why a change that was found is no call's. */
export function doubtOf([first, ...others]: readonly Pick<Call, 'tool'>[]): string {
  if (first !== undefined && others.length === 0) return `changed while ${first.tool} was running in the background, and not provably by it`;
  return 'changed while several calls were open, and which of them did it is not known';
}
