import { TurnstoneError } from '../core/base/errors.ts';
import type { PlanContext, PlanItem } from '../core/rewind/plan.ts';
import { report, type Report } from '../core/rewind/report.ts';
import { restore, type Select } from '../core/rewind/restore.ts';
import { selectRollback } from '../core/rewind/selection.ts';
import { selectTravel } from '../core/rewind/travel.ts';
import { newestRedoable, newestUndoable, redoable, selectUndo } from '../core/rewind/undo.ts';
import { findNamed, pointKinds } from '../core/timeline/names.ts';
import { promptOf } from '../core/timeline/view.ts';
import type { Timeline } from '../core/timeline/model.ts';
import type { Options } from './options.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLines } from './plainText.ts';

function only(options: Options, what: string): string {
  const [id, ...more] = options.arguments;
  if (id === undefined || more.length > 0) throw new TurnstoneError('usage', `${options.command} takes ${what}. Nothing was touched.`);
  return id;
}

function operationNamed(timeline: Timeline, options: Options): string | undefined {
  const [id, ...more] = options.arguments;
  if (more.length > 0) throw new TurnstoneError('usage', `${options.command} takes one operation at most. Nothing was touched.`);
  return id === undefined ? undefined : findNamed(timeline, id, ['operation']).id;
}

function reachOf({ reach }: Options): 'session' | 'workspace' | undefined {
  if (reach !== undefined && reach !== 'session' && reach !== 'workspace') throw new TurnstoneError('usage', '--reach takes session or workspace. Nothing was touched.');
  return reach;
}

function selectFor(context: PlanContext, options: Options): Select {
  const { timeline } = context.store;
  switch (options.command) {
    case 'rewind':
    case 'fork': {
      const kind = options.command;
      if ((options.scope ?? 'code') !== 'code') throw new TurnstoneError('usage', `This version rewinds code; --scope ${options.scope} is not there yet. Nothing was touched.`);
      const reach = reachOf(options);
      const { id } = kind === 'fork' ? findNamed(timeline, only(options, 'one turn'), ['turn']) : findNamed(timeline, only(options, 'one turn, call, step or checkpoint'), pointKinds);
      return (now, look) => selectTravel(now, { kind, target: id, scope: 'code', reach }, look);
    }
    case 'switch': {
      const { id } = findNamed(timeline, only(options, 'one branch'), ['branch']);
      return (now, look) => selectTravel(now, { kind: 'switch', target: id, scope: 'code' }, look);
    }
    case 'rollback': {
      if (options.hunk !== undefined) throw new TurnstoneError('usage', 'This version rolls back files, calls and turns; --hunk is not there yet. Nothing was touched.');
      const { id } = findNamed(timeline, only(options, 'one turn or call'), ['turn', 'call']);
      return (now, look) => selectRollback(now, id, options.path, look);
    }
    case 'undo':
    case 'redo': {
      const kind = options.command;
      const named = operationNamed(timeline, options);
      // Which one is the newest is known only when a restore that a crash cut short is finished.
      return now => {
        const id = named ?? (kind === 'undo' ? newestUndoable : newestRedoable)(now).id;
        const operation = now.operations.get(id);
        if (operation?.done === undefined) throw new TurnstoneError('notFound', `${id} has not ended. Nothing was touched.`);
        return selectUndo(now, kind, kind === 'redo' ? redoable(now, operation) : operation);
      };
    }
    default:
      throw new TurnstoneError('usage', `There is no restore called ${options.command}. Nothing was touched.`);
  }
}

function itemJson(root: string, item: PlanItem, summary: Report): unknown {
  const { path, action, reason } = item;
  const outcome = summary.outcomes.get(path);
  const why = outcome?.reason ?? reason;
  return { root, path, action, ...(why === undefined ? {} : { reason: why }), ...(outcome === undefined ? {} : { outcome: outcome.outcome }) };
}

/** What a script needs to go on from a fork: the session, and the prompt to change. */
function forked({ store }: PlanContext, target: string): { readonly session: string; readonly prompt: string } | undefined {
  const turn = store.timeline.turns.get(target);
  return turn === undefined ? undefined : { session: turn.session, prompt: promptOf(turn, store.blobs) };
}

/** `rewind`, `rollback`, `undo`, `redo`, `switch` and `fork`. */
export async function runRestore(context: PlanContext, options: Options): Promise<Output> {
  // What is not found may be in the part that can't be read.
  if (context.store.damage !== undefined) throw new TurnstoneError('damaged', context.store.damage);
  const select = selectFor(context, options);
  // Whoever scripts against a dry run is told what would keep the real one from beginning.
  if (options.dryRun) await context.store.mustAllowRestoring();
  const result = await restore(context, select, { decide: () => options.onConflict, dryRun: options.dryRun });
  const summary = report(result);
  const root = context.store.identity.path;
  const json = {
    id: result.kind === 'applied' ? result.operation : null,
    operation: options.command,
    dryRun: options.dryRun,
    plan: result.plan.items.map(item => itemJson(root, item, summary)),
    counts: summary.counts,
    ...(options.command === 'fork' ? forked(context, result.plan.selection.target) : {}),
  };
  const lines = result.plan.items.map(item => {
    const outcome = summary.outcomes.get(item.path);
    const why = outcome?.reason ?? item.reason;
    return `    ${outcome === undefined || outcome.outcome === 'done' ? item.action : outcome.outcome} ${item.path}${why === undefined ? '' : ` (${why})`}`;
  });
  const exitCode = summary.standing === 'blocked' ? exitCodes.conflict : summary.standing === 'leftovers' ? exitCodes.leftovers : exitCodes.done;
  return { json, text: plainLines([...result.plan.warnings, ...lines, summary.sentence]), exitCode };
}
