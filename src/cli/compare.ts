import { createTwoFilesPatch } from 'diff';
import { TurnstoneError } from '../core/base/errors.ts';
import { sameState, type State } from '../core/snapshot/state.ts';
import { textOf } from '../core/timeline/evidence.ts';
import { stateBefore } from '../core/timeline/manifest.ts';
import { findNamed, pointKinds } from '../core/timeline/names.ts';
import { pointOf } from '../core/timeline/points.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { compareFile, statusOf, viewCall, viewTurn, type FileView } from '../core/timeline/view.ts';
import { fileJson } from './fileJson.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine } from './plainText.ts';

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

export function patches(store: RootStore, files: readonly FileView[]): string {
  return files.map(file => patch(store, file)).join('');
}

/** How what is known of the files differs between two places of the history, each just before a record. */
function between({ timeline }: RootStore, first: number, second: number): readonly FileView[] {
  return [...timeline.changes.keys()].sort().flatMap(path => {
    const before = stateBefore(timeline, path, first);
    const after = stateBefore(timeline, path, second);
    if (before === undefined || after === undefined || sameState(before, after)) return [];
    return [{ path, before, after, status: statusOf(before, after), state: 'active' as const }];
  });
}

function filesOf(store: RootStore, id: string, second: string | undefined): readonly FileView[] {
  const { timeline } = store;
  const place = (named: string): number => pointOf(timeline, findNamed(timeline, named, [...pointKinds, 'branch']).id).fromSeq;
  if (second !== undefined) return between(store, place(id), place(second));
  const named = findNamed(timeline, id, [...pointKinds, 'branch']);
  const turn = timeline.turns.get(named.id);
  const call = timeline.calls.get(named.id);
  if (turn !== undefined) return viewTurn(timeline, turn).files;
  // A step, a checkpoint and a branch changed nothing themselves: what has changed since.
  return call === undefined ? between(store, place(id), timeline.seq + 1) : viewCall(timeline, call);
}

/** `diff`: what a turn or call changed, what differs since a step, checkpoint or branch, or how two such points differ. */
export function diff(store: RootStore, id: string, second: string | undefined, path: string | undefined): Output {
  const files = filesOf(store, id, second).filter(file => path === undefined || file.path === path);
  if (path !== undefined && files.length === 0) throw new TurnstoneError('notFound', `${id} did not change ${path}.`);
  return {
    json: { files: files.map(file => fileJson(store.identity.path, compareFile(file, store.blobs, 3))) },
    text: patches(store, files).trimEnd(),
    exitCode: exitCodes.done,
  };
}
