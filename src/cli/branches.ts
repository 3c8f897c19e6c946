import { branchesOf, findBranch, type Branch } from '../core/timeline/branches.ts';
import { findNamed } from '../core/timeline/names.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { promptOf, titleOf, type TurnView } from '../core/timeline/view.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine, plainLines } from './plainText.ts';

/** A branch is called after its first prompt; one without a turn of its own after the turn that it stands on. */
export function branchName({ timeline, blobs }: RootStore, { turns, from }: Branch): string {
  const turn = timeline.turns.get(turns[0] ?? from ?? '');
  if (turn === undefined) return 'the beginning';
  const title = titleOf(promptOf(turn, blobs));
  return turns.length === 0 ? `after ${title}` : title;
}

function branchJson(store: RootStore, branch: Branch): { readonly id: string; readonly name: string; readonly current: boolean; readonly from: string | null; readonly turns: readonly string[] } {
  const { id, current, from, turns } = branch;
  return { id, name: branchName(store, branch), current, from: from ?? null, turns };
}

function line(store: RootStore, branch: Branch): string {
  const { id, name, current, turns } = branchJson(store, branch);
  return plainLine(`${current ? '*' : ' '} ${id}  ${name}  (${turns.length === 1 ? '1 turn' : `${turns.length} turns`})`);
}

/** `branches`: the one that is checked out, then those that can be switched to. */
export function branches(store: RootStore): Output {
  const all = branchesOf(store.timeline);
  return { json: { branches: all.map(branch => branchJson(store, branch)) }, text: all.map(branch => line(store, branch)).join('\n'), exitCode: exitCodes.done };
}

/** `show` of a branch. */
export function showBranch(store: RootStore, id: string): Output {
  const branch = findBranch(store.timeline, findNamed(store.timeline, id, ['branch']).id) as Branch;
  const turns = branch.turns.map(turn => store.timeline.turns.get(turn)).filter(turn => turn !== undefined);
  const lines = turns.map(turn => `    ${turn.id}  ${titleOf(promptOf(turn, store.blobs))}`);
  return { json: branchJson(store, branch), text: plainLines([line(store, branch), ...lines]), exitCode: exitCodes.done };
}

/** By abandoned turn, the listed branch that it is on. */
export function branchByTurn({ timeline }: RootStore, views: readonly TurnView[]): ReadonlyMap<string, string> {
  if (views.every(({ abandonedBy }) => abandonedBy === undefined)) return new Map();
  const left = branchesOf(timeline).filter(({ current }) => !current);
  // The one that was left last comes first, and has the say.
  return new Map(left.toReversed().flatMap(({ id, turns }) => turns.map(turn => [turn, id] as const)));
}
