import type { State } from '../../src/core/snapshot/state.ts';
import type { RootStore } from '../../src/core/timeline/store.ts';

/** What a state holds, as text; its kind for what is no file. */
export function textOf(store: RootStore, state: State): string {
  return state.kind === 'content' ? Buffer.from(store.blobs.read(state.hash)).toString('utf8') : state.kind;
}
