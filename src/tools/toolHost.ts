import type { Files } from '../core/base/files.ts';
import type { Workspace } from '../core/base/workspace.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { Refused } from './toolResult.ts';

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
  /** Why nothing is to be recorded in one of them: it is paused, or forbidden. */
  whyNotIn(root: KnownRoot): string | undefined;
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

/** Throws `notRecording` where recording is paused or forbidden. */
export function mustRecord(host: Pick<ToolHost, 'whyNotIn'>, { store: { identity } }: ToolFolder): void {
  const why = host.whyNotIn(identity);
  if (why !== undefined) throw new Refused('notRecording', `Not recording, so it could not be taken back. Nothing was done. ${why}`);
}
