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
  /** Whether the user has paused recording there. */
  isPaused(root: KnownRoot): boolean;
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

/** Throws `notRecording` where the user has paused recording. */
export function mustRecord(host: Pick<ToolHost, 'isPaused'>, { store: { identity } }: ToolFolder): void {
  if (host.isPaused(identity)) throw new Refused('notRecording', `Recording is paused in ${identity.path}, so what is done there could not be taken back. Nothing was done. The user can go on with the command "Turnstone: Resume Recording" or \`turnstone resume\`.`);
}
