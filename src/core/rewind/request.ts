import { systemCode, TurnstoneError } from '../base/errors.ts';
import { findBranch } from '../timeline/branches.ts';
import { isWithin, reachOf, type Reach } from '../timeline/activity.ts';
import type { Operation, Timeline } from '../timeline/model.ts';
import { pointOf, type Point } from '../timeline/points.ts';
import type { PlanContext } from './plan.ts';
import { recoverEverywhere } from './recover.ts';
import { restoreEverywhere, type Errand, type RestoreOptions, type Select, type WholeResult } from './restore.ts';
import { selectRollback } from './selection.ts';
import { selectTravel, type Travel } from './travel.ts';
import { newestRedoable, newestUndoable, redoable, selectUndo } from './undo.ts';

/** What a user asks for. `operation`: by default the newest. */
export type RestoreRequest =
  | ({ readonly kind: 'rewind' | 'switch' | 'fork' } & Travel)
  | { readonly kind: 'rollback'; readonly target: string; readonly path: string | undefined }
  | { readonly kind: 'undo' | 'redo'; readonly operation: string | undefined };

/** Another known folder, whose history is opened only where it may have a part in a restore. */
export interface Neighbour {
  readonly name: string;
  /** When its newest record was made, in milliseconds since 1970; undefined where that can't be told at a glance. */
  newest(): number | undefined;
  open(): PlanContext;
}

function operationFor(timeline: Timeline, kind: 'undo' | 'redo', named: string | undefined): Operation {
  const id = named ?? (kind === 'undo' ? newestUndoable : newestRedoable)(timeline).id;
  const operation = timeline.operations.get(id);
  if (operation?.done === undefined || operation.done.cancelled === true) throw new TurnstoneError('notFound', `${id} has not ended. Nothing was touched.`);
  return kind === 'redo' ? redoable(timeline, operation) : operation;
}

/** What a request selects in the folder in which it is made. */
export function selectFor(request: RestoreRequest): Select {
  switch (request.kind) {
    case 'rollback':
      return (timeline, look) => selectRollback(timeline, request.target, request.path, look);
    case 'undo':
    case 'redo':
      // Which one is the newest is known only when a restore that a crash cut short is finished.
      return timeline => selectUndo(timeline, request.kind, operationFor(timeline, request.kind, request.operation));
    default:
      return (timeline, look) => selectTravel(timeline, request, look);
  }
}

/** When something began in one folder: the cut in all others. */
interface Cut {
  readonly target: string;
  readonly at: number;
  readonly reach: Reach;
}

/** Where a cut is in another folder: at the turn itself, or the first record of the reach that is not older; undefined where there is none. */
function fromSeqAt(timeline: Timeline, { target, at, reach }: Cut): number | undefined {
  const begun = [...timeline.turns.values(), ...timeline.calls.values()].filter(item => item.at >= at && isWithin(reach, item.session)).map(({ seq }) => seq);
  const restored = [...timeline.operations.values()].filter(operation => operation.at >= at && isWithin(reach, reachOf(operation.intent).session)).map(({ seq }) => seq);
  // A turn begins in each folder with the first that it did there: which one that was, no clock has to tell.
  const itself = timeline.turns.get(target)?.seq ?? Number.POSITIVE_INFINITY;
  const first = Math.min(itself, ...begun, ...restored);
  return Number.isFinite(first) ? first : undefined;
}

function timeOf(timeline: Timeline, id: string): number {
  return (timeline.turns.get(id) ?? timeline.calls.get(id) ?? timeline.points.get(id))?.at ?? timeline.at;
}

/** When a turn or a call began, in whichever folder: all that other folders know of it is not older. */
function begunAt(timeline: Timeline, id: string): number {
  // Only the folder in which the agent was asked knows the prompt. In any other, a turn begins when it comes there.
  const cameFromElsewhere = timeline.turns.has(id) && timeline.turns.get(id)?.prompt === undefined;
  return cameFromElsewhere ? Number.NEGATIVE_INFINITY : timeOf(timeline, id);
}

interface Elsewhere {
  /** Nothing older than this has a part in it. */
  readonly since: number;
  select(timeline: Timeline): Select | undefined;
}

function backElsewhere(kind: 'undo' | 'redo', operation: Operation): Elsewhere | undefined {
  if (operation.intent.roots === undefined) return undefined;
  return { since: operation.at, select: there => (there.operations.has(operation.id) ? timeline => selectUndo(timeline, kind, timeline.operations.get(operation.id) as Operation) : undefined) };
}

