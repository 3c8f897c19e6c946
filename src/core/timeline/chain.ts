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
  /** All changes so far, those that were taken back too. */
  readonly changes: Change[];
}

/**
 * What going back may leave of a chain: what it was at that point; the same with what calls that had begun by then did later; or, where others
 * have worked on it since, what was there before the reach's own calls.
 */
function withoutStretch(timeline: Timeline, { intent }: Operation, chain: Chain, { steps, changes }: Walk): readonly Chain[] {
  const reach = reachOf(intent);
  const begun = ({ by }: Change): number => (by.kind === 'call' ? (timeline.calls.get(by.call)?.seq ?? 0) : Number.POSITIVE_INFINITY);
  const then = steps.findLast(({ seq }) => seq < intent.fromSeq)?.chain ?? [];
  const late = changes.filter(change => change.seq >= intent.fromSeq && begun(change) < intent.fromSeq);
  const first = chain.findIndex(change => change.by.kind === 'call' && isWithin(reach, change.by.session) && begun(change) >= intent.fromSeq);
  return [then, ...(late.length === 0 ? [] : [[...then, ...late]]), ...(first < 0 ? [] : [chain.slice(0, first)])];
}

/** What a restore may leave of a path's chain of changes; what it wrote tells which it was. */
function withoutUndone(timeline: Timeline, operation: Operation, chain: Chain, walk: Walk): readonly Chain[] {
  const { intent } = operation;
  if (isTravel(intent)) return withoutStretch(timeline, operation, chain, walk);
  if (intent.kind === 'rollback') return [chain.filter(({ by }) => by.kind !== 'call' || intent.calls?.includes(by.call) !== true)];
  return [walk.before.get(intent.target)].filter(before => before !== undefined);
}

function walkThrough(timeline: Timeline, path: string, resolves: (operation: Operation) => boolean, told: (operation: Operation, before: Chain, after: Chain) => void): Chain {
  let chain: Chain = [];
  const walk: Walk = { before: new Map(), steps: [], changes: [] };
  const origin = timeline.changes.get(path)?.[0]?.before;
  for (const change of timeline.changes.get(path) ?? []) {
    const operation = change.by.kind === 'operation' ? timeline.operations.get(change.by.operation) : undefined;
    const candidates = operation === undefined || !resolves(operation) ? [] : withoutUndone(timeline, operation, chain, walk);
    if (operation !== undefined) walk.before.set(operation.id, chain);
    const kept = candidates.find(candidate => {
      const end = candidate.at(-1)?.after ?? chain[0]?.before ?? origin;
      return end !== undefined && sameContent(end, change.after);
    });
    if (kept !== undefined && operation !== undefined) told(operation, chain, kept);
    chain = kept ?? [...chain, change];
    walk.steps.push({ seq: change.seq, chain });
    walk.changes.push(change);
  }
  return chain;
}

/**
 * The changes of a path that made it what it is: those that a restore took back are left out, and those
 * that an undo brought back are in again. A restore that left something new (a merge) is a change itself, and so
 * is one that is not to be resolved.
 */
export function effectiveChanges(timeline: Timeline, path: string, resolves: (operation: Operation) => boolean = () => true): Chain {
  return walkThrough(timeline, path, resolves, () => undefined);
}

/**
 * By restore that has changed a path, the sessions whose work there it took or brought back; undefined among them stands for what is nobody's
 * on record. One that left something new is missing: whose that is can't be told.
 */
export function sessionsMovedAt(timeline: Timeline, path: string): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const moved = new Map<string, ReadonlySet<string | undefined>>();
  walkThrough(timeline, path, () => true, (operation, before, after) => {
    const changes = [...before.filter(change => !after.includes(change)), ...after.filter(change => !before.includes(change))];
    moved.set(operation.id, new Set(changes.map(({ by }) => (by.kind === 'call' ? by.session : undefined))));
  });
  return moved;
}
