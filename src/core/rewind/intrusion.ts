import { sameContent, type State } from '../snapshot/state.ts';
import type { Change } from '../timeline/model.ts';

/** How to tell a restore's own changes from others. */
export interface Choice {
  /** What is to be undone. */
  isChosen(change: Change): boolean;
  /** What is its session's. */
  isOwn(change: Change): boolean;
  /** What is to be undone, but had others' work in it too, which can't be told apart. */
  isShared?(change: Change): boolean;
  /** What is somebody else's, and goes with what is to be undone right after it, where that is decided: the goal is what was before both. */
  isTakenAlong?(change: Change): boolean;
}

/** Foreign work that a path's content holds: the change that first brought it. */
export interface Intrusion {
  readonly change: Change;
  /** What is being undone changed the path on top of it: the two can't be told apart line by line. */
  readonly mixed: boolean;
}

// What could not be read equals nothing, so it is found again by nothing.
function keyOf(state: State): string | undefined {
  switch (state.kind) {
    case 'content':
    case 'oversize':
      return state.hash;
    case 'link':
      return `link ${state.target}`;
    case 'absent':
    case 'directory':
      return 'absent';
    case 'special':
    case 'unreadable':
      return undefined;
  }
}

/** The foreign changes that a state holds, oldest first. */
interface Holding {
  readonly foreign: readonly Change[];
  readonly mixed: boolean;
}

/**
 * Which foreign work is in a path after all its changes, that was not in it before `first`, the first one to
 * undo. Before it everything of the session itself is no foreign work; from there on only what is being undone.
 *
 * A restore that brings an earlier state back brings back what that state held of others: an undo may return
 * a user's line, and from then on that line is to be guarded as on the day it was typed.
 */
export function intrusionIn(changes: readonly Change[], first: number, { isChosen, isOwn }: Choice): Intrusion | undefined {
  const goal = (changes[first] as Change).before;
  const held = new Map<string, Holding>();
  let atGoal: Holding = { foreign: [], mixed: false };
  let current = atGoal;
  const beyondGoal = (): Change | undefined => current.foreign.find(change => !atGoal.foreign.includes(change));
  changes.forEach((change, index) => {
    const [from, to] = [keyOf(change.before), keyOf(change.after)];
    if (from !== undefined) held.set(from, current);
    if (index === first) atGoal = current;
    if (!(index < first ? isOwn(change) : isChosen(change))) current = { ...current, foreign: [...current.foreign, change] };
    else if (change.by.kind === 'operation' && to !== undefined) current = held.get(to) ?? current;
    else if (index >= first && beyondGoal() !== undefined) current = { ...current, mixed: true };
    // Whoever brought it back to what the undoing would leave, there is nothing left to guard.
    if (index >= first && sameContent(change.after, goal)) current = atGoal;
    if (to !== undefined) held.set(to, current);
  });
  const change = beyondGoal();
  return change === undefined ? undefined : { change, mixed: current.mixed };
}
