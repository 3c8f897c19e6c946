import type { State } from '../snapshot/state.ts';
import type { Call, DirectoryEntry } from './model.ts';
import type { RecordOf } from './records.ts';

/** Closes a call that nobody reported as ended, with what the disk holds now. */
export function interruptedClose(call: Call, see: (path: string) => State, made: (missing: readonly string[]) => readonly DirectoryEntry[]): RecordOf<'call.close'> {
  const paths = [...call.snapshots.values()].map(({ path, missing }) => ({ path, after: see(path), made: [...made(missing)] }));
  return { type: 'call.close', session: call.session, turn: call.turn, call: call.id, outcome: 'interrupted', paths };
}
