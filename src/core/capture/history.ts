import { globalExcludesFile } from '../snapshot/gitConfig.ts';
import { ignoreRules } from '../snapshot/ignoreRules.ts';
import { RootStore } from '../timeline/store.ts';
import { Recorder, declaredPaths } from './recorder.ts';
import { TreeLooks } from './treeLooks.ts';

/**
 * What reads history, or looks at all files, as one thing that can be loaded late: the events that the agent waits for most only
 * append, and the schemas of the records would take a fifth of their time.
 */
export const history = { Recorder, RootStore, TreeLooks, declaredPaths, globalExcludesFile, ignoreRules } as const;
export type History = typeof history;
