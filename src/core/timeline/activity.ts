import type { Operation, Timeline } from './model.ts';

/**
 * What of the history is in force. Restores are records like others: a rewind abandons the stretch
 * between its target and itself, for its reach; an undo takes a restore's effect away, a redo brings it
 * back; and a rewind takes back the restores of its reach inside its stretch too. So it is worked out
 * from the latest record backwards: whatever a later one took away has no say.
 */
export interface Activity {
  /** The restores in force, latest first. */
  readonly effective: readonly Operation[];
  /** The rewind that abandoned a record of a session, if one did. */
  abandonedBy(session: string, seq: number): Operation | undefined;
  /** Whether an operation's effect is taken away, by an undo or by a rewind past it. */
  isUndone(operation: string): boolean;
  /** Whether what a call did to a path was taken back. */
  isRolledBack(change: { readonly call: string; readonly session: string; readonly seq: number; readonly path: string }): boolean;
}

/** Whether a restore took a path along: it wrote it, or found that it held the right thing already. */
function covers(operation: Operation, path: string): boolean {
  const outcome = operation.done?.paths.find(candidate => candidate.path === path);
  if (outcome !== undefined) return outcome.outcome === 'done';
  return operation.intent.left.some(left => left.path === path && left.action === 'unchanged');
}

function reaches(operation: Operation, session: string | undefined): boolean {
  return operation.intent.reach === 'workspace' || operation.intent.session === session;
}

export function activityOf(timeline: Timeline): Activity {
  const operations = [...timeline.operations.values()].filter(operation => operation.done !== undefined).sort((a, b) => b.seq - a.seq);
  const effective: Operation[] = [];
  const undone = new Set<string>();
  const rewinds: Operation[] = [];
  const inStretch = (session: string | undefined, seq: number): Operation | undefined =>
    rewinds.find(rewind => seq >= rewind.intent.fromSeq && seq < rewind.seq && reaches(rewind, session));
  for (const operation of operations) {
    if (undone.has(operation.id)) continue;
    if (inStretch(operation.intent.session, operation.seq) !== undefined) {
      undone.add(operation.id);
      continue;
    }
    effective.push(operation);
    if (operation.intent.kind === 'undo' || operation.intent.kind === 'redo') undone.add(operation.intent.target);
    if (operation.intent.kind === 'rewind' && operation.intent.scope !== 'conversation') rewinds.push(operation);
  }
  const rollbacks = effective.filter(operation => operation.intent.kind === 'rollback');
  return {
    effective,
    abandonedBy: inStretch,
    isUndone: operation => undone.has(operation),
    isRolledBack({ call, session, seq, path }) {
      const rewind = inStretch(session, seq);
      if (rewind !== undefined && covers(rewind, path)) return true;
      return rollbacks.some(rollback => rollback.intent.calls?.includes(call) === true && covers(rollback, path));
    },
  };
}
