import { TurnstoneError } from '../core/base/errors.ts';
import { findNamed } from '../core/timeline/names.ts';
import type { NamedPoint } from '../core/timeline/model.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { compareFile, countFile, promptOf, titleOf, viewCall, viewTurn, viewTurns, type CountedFile, type TurnView } from '../core/timeline/view.ts';
import { branchByTurn, showBranch } from './branches.ts';
import { patches } from './compare.ts';
import { fileJson } from './fileJson.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine, plainLines } from './plainText.ts';

const marks = { added: 'A', modified: 'M', deleted: 'D' } as const;

function turnJson(store: RootStore, view: TurnView, branches: ReadonlyMap<string, string>, withHunks: boolean): object {
  const { turn } = view;
  return {
    id: turn.id,
    seq: turn.seq,
    session: turn.session,
    agent: view.agent,
    prompt: promptOf(turn, store.blobs),
    openedAt: new Date(turn.at).toISOString(),
    state: turn.state,
    branch: view.abandonedBy === undefined ? null : (branches.get(turn.id) ?? null),
    coverage: { state: turn.gaps.length === 0 ? 'full' : 'partly', reasons: [...new Set(turn.gaps)] },
    files: view.files.map(file => fileJson(store.identity.path, withHunks ? compareFile(file, store.blobs, 3) : countFile(file, store.blobs))),
  };
}

function fileLine(file: CountedFile): string {
  const counts = file.kind === 'text' ? ` +${file.added} −${file.removed}` : file.kind === 'none' ? '' : ` (${file.kind})`;
  const state = file.state === 'active' ? '' : ` [${file.state === 'rolledBack' ? 'rolled back' : file.state}]`;
  return `    ${marks[file.status]} ${file.path}${counts}${state}`;
}

function turnText(store: RootStore, view: TurnView): string {
  const { turn } = view;
  const when = new Date(turn.at).toISOString().slice(0, 19).replace('T', ' ');
  const state = turn.state === 'closed' ? '' : ` (${turn.state})`;
  const branch = view.abandonedBy === undefined ? '' : ' (rewound)';
  const head = `${turn.id}  ${when}  ${view.agent}  ${titleOf(promptOf(turn, store.blobs))}${state}${branch}`;
  const files = view.files.map(file => fileLine(countFile(file, store.blobs)));
  return plainLines([head, ...files, ...[...new Set(turn.gaps)].map(reason => `    ! ${reason}`)]);
}

/** `log`: turns, newest first; on the active path, or all. */
export function log(store: RootStore, all: boolean): Output {
  const views = viewTurns(store.timeline, all);
  const branches = branchByTurn(store, views);
  return {
    json: { turns: views.map(view => turnJson(store, view, branches, false)) },
    text: views.map(view => turnText(store, view)).join('\n') || 'No turns are recorded here yet.',
    exitCode: exitCodes.done,
  };
}

function showPoint({ blobs }: RootStore, { id, kind, seq, at, session, turn, label }: NamedPoint): Output {
  const name = label === undefined ? null : Buffer.from(blobs.read(label)).toString('utf8');
  const json = { id, kind, seq, session: session ?? null, turn: turn ?? null, madeAt: new Date(at).toISOString(), label: name };
  return { json, text: plainLine(`${id}  ${json.madeAt.slice(0, 19).replace('T', ' ')}  ${kind}${name === null ? '' : `  ${name}`}`), exitCode: exitCodes.done };
}

/** `show`: one turn or call, with hunks. */
export function show(store: RootStore, id: string): Output {
  const named = findNamed(store.timeline, id, ['turn', 'call', 'step', 'checkpoint', 'branch', 'operation']);
  const turn = store.timeline.turns.get(named.id);
  if (turn !== undefined) {
    const view = viewTurn(store.timeline, turn);
    return { json: turnJson(store, view, branchByTurn(store, [view]), true), text: `${turnText(store, view)}\n${patches(store, view.files)}`, exitCode: exitCodes.done };
  }
  const operation = store.timeline.operations.get(named.id);
  if (operation !== undefined) {
    const { kind, target, paths } = operation.intent;
    const files = paths.map(({ path, action }) => ({ root: store.identity.path, path, action }));
    return { json: { id: operation.id, operation: kind, target, files }, text: plainLines([`${operation.id}  ${kind} ${target}`, ...files.map(file => `    ${file.action} ${file.path}`)]), exitCode: exitCodes.done };
  }
  if (named.kind === 'branch') return showBranch(store, named.id);
  const point = store.timeline.points.get(named.id);
  if (point !== undefined) return showPoint(store, point);
  const call = store.timeline.calls.get(named.id);
  if (call === undefined) throw new TurnstoneError('notFound', `There is nothing with the id ${id}.`);
  const files = viewCall(store.timeline, call);
  const json = {
    id: call.id,
    seq: call.seq,
    session: call.session,
    turn: call.turn,
    tool: call.tool,
    delegate: call.delegate ?? null,
    openedAt: new Date(call.at).toISOString(),
    outcome: call.outcome,
    files: files.map(file => fileJson(store.identity.path, compareFile(file, store.blobs, 3))),
  };
  return { json, text: `${plainLine(`${call.id}  ${call.tool}  ${call.outcome}`)}\n${patches(store, files)}`, exitCode: exitCodes.done };
}
