import type { Files } from '../core/base/files.ts';
import type { Workspace } from '../core/base/workspace.ts';
import type { RootStore } from '../core/timeline/store.ts';

/** A recorded folder in which tools may work. */
export interface ToolFolder {
  readonly key: string;
  readonly store: RootStore;
}

/** What tools work with. */
export interface ToolHost {
  readonly files: Files;
  readonly workspace: Workspace;
  /** Asked at every call: a folder may have become known meanwhile. Relative paths are in the first one that has them. */
  folders(): readonly ToolFolder[];
  /** Why there is none, for a model to tell its user. */
  readonly whyNone: string;
}

/** How far each folder's history has come, as far as it can be read. */
export function seqsOf(host: ToolHost): ReadonlyMap<string, number> {
  return new Map(
    host.folders().map(({ key, store }) => {
      try {
        store.refresh();
      } catch {
        // Whoever calls a tool is told.
      }
      return [key, store.timeline.seq];
    }),
  );
}
