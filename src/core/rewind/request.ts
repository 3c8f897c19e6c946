import { systemCode, TurnstoneError } from '../base/errors.ts';
import type { Operation, Timeline } from '../timeline/model.ts';
import { backElsewhere, rollbackElsewhere, switchElsewhere, travelElsewhere, type Elsewhere } from './elsewhere.ts';
import type { PlanContext } from './plan.ts';
import { recoverEverywhere, type Ended, type Found } from './recover.ts';
import { recoveredSentences, together } from './recovered.ts';
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
    case 'rollback':
      return request.path === undefined ? rollbackElsewhere(timeline, request.target) : undefined;
  }
}

/** Keeps a request to the restore that it means now, so that it means the same one in all folders. */
function pinned(timeline: Timeline, request: RestoreRequest): RestoreRequest {
  if (request.kind !== 'undo' && request.kind !== 'redo') return request;
  const operation = operationFor(timeline, request.kind, request.operation);
  return operation.intent.roots === undefined ? request : { ...request, operation: operation.id };
}

/** Opens the histories of all folders that are new enough to have a part in it. */
function openAll(neighbours: readonly Neighbour[], { since }: Elsewhere): { readonly folders: readonly PlanContext[]; readonly unreadable: readonly string[] } {
  const folders: PlanContext[] = [];
  const unreadable: string[] = [];
  for (const neighbour of neighbours) {
    try {
      if ((neighbour.newest() ?? Number.POSITIVE_INFINITY) < since) continue;
      const context = neighbour.open();
      context.store.refresh();
      folders.push(context);
    } catch (error) {
      if (!TurnstoneError.is(error) && systemCode(error) === undefined) throw error;
      unreadable.push(neighbour.name);
    }
  }
  return { folders, unreadable };
}

/**
 * What a request means in all folders: in the one in which it is made, and in those in which the same turns, or the same restore,
 * left something. Reads histories, writes nothing. `unreadable` are the folders of which that can't be told.
 */
function errandsFor(home: PlanContext, request: RestoreRequest, neighbours: readonly Neighbour[]): Errands {
  home.store.refresh();
  const { timeline } = home.store;
  const own: Errand = { context: home, select: selectFor(pinned(timeline, request)) };
  const there = elsewhere(timeline, request);
  if (there === undefined) return { errands: [own], unreadable: [] };
  const { folders, unreadable } = openAll(neighbours, there);
  const errands = new Map<PlanContext, Errand>([[home, own]]);
  const concerned = new Set(there.concerned);
  // A folder that is brought in may bring in others: until no more come.
  for (let known = -1; known < concerned.size; ) {
    known = concerned.size;
    for (const context of folders) {
      if (errands.has(context)) continue;
      const select = there.select(context.store.timeline, concerned);
      if (select === undefined) continue;
      errands.set(context, { context, select });
      for (const session of there.concernedBy(context.store.timeline)) concerned.add(session);
    }
  }
  const damaged = folders.filter(context => !errands.has(context) && context.store.damage !== undefined).map(context => context.store.identity.path);
  return { errands: [...errands.values()], unreadable: [...unreadable, ...damaged] };
}

interface Errands {
  readonly errands: readonly Errand[];
  readonly unreadable: readonly string[];
}

/** Ends what a crash cut short, in the request's own folder and then in all that it concerns: which those are may be another matter after that. */
async function recoverFor(errandsNow: () => Errands, home: PlanContext, told: (found: Found<Ended>) => void): Promise<Errands> {
  told(await recoverEverywhere([home]));
  for (;;) {
    const errands = errandsNow();
    const found = await recoverEverywhere(errands.errands.map(({ context }) => context));
    told(found);
    if (found.operations.length === 0) return errands;
  }
}

/** Whoever is told that nothing was touched has to know what was, before that. */
function afterRecovery(error: unknown, found: Found<Ended>): unknown {
  if (!TurnstoneError.is(error) || found.operations.length === 0) return error;
  return new TurnstoneError(error.code, `${recoveredSentences(found).join(' ')} After that: ${error.message}`, error);
}

/** What can't be looked at stays what nobody knows of, and its turn says so. */
async function lookAround(context: PlanContext): Promise<void> {
  try {
    await context.lookAround?.();
  } catch (error) {
    if (!TurnstoneError.is(error) && systemCode(error) === undefined) throw error;
  }
}

/** Carries a request out, in all folders that it concerns. `unreadable` are those of which that can't be told. */
export async function carryOut(home: PlanContext, request: RestoreRequest, neighbours: readonly Neighbour[], options: RestoreOptions): Promise<{ readonly result: WholeResult; readonly unreadable: readonly string[] }> {
  const errandsNow = (): Errands => errandsFor(home, request, neighbours);
  let ended: Found<Ended> = { operations: [], closed: [], looked: new Map() };
  try {
    const { errands, unreadable } = options.dryRun ? errandsNow() : await recoverFor(errandsNow, home, found => (ended = together(ended, found)));
    if (!options.dryRun) for (const { context } of errands) await lookAround(context);
    return { result: await restoreEverywhere(errands, options, ended), unreadable };
  } catch (error) {
    throw afterRecovery(error, ended);
  }
}
