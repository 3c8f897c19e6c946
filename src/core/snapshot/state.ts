import type * as z from 'zod/mini';
import type { stateSchema } from './stateSchema.ts';

/**
 * What is at a path. These are different things and never inferred from one another: a file that
 * can't be read is not absent, a link is not what it points to.
 */
export type State = Readonly<z.infer<ReturnType<typeof stateSchema>>>;

export const absent: State = { kind: 'absent' };

/** What a path holds as a file: where a folder is, there is as little a file as where nothing is. */
export function asFile(state: State): State {
  return state.kind === 'directory' ? absent : state;
}

/**
 * Whether two observations are of the same thing, permissions aside. A user who only changed a file's
 * mode has changed no content; restores look after modes separately. Folders are no content either: what is
 * in one is told by the paths below it.
 */
export function sameContent(a: State, b: State): boolean {
  switch (a.kind) {
    case 'content':
    case 'oversize':
      return (b.kind === 'content' || b.kind === 'oversize') && a.hash === b.hash;
    case 'link':
      return b.kind === 'link' && a.target === b.target;
    case 'absent':
    case 'directory':
      return b.kind === 'absent' || b.kind === 'directory';
    // What could not be read was never compared, so it equals nothing, not even itself.
    case 'special':
    case 'unreadable':
      return false;
  }
}

/** The permission bits of a state that has any. */
export function modeOf(state: State): number | undefined {
  return state.kind === 'content' || state.kind === 'oversize' || state.kind === 'directory' ? state.mode : undefined;
}

/** Same thing with the same permissions. */
export function sameState(a: State, b: State): boolean {
  return sameContent(a, b) && modeOf(a) === modeOf(b);
}
