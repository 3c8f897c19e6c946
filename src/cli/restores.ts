import { TurnstoneError } from '../core/base/errors.ts';
import type { DonePath } from '../core/rewind/apply.ts';
import type { PlanContext, PlanItem } from '../core/rewind/plan.ts';
import { reportAll } from '../core/rewind/report.ts';
import { carryOut, type Neighbour, type RestoreRequest } from '../core/rewind/request.ts';
import { findNamed, pointKinds } from '../core/timeline/names.ts';
import type { Timeline } from '../core/timeline/model.ts';
import { promptOf } from '../core/timeline/view.ts';
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

function requestOf(timeline: Timeline, options: Options): RestoreRequest {
  switch (options.command) {
    case 'rewind':
    case 'fork': {
      const kind = options.command;
      if ((options.scope ?? 'code') !== 'code') throw new TurnstoneError('usage', `This version rewinds code; --scope ${options.scope} is not there yet. Nothing was touched.`);
      const { id } = kind === 'fork' ? findNamed(timeline, only(options, 'one turn'), ['turn']) : findNamed(timeline, only(options, 'one turn, call, step or checkpoint'), pointKinds);
      return { kind, target: id, scope: 'code', reach: reachOf(options) };
    }
    case 'switch':
      return { kind: 'switch', target: findNamed(timeline, only(options, 'one branch'), ['branch']).id, scope: 'code' };
    case 'rollback': {
      if (options.hunk !== undefined) throw new TurnstoneError('usage', 'This version rolls back files, calls and turns; --hunk is not there yet. Nothing was touched.');
      return { kind: 'rollback', target: findNamed(timeline, only(options, 'one turn or call'), ['turn', 'call']).id, path: options.path };
    }
    case 'undo':
    case 'redo':
      return { kind: options.command, operation: operationNamed(timeline, options) };
    default:
      throw new TurnstoneError('usage', `There is no restore called ${options.command}. Nothing was touched.`);
  }
}

function itemJson(root: string, item: PlanItem, outcome: DonePath | undefined): unknown {
  const { path, action, reason } = item;
  const why = outcome?.reason ?? reason;
  return { root, path, action, ...(why === undefined ? {} : { reason: why }), ...(outcome === undefined ? {} : { outcome: outcome.outcome }) };
}

function itemLine(root: string | undefined, item: PlanItem, outcome: DonePath | undefined): string {
  const why = outcome?.reason ?? item.reason;
  const action = outcome === undefined || outcome.outcome === 'done' ? item.action : outcome.outcome;
  return `    ${action} ${root === undefined ? '' : `${root}: `}${item.path}${why === undefined ? '' : ` (${why})`}`;
}

/** What a script needs to go on from a fork: the session, and the prompt to change. */
function forked({ store }: PlanContext, target: string): { readonly session: string; readonly prompt: string } | undefined {
  const turn = store.timeline.turns.get(target);
  return turn === undefined ? undefined : { session: turn.session, prompt: promptOf(turn, store.blobs) };
}

/** `rewind`, `rollback`, `undo`, `redo`, `switch` and `fork`. */
export async function runRestore(context: PlanContext, neighbours: readonly Neighbour[], options: Options): Promise<Output> {
  // What is not found may be in the part that can't be read.
  if (context.store.damage !== undefined) throw new TurnstoneError('damaged', context.store.damage);
  const request = requestOf(context.store.timeline, options);
  // Whoever scripts against a dry run is told what would keep the real one from beginning.
  if (options.dryRun) await context.store.mustAllowRestoring();
  const { result, unreadable } = await carryOut(context, request, neighbours, { decide: () => options.onConflict, dryRun: options.dryRun });
  const { counts, outcomes, standing, sentence } = reportAll(result);
  const items = result.parts.flatMap((part, index) => part.plan.items.map(item => ({ item, root: part.context.store.identity.path, outcome: outcomes[index]?.get(item.path) })));
  const json = {
    id: result.kind === 'applied' ? result.operation : null,
    operation: options.command,
    dryRun: options.dryRun,
    plan: items.map(({ item, root, outcome }) => itemJson(root, item, outcome)),
    counts,
    ...(request.kind === 'fork' ? forked(context, request.target) : {}),
  };
  const warnings = [...result.parts.flatMap(({ plan }) => plan.warnings), ...unreadable.map(name => `The history of ${name} can't be read. What was done there is left as it is.`)];
  const lines = items.map(({ item, root, outcome }) => itemLine(result.parts.length > 1 ? root : undefined, item, outcome));
  const exitCode = standing === 'blocked' ? exitCodes.conflict : standing === 'leftovers' || unreadable.length > 0 ? exitCodes.leftovers : exitCodes.done;
  return { json, text: plainLines([...warnings, ...lines, sentence]), exitCode };
}
