import { sameContent } from '../snapshot/state.ts';
import { isTravel, isWithin, reachOf } from './activity.ts';
import type { Change, Operation, Timeline } from './model.ts';

type Chain = readonly Change[];

/** What is known of a path's chain while it is walked through. */
interface Walk {
  /** By operation, the chain before it. */
  readonly before: Map<string, Chain>;
  /** The chain after each change, oldest first. */
  readonly steps: { readonly seq: number; readonly chain: Chain }[];
}

/** What going back leaves of a chain: what it was at that point, or at least nothing of the reach's calls since. */
function withoutStretch(timeline: Timeline, { intent }: Operation, chain: Chain, { steps }: Walk): Chain | undefined {
  const reach = reachOf(intent);
  const first = chain.findIndex(({ by }) => by.kind === 'call' && isWithin(reach, by.session) && (timeline.calls.get(by.call)?.seq ?? 0) >= intent.fromSeq);
  return first >= 0 ? chain.slice(0, first) : steps.findLast(({ seq }) => seq < intent.fromSeq)?.chain;
}

/** What a restore leaves of a path's chain of changes; undefined where that can't be told. */
function withoutUndone(timeline: Timeline, operation: Operation, chain: Chain, walk: Walk): Chain | undefined {
  const { intent } = operation;
  if (isTravel(intent)) return withoutStretch(timeline, operation, chain, walk);
  return intent.kind === 'rollback' ? chain.filter(({ by }) => by.kind !== 'call' || intent.calls?.includes(by.call) !== true) : walk.before.get(intent.target);
}

/**
 * The changes of a path that made it what it is: those that a restore took back are left out, and those
 * that an undo brought back are in again. A restore that left something new (a merge) is a change itself, and so
 * is one that is not to be resolved.
 */
export function effectiveChanges(timeline: Timeline, path: string, resolves: (operation: Operation) => boolean = () => true): Chain {
  let chain: Chain = [];
  const walk: Walk = { before: new Map(), steps: [] };
  for (const change of timeline.changes.get(path) ?? []) {
    const operation = change.by.kind === 'operation' ? timeline.operations.get(change.by.operation) : undefined;
    const kept = operation === undefined || !resolves(operation) ? undefined : withoutUndone(timeline, operation, chain, walk);
    if (operation !== undefined) walk.before.set(operation.id, chain);
    const end = kept?.at(-1)?.after ?? chain[0]?.before;
    const explains = kept !== undefined && end !== undefined && sameContent(end, change.after);
    chain = explains ? kept : [...chain, change];
    walk.steps.push({ seq: change.seq, chain });
  }
  return chain;
}
