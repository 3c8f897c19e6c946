import type { Position } from './segments.ts';

/**
 * What else in a store tells of its log. All of it was written after what it tells of was durable, so where the log does not
 * have that, it was lost, and not by a crash.
 */
export interface Witness {
  /** Whether there is anything that is only ever written after the log was begun. */
  sawBeginning(): boolean;
  /** Where the log goes on after the newest record that is known to have been acknowledged; undefined where none is. */
  newestSeen(): Position | undefined;
}

/** Of a log that stands alone. */
export const noWitness: Witness = { sawBeginning: () => false, newestSeen: () => undefined };
