import { RootStore } from '../timeline/store.ts';
import { Recorder, declaredPaths, lastCall, openCall } from './recorder.ts';
import { looksAtRoot } from './rootLooks.ts';

/**
 * What reads history, or looks at all files, as one thing that can be loaded late: the events that the agent waits for most only
 * append, and the schemas of the records would take a fifth of their time.
 */
export const history = { Recorder, RootStore, declaredPaths, lastCall, openCall, looksAtRoot } as const;
export type History = typeof history;
