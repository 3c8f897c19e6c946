import { TurnstoneError } from '../core/base/errors.ts';
import type { DonePath } from '../core/rewind/apply.ts';
import type { PlanContext, PlanItem } from '../core/rewind/plan.ts';
import { reportAll } from '../core/rewind/report.ts';
import { carryOut, type Neighbour, type RestoreRequest } from '../core/rewind/request.ts';
import { findNamed, pointKinds, type NamedKind } from '../core/timeline/names.ts';
import type { Timeline } from '../core/timeline/model.ts';
import { promptOf } from '../core/timeline/view.ts';
import type { Options } from './options.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLines } from './plainText.ts';

function operationNamed(timeline: Timeline, { arguments: [id] }: Options): string | undefined {
  return id === undefined ? undefined : findNamed(timeline, id, ['operation']).id;
}

function requestOf(timeline: Timeline, options: Options): RestoreRequest {
  const named = (kinds: readonly NamedKind[]): string => findNamed(timeline, options.arguments[0] ?? '', kinds).id;
  switch (options.command) {
    case 'rewind':
      return { kind: 'rewind', target: named(pointKinds), scope: 'code', reach: options.reach };
    case 'fork':
      return { kind: 'fork', target: named(['turn']), scope: 'code', reach: options.reach };
    case 'switch':
      return { kind: 'switch', target: named(['branch']), scope: 'code' };
    case 'rollback':
      return { kind: 'rollback', target: named(['turn', 'call']), path: options.path };
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
  const warnings = [...result.parts.flatMap(({ plan }) => plan.warnings), ...unreadable.map(name => `The history of ${name} can't be read. What was done there is left as it is.`)];
  const json = {
    id: result.kind === 'applied' ? result.operation : null,
    operation: options.command,
    dryRun: options.dryRun,
    plan: items.map(({ item, root, outcome }) => itemJson(root, item, outcome)),
    counts,
    warnings,
    ...(request.kind === 'fork' ? forked(context, request.target) : {}),
  };
  const lines = items.map(({ item, root, outcome }) => itemLine(result.parts.length > 1 ? root : undefined, item, outcome));
  const exitCode = standing === 'blocked' ? exitCodes.conflict : standing === 'leftovers' || unreadable.length > 0 ? exitCodes.leftovers : exitCodes.done;
  return { json, text: plainLines([...warnings, ...lines, sentence]), exitCode };
}
