import type { Clock } from '../base/clock.ts';
import type { Files } from '../base/files.ts';
import { lazy } from '../base/lazy.ts';
import { globalExcludesFile } from '../snapshot/gitConfig.ts';
import { ignoreRules } from '../snapshot/ignoreRules.ts';
import type { Timeline } from '../timeline/model.ts';
import type { RootRegistry } from '../timeline/rootRegistry.ts';
import type { RootStore } from '../timeline/store.ts';
import type { StoreWriter } from '../timeline/storeWriter.ts';
import { readCaptureSettings } from './captureSettings.ts';
import { TreeLooks } from './treeLooks.ts';

/** The looks at a root as git's rules and the settings of its folder have them; `others` are the known folders that are roots of their own. */
export function looksAtRoot(files: Files, clock: Clock, writer: StoreWriter, others: readonly string[], readTimeline: () => Promise<Timeline>): TreeLooks {
  const settings = lazy(() => readCaptureSettings(files, writer.directory));
  // The user's settings of git are read when something is looked at, not by whoever only might.
  const rules = lazy(() => {
    const home = process.getBuiltinModule('node:os').homedir();
    return ignoreRules({ home, exclude: settings().exclude, globalExcludes: globalExcludesFile(files, { home, configHome: process.env['XDG_CONFIG_HOME'] }) });
  });
  return new TreeLooks(files, clock, writer, {
    get maxFileSize() {
      return settings().maxFileSize;
    },
    get budget() {
      return settings().lookBudget;
    },
    get copyLimit() {
      return settings().copyLimit;
    },
    get rules() {
      return rules();
    },
    leavesOut: absolute => writer.owns(absolute) || others.includes(absolute),
    readTimeline,
  });
}

/** The same for whoever has the whole store open. */
export function looksAtStore(files: Files, clock: Clock, roots: RootRegistry, store: RootStore): TreeLooks {
  const others = roots.list().filter(({ key }) => key !== store.identity.key).map(({ path }) => path);
  return looksAtRoot(files, clock, store, others, async () => {
    store.refresh();
    return store.timeline;
  });
}
