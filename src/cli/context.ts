import { dirname, join } from 'node:path';
import { systemClock } from '../core/base/clock.ts';
import { TurnstoneError } from '../core/base/errors.ts';
import { nodeFiles } from '../core/base/files.ts';
import { quietWorkspace, type Workspace } from '../core/base/workspace.ts';
import { looksAtStore } from '../core/capture/rootLooks.ts';
import type { PlanContext } from '../core/rewind/plan.ts';
import type { Neighbour } from '../core/rewind/request.ts';
import { unsavedElsewhere } from '../core/rewind/unsavedFiles.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';
import { Roots } from '../core/timeline/roots.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { Options } from './options.ts';

function gitTop(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (nodeFiles.stat(join(at, '.git')) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The folder that a command is about, known or not: as named, else the known root here, else the git top level, else here. */
export function folderOf(options: Options, directory: string): string {
  if (options.root !== undefined) return canonicalPath(nodeFiles, options.root);
  const here = canonicalPath(nodeFiles, directory);
  return rootsOf(options).find(here)?.path ?? gitTop(here) ?? here;
}

export function rootsOf(options: Options): Roots {
  return new Roots(nodeFiles, systemClock, canonicalPath(nodeFiles, options.storage));
}

/** The known root that a command is about; throws `notFound` where nothing was ever recorded. */
export function knownRoot(options: Options, directory: string): KnownRoot {
  const folder = folderOf(options, directory);
  const root = rootsOf(options).at(folder);
  if (root === undefined) throw new TurnstoneError('notFound', `Nothing is recorded for ${folder}. Install recording hooks there first: turnstone hooks install <agent>, for example claude-code.`);
  return root;
}

/** Opens the root's store, read to the end. */
export function openStore(options: Options, root: KnownRoot): RootStore {
  const store = rootsOf(options).open(root);
  store.refresh();
  return store;
}

/** A workspace without an editor of its own: it knows what the editors say about themselves. */
export function commandLineWorkspace(options: Options): Workspace {
  return {
    ...quietWorkspace,
    unsaved: () => new Map([...unsavedElsewhere(nodeFiles, options.storage)].map(path => [path, { owner: 'elsewhere' as const }])),
  };
}

export function planContext(options: Options, store: RootStore): PlanContext {
  const opened = new Map<string, PlanContext>();
  const sister: PlanContext['sister'] = named => {
    const root = rootsOf(options).list().find(({ key }) => key === named.key);
    if (root === undefined || rootsOf(options).identityOf(root).store !== named.store) return undefined;
    // A history that was read once is only read on.
    const context = opened.get(named.store) ?? planContext(options, rootsOf(options).open(root));
    opened.set(named.store, context);
    return context;
  };
  const lookAround = (): Promise<void> => looksAtStore(nodeFiles, systemClock, rootsOf(options), store).between();
  return { files: nodeFiles, store, workspace: commandLineWorkspace(options), sister, lookAround };
}

/** The other known folders: a session may have worked there too. */
export function neighboursOf(options: Options, { identity }: RootStore): readonly Neighbour[] {
  const roots = rootsOf(options);
  return roots.list().filter(({ key }) => key !== identity.key).map(root => ({
    name: root.path,
    newest: () => roots.open(root).newest()?.at,
    open: () => planContext(options, roots.open(root)),
  }));
}
