import { createTwoFilesPatch } from 'diff';
import { sameState, type State } from '../snapshot/state.ts';
import { textOf } from './evidence.ts';
import { stateBefore } from './manifest.ts';
import type { Timeline } from './model.ts';
import { findNamed, pointKinds } from './names.ts';
import { pointOf } from './points.ts';
import type { RootStore } from './store.ts';
import { statusOf, viewCall, viewTurn, type FileView } from './view.ts';

function shown({ blobs }: Pick<RootStore, 'blobs'>, state: State): string | undefined {
  if (state.kind === 'absent') return '';
  return state.kind === 'content' ? textOf(blobs.read(state.hash)) : undefined;
}

/** A unified patch of one file, under the name that it is shown with. */
export function patchOf(store: Pick<RootStore, 'blobs'>, file: FileView, name: string): string {
  const old = shown(store, file.before);
  const fresh = shown(store, file.after);
  if (old === undefined || fresh === undefined) return `Binary or special file ${name} differs (${file.before.kind} → ${file.after.kind})`;
  return createTwoFilesPatch(file.status === 'added' ? '/dev/null' : `a/${name}`, file.status === 'deleted' ? '/dev/null' : `b/${name}`, old, fresh, undefined, undefined, { context: 3 });
}

/** How what is known of the files differs between two places of the history, each just before a record. */
function between(timeline: Timeline, first: number, second: number): readonly FileView[] {
  return [...timeline.changes.keys()].sort().flatMap(path => {
    const before = stateBefore(timeline, path, first);
    const after = stateBefore(timeline, path, second);
    if (before === undefined || after === undefined || sameState(before, after)) return [];
    return [{ path, before, after, status: statusOf(before, after), state: 'active' as const }];
  });
}

/** What a turn or call changed, what differs since a step, checkpoint or branch, or, with a second id, how the two differ. Throws `notFound`. */
export function filesNamed(timeline: Timeline, id: string, second: string | undefined): readonly FileView[] {
  const place = (named: string): number => pointOf(timeline, findNamed(timeline, named, [...pointKinds, 'branch']).id).fromSeq;
  if (second !== undefined) return between(timeline, place(id), place(second));
  const named = findNamed(timeline, id, [...pointKinds, 'branch']);
  const turn = timeline.turns.get(named.id);
  const call = timeline.calls.get(named.id);
  if (turn !== undefined) return viewTurn(timeline, turn).files;
  // A step, a checkpoint and a branch changed nothing themselves: what has changed since.
  return call === undefined ? between(timeline, place(id), timeline.seq + 1) : viewCall(timeline, call);
}