function switchElsewhere(timeline: Timeline, travel: Travel): Elsewhere | undefined {
  const left = [...timeline.operations.values()].find(({ seq }) => seq === findBranch(timeline, travel.target)?.end);
  if (left?.intent.roots === undefined) return undefined;
  return {
    since: left.at,
    select(there) {
      const same = there.operations.get(left.id);
      if (same === undefined) return undefined;
      const point: Point = { target: travel.target, kind: 'branch', fromSeq: same.seq, reach: reachOf(same.intent) };
      return (now, look) => selectTravel(now, { ...travel, point }, look);
    },
  };
}

function travelElsewhere(timeline: Timeline, travel: Travel): Elsewhere | undefined {
  const point = pointOf(timeline, travel.target);
  // What a whole workspace is, only an editor knows; a session's own folders are told by their records.
  if (travel.reach === 'workspace' || point.reach.session === undefined) return undefined;
  const cut = { target: travel.target, at: timeOf(timeline, travel.target), reach: point.reach };
  return {
    since: begunAt(timeline, travel.target),
    select(there) {
      if (fromSeqAt(there, cut) === undefined) return undefined;
      return (now, look) => selectTravel(now, { ...travel, point: { ...point, fromSeq: fromSeqAt(now, cut) ?? now.seq + 1 } }, look);
    },
  };
}

function elsewhere(timeline: Timeline, request: RestoreRequest): Elsewhere | undefined {
  switch (request.kind) {
    case 'undo':
    case 'redo':
      return backElsewhere(request.kind, operationFor(timeline, request.kind, request.operation));
    case 'switch':
      return switchElsewhere(timeline, request);
    case 'rewind':
    case 'fork':
      return travelElsewhere(timeline, request);
    case 'rollback': {
      const { target } = request;
      if (request.path !== undefined) return undefined;
      return { since: begunAt(timeline, target), select: there => ((there.turns.get(target)?.calls.length ?? 0) > 0 ? (now, look) => selectRollback(now, target, undefined, look) : undefined) };
    }
  }
}

/** Keeps a request to the restore that it means now, so that it means the same one in all folders. */
function pinned(timeline: Timeline, request: RestoreRequest): RestoreRequest {
  if (request.kind !== 'undo' && request.kind !== 'redo') return request;
  const operation = operationFor(timeline, request.kind, request.operation);
  return operation.intent.roots === undefined ? request : { ...request, operation: operation.id };
}

/**
 * What a request means in all folders: in the one in which it is made, and in those in which the same turns, or the same restore,
 * left something. Reads histories, writes nothing. `unreadable` are the folders of which that can't be told.
 */
function errandsFor(home: PlanContext, request: RestoreRequest, neighbours: readonly Neighbour[]): { readonly errands: readonly Errand[]; readonly unreadable: readonly string[] } {
  home.store.refresh();
  const { timeline } = home.store;
  const errands: Errand[] = [{ context: home, select: selectFor(pinned(timeline, request)) }];
  const unreadable: string[] = [];
  const there = elsewhere(timeline, request);
  for (const neighbour of there === undefined ? [] : neighbours) {
    try {
      if ((neighbour.newest() ?? Number.POSITIVE_INFINITY) < (there as Elsewhere).since) continue;
      const context = neighbour.open();
      context.store.refresh();
      const select = (there as Elsewhere).select(context.store.timeline);
      if (select !== undefined) errands.push({ context, select });
      else if (context.store.damage !== undefined) unreadable.push(neighbour.name);
    } catch (error) {
      if (!TurnstoneError.is(error) && systemCode(error) === undefined) throw error;
      unreadable.push(neighbour.name);
    }
  }
  return { errands, unreadable };
}

/** Carries a request out, in all folders that it concerns. `unreadable` are those of which that can't be told. */
export async function carryOut(home: PlanContext, request: RestoreRequest, neighbours: readonly Neighbour[], options: RestoreOptions): Promise<{ readonly result: WholeResult; readonly unreadable: readonly string[] }> {
  if (!options.dryRun) await recoverEverywhere([home]);
  const { errands, unreadable } = errandsFor(home, request, neighbours);
  return { result: await restoreEverywhere(errands, options), unreadable };
}
