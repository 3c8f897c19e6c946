import { sameContent } from '../snapshot/state.ts';
import type { Change, Operation, Timeline } from './model.ts';

/** What a restore leaves of a path's chain of changes; undefined where that can't be told. */
function withoutUndone(timeline: Timeline, { intent }: Operation, chain: readonly Change[], chainBefore: ReadonlyMap<string, readonly Change[]>): readonly Change[] | undefined {
  switch (intent.kind) {
    case 'undo':
    case 'redo':
      return chainBefore.get(intent.target);
    case 'rewind': {
      const first = chain.findIndex(({ by }) => by.kind === 'call' && by.session === intent.session && (timeline.calls.get(by.call)?.seq ?? 0) >= intent.fromSeq);
      return first < 0 ? undefined : chain.slice(0, first);
    }
    case 'rollback':
      return chain.filter(({ by }) => by.kind !== 'call' || intent.calls?.includes(by.call) !== true);
  }
}

/**
 * The changes of a path that made it what it is: those that a restore took back are left out, and those
 * that an undo brought back are in again. A restore that left something new (a merge) is a change itself.
 */
export function effectiveChanges(timeline: Timeline, path: string): readonly Change[] {
  let chain: readonly Change[] = [];
  const chainBefore = new Map<string, readonly Change[]>();
  for (const change of timeline.changes.get(path) ?? []) {
    const operation = change.by.kind === 'operation' ? timeline.operations.get(change.by.operation) : undefined;
    const kept = operation === undefined ? undefined : withoutUndone(timeline, operation, chain, chainBefore);
    if (operation !== undefined) chainBefore.set(operation.id, chain);
    const end = kept?.at(-1)?.after ?? chain[0]?.before;
    const explains = kept !== undefined && end !== undefined && sameContent(end, change.after);
    chain = explains ? kept : [...chain, change];
  }
  return chain;
}
