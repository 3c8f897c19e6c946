import { sameContent } from '../snapshot/state.ts';
import { isTravel, isWithin, reachOf } from './activity.ts';
import type { Change, Operation, Timeline } from './model.ts';
import { takenAlong } from './takenAlong.ts';

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

/** What happened to a path: a change, or a restore that found it as it was to be. */
type Event = { readonly seq: number; readonly change: Change | undefined; readonly operation: Operation | undefined };

function eventsAt(timeline: Timeline, path: string): readonly Event[] {
  const changes = (timeline.changes.get(path) ?? []).map((change): Event => ({ seq: change.seq, change, operation: change.by.kind === 'operation' ? timeline.operations.get(change.by.operation) : undefined }));
  const quiet = takenAlong(timeline, path).map((operation): Event => ({ seq: operation.seq, change: undefined, operation }));
  return quiet.length === 0 ? changes : [...changes, ...quiet].sort((one, other) => one.seq - other.seq);
}

/**
 * What becomes of a restore in a path's changes: what it took back is left out and what it brought back is in again (`resolved`), or it is a change
 * itself, `shown` even where it changed nothing.
 */
export type Treatment = 'resolved' | 'change' | 'shown';

function walkThrough(timeline: Timeline, path: string, treat: (operation: Operation) => Treatment, told: (operation: Operation, before: Chain, after: Chain) => void): Chain {
  let chain: Chain = [];
  const walk: Walk = { before: new Map(), steps: [], changes: [] };
  const origin = timeline.changes.get(path)?.[0]?.before;
  let content = origin;
  for (const { seq, change, operation } of eventsAt(timeline, path)) {
    const treatment = operation === undefined ? undefined : treat(operation);
    const candidates = operation !== undefined && treatment === 'resolved' ? withoutUndone(timeline, operation, chain, walk) : [];
    if (operation !== undefined) walk.before.set(operation.id, chain);
    content = change?.after ?? content;
    const kept = candidates.find(candidate => {
      const end = candidate.at(-1)?.after ?? origin;
      return end !== undefined && content !== undefined && sameContent(end, content);
    });
    if (kept !== undefined && operation !== undefined) told(operation, chain, kept);
    if (kept !== undefined) chain = kept;
    else if (change !== undefined) chain = [...chain, change];
    else if (treatment === 'shown' && operation !== undefined && content !== undefined) chain = [...chain, { seq, path, before: content, after: content, by: { kind: 'operation', operation: operation.id, session: operation.intent.session } }];
    walk.steps.push({ seq, chain });
    if (change !== undefined) walk.changes.push(change);
  }
  return chain;
}

/**
 * The changes of a path that made it what it is: those that a restore took back are left out, and those
 * that an undo brought back are in again. A restore that left something new (a merge) is a change itself, and so
 * is one that is not to be resolved.
 */
export function effectiveChanges(timeline: Timeline, path: string, treat: (operation: Operation) => Treatment = () => 'resolved'): Chain {
  return walkThrough(timeline, path, treat, () => undefined);
}

/**
 * By restore that has changed a path, the sessions whose work there it took or brought back; undefined among them stands for what is nobody's
 * on record. One that left something new is missing: whose that is can't be told.
 */
export function sessionsMovedAt(timeline: Timeline, path: string): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const moved = new Map<string, ReadonlySet<string | undefined>>();
  walkThrough(timeline, path, () => 'resolved', (operation, before, after) => {
    const changes = [...before.filter(change => !after.includes(change)), ...after.filter(change => !before.includes(change))];
    moved.set(operation.id, new Set(changes.map(({ by }) => (by.kind === 'call' ? by.session : undefined))));
  });
  return moved;
}
