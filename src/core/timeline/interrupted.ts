import { sameContent, type State } from '../snapshot/state.ts';
import type { Call, DirectoryEntry, Snapshot } from './model.ts';
import { isExpected } from './ownership.ts';
import type { RecordOf } from './records.ts';

/**
 * Closes a call of which nobody knows that it has ended, with what the disk holds now. One that was reported before its bytes were there is done, where what
 * has come since can be nobody else's: `others` may have worked on it. What a look has already told of a call, and is still so, needs no
 * telling: it would be doubted, as the end of a call that nobody reported.
 */
export function closeByDisk(call: Call, others: Iterable<Call>, see: (path: string) => State, made: (missing: readonly string[]) => readonly DirectoryEntry[]): RecordOf<'call.close'> {
  const paths = [...call.snapshots.values()].flatMap(({ path, missing, after: told }) => {
    const after = see(path);
    return told !== undefined && sameContent(told, after) ? [] : [{ path, after, made: [...made(missing)] }];
  });
  const isDone = call.reported && paths.every(({ path, after }) => isWorkAt(call, call.snapshots.get(path), after, others));
  return { type: 'call.close', session: call.session, turn: call.turn, call: call.id, outcome: isDone ? 'done' : 'interrupted', paths };
}

function isWorkAt(call: Call, snapshot: Snapshot | undefined, after: State, others: Iterable<Call>): boolean {
  if (snapshot === undefined || snapshot.expects === undefined || sameContent(snapshot.before, after) || isExpected(snapshot, after)) return true;
  for (const other of others) {
    const theirs = other.reported && other.outcome === 'open' ? other.snapshots.get(snapshot.path) : undefined;
    if (theirs !== undefined && (isExpected(theirs, after) || (theirs.expects === undefined && other !== call && !sameContent(theirs.before, after)))) return true;
  }
  return false;
}
