import { RootStore } from '../timeline/store.ts';
import { Recorder, missingFolders } from './recorder.ts';

/**
 * What reads history, as one thing that can be loaded late: the events that the agent waits for most only
 * append, and the schemas of the records would take a fifth of their time.
 */
export const history = { Recorder, RootStore, missingFolders } as const;
export type History = typeof history;
