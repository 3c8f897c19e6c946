import { createTwoFilesPatch } from 'diff';
import { TurnstoneError } from '../core/base/errors.ts';
import type { State } from '../core/snapshot/state.ts';
import { sameState } from '../core/snapshot/state.ts';
import { textOf } from '../core/timeline/evidence.ts';
import { findNamed } from '../core/timeline/names.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { count, promptOf, titleOf, viewCall, viewTurn, viewTurns, type CountedFile, type FileView, type TurnView } from '../core/timeline/view.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine, plainLines } from './plainText.ts';

const marks = { added: 'A', modified: 'M', deleted: 'D' } as const;

function fileJson(root: string, file: CountedFile, withHunks: boolean): unknown {
  const { path, status, added, removed, state } = file;
  const hunks = file.hunks.map(({ id, oldStart, oldLines, newStart, newLines, lines }) => ({ id, oldStart, oldLines, newStart, newLines, lines, state }));
  return { root, path, status, added, removed, state, ...(withHunks ? { hunks } : {}) };
}

function turnJson(store: RootStore, view: TurnView, withHunks: boolean): unknown {
  const { turn } = view;
  return {
    id: turn.id,
    seq: turn.seq,
    session: turn.session,
    agent: view.agent,
    prompt: promptOf(turn, store.blobs),
    openedAt: new Date(turn.at).toISOString(),
    state: turn.state,
    branch: view.branch ?? null,
    coverage: { state: turn.gaps.length === 0 ? 'full' : 'partly', reasons: [...new Set(turn.gaps)] },
    files: view.files.map(file => fileJson(store.identity.path, count(file, store.blobs, 3), withHunks)),
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
  const branch = view.branch === undefined ? '' : ' (rewound)';
  const head = `${turn.id}  ${when}  ${view.agent}  ${titleOf(promptOf(turn, store.blobs))}${state}${branch}`;
  const files = view.files.map(file => fileLine(count(file, store.blobs, 3)));
  return plainLines([head, ...files, ...[...new Set(turn.gaps)].map(reason => `    ! ${reason}`)]);
}

/** `log`: turns, newest first; on the active path, or all. */
export function log(store: RootStore, all: boolean): Output {
  const views = viewTurns(store.timeline, all);
  const damage = store.damage === undefined ? '' : `${plainLine(store.damage)}\n`;
  return {
    json: { turns: views.map(view => turnJson(store, view, false)) },
    text: `${damage}${views.map(view => turnText(store, view)).join('\n') || 'No turns are recorded here yet.'}`,
    exitCode: store.damage === undefined ? exitCodes.done : exitCodes.unusable,
  };
}

function filesOf(store: RootStore, id: string): readonly FileView[] {
  const named = findNamed(store.timeline, id, ['turn', 'call']);
  const turn = store.timeline.turns.get(named.id);
  if (turn !== undefined) return viewTurn(store.timeline, turn).files;
  const call = store.timeline.calls.get(named.id);
  return call === undefined ? [] : viewCall(store.timeline, call);
}

/** `show`: one turn or call, with hunks. */
export function show(store: RootStore, id: string): Output {
  const named = findNamed(store.timeline, id, ['turn', 'call', 'operation']);
  const turn = store.timeline.turns.get(named.id);
  if (turn !== undefined) {
    const view = viewTurn(store.timeline, turn);
    return { json: turnJson(store, view, true), text: `${turnText(store, view)}\n${patches(store, view.files)}`, exitCode: exitCodes.done };
  }
  const operation = store.timeline.operations.get(named.id);
  if (operation !== undefined) {
    const { kind, target, paths } = operation.intent;
    const files = paths.map(({ path, action }) => ({ root: store.identity.path, path, action }));
    return { json: { id: operation.id, operation: kind, target, files }, text: plainLines([`${operation.id}  ${kind} ${target}`, ...files.map(file => `    ${file.action} ${file.path}`)]), exitCode: exitCodes.done };
  }
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
    files: files.map(file => fileJson(store.identity.path, count(file, store.blobs, 3), true)),
  };
  return { json, text: `${plainLine(`${call.id}  ${call.tool}  ${call.outcome}`)}\n${patches(store, files)}`, exitCode: exitCodes.done };
}

function shown(store: RootStore, state: State): string | undefined {
  if (state.kind === 'absent') return '';
  return state.kind === 'content' ? textOf(store.blobs.read(state.hash)) : undefined;
}

function patch(store: RootStore, file: FileView): string {
  const old = shown(store, file.before);
  const fresh = shown(store, file.after);
  const name = plainLine(file.path);
  if (old === undefined || fresh === undefined) return `Binary or special file ${name} differs (${file.before.kind} → ${file.after.kind})`;
  return createTwoFilesPatch(file.status === 'added' ? '/dev/null' : `a/${name}`, file.status === 'deleted' ? '/dev/null' : `b/${name}`, old, fresh, undefined, undefined, { context: 3 });
}

function patches(store: RootStore, files: readonly FileView[]): string {
  return files.map(file => patch(store, file)).join('');
}

/** What a path held just before a record. */
function stateBefore(store: RootStore, path: string, seq: number): State | undefined {
  const changes = store.timeline.changes.get(path) ?? [];
  return changes.findLast(change => change.seq < seq)?.after ?? changes[0]?.before ?? store.timeline.paths.get(path);
}

function between(store: RootStore, from: string, to: string): readonly FileView[] {
  const seqOf = (id: string): number => {
    const named = findNamed(store.timeline, id, ['turn', 'call']);
    return (store.timeline.turns.get(named.id) ?? store.timeline.calls.get(named.id))?.seq ?? 0;
  };
  const [first, second] = [seqOf(from), seqOf(to)];
  return [...store.timeline.changes.keys()].sort().flatMap(path => {
    const before = stateBefore(store, path, first);
    const after = stateBefore(store, path, second);
    if (before === undefined || after === undefined || sameState(before, after)) return [];
    const status = before.kind === 'absent' ? 'added' : after.kind === 'absent' ? 'deleted' : 'modified';
    return [{ path, before, after, status, state: 'active' as const }];
  });
}

/** `diff`: what a turn or call changed, or how the points before two of them differ. */
export function diff(store: RootStore, id: string, second: string | undefined, path: string | undefined): Output {
  const all = second === undefined ? filesOf(store, id) : between(store, id, second);
  const files = all.filter(file => path === undefined || file.path === path);
  if (path !== undefined && files.length === 0) throw new TurnstoneError('notFound', `${id} did not change ${path}.`);
  return {
    json: { files: files.map(file => fileJson(store.identity.path, count(file, store.blobs, 3), true)) },
    text: patches(store, files).trimEnd(),
    exitCode: exitCodes.done,
  };
}
