import { sameContent, type State } from '../snapshot/state.ts';
import type { Call, DirectoryEntry } from './model.ts';
import type { RecordOf } from './records.ts';

/**
 * Closes a call that nobody reported as ended, with what the disk holds now. What a look has already told of it, and is still so, needs no
 * telling: it would be doubted, as the end of a call that nobody reported.
 */
export function interruptedClose(call: Call, see: (path: string) => State, made: (missing: readonly string[]) => readonly DirectoryEntry[]): RecordOf<'call.close'> {
  const paths = [...call.snapshots.values()].flatMap(({ path, missing, after: told }) => {
    const after = see(path);
    return told !== undefined && sameContent(told, after) ? [] : [{ path, after, made: [...made(missing)] }];
  });
  return { type: 'call.close', session: call.session, turn: call.turn, call: call.id, outcome: 'interrupted', paths };
}
