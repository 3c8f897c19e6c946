import { TurnstoneError } from '../core/base/errors.ts';
import { nodeFiles } from '../core/base/files.ts';
import type { Workspace } from '../core/base/workspace.ts';
import { hasOpenLooks } from '../core/capture/openLooks.ts';
import type { PlanContext, RunningHere } from '../core/rewind/plan.ts';
import type { Neighbour } from '../core/rewind/request.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { LookThread } from './lookThread.ts';
import { shortPath } from './places.ts';
import type { Recordings } from './recordings.ts';

/** What restores from this window work with: every known folder, and this window's editors. */
export class PlanContexts {
  private readonly recordings: Recordings;
  private readonly workspace: Workspace;
  private readonly looks: LookThread | undefined;
  private readonly running: RunningHere | undefined;

  constructor(recordings: Recordings, workspace: Workspace, looks?: LookThread, running?: RunningHere) {
    this.recordings = recordings;
    this.workspace = workspace;
    this.looks = looks;
    this.running = running;
  }

  of({ store }: { readonly store: RootStore }): PlanContext {
    const sister: NonNullable<PlanContext['sister']> = root => {
      const other = this.recordings.storeWithKey(root.key);
      return other?.identity.store === root.store ? this.of({ store: other }) : undefined;
    };
    // Without a call that is running there is nothing to look for, and no thread is started.
    const lookAround = async (): Promise<void> => {
      if (hasOpenLooks(nodeFiles, store.directory)) await this.looks?.at(store.identity.key).between();
    };
    return { files: nodeFiles, store, workspace: this.workspace, sister, lookAround, running: this.running };
  }

  /** The other known folders, open here or not: a session may have worked there too. */
  neighboursOf({ root }: { readonly root: KnownRoot }): readonly Neighbour[] {
    const others = this.recordings.roots.list().filter(({ key }) => key !== root.key);
    return others.map(other => ({ name: this.nameOf(other), newest: () => this.recordings.newestIn(other), open: () => this.open(other) }));
  }

  private nameOf({ key, path }: KnownRoot): string {
    return this.recordings.withKey(key)?.name ?? shortPath(path);
  }

  private open({ key, path }: KnownRoot): PlanContext {
    const store = this.recordings.storeWithKey(key);
    if (store === undefined) throw new TurnstoneError('notFound', `${path} is not known any more.`);
    return this.of({ store });
  }
}
