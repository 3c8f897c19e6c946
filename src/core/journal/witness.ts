/**
 * What else in a store tells of its log. All of it was written after what it tells of was durable, so where the log does not
 * have that, it was lost, and not by a crash.
 */
export interface Witness {
  /** Whether there is anything that is only ever written after the log was begun. */
  sawBeginning(): boolean;
  /** The newest record that is known to have been acknowledged; 0 where none is. */
  newestSeen(): number;
}

/** Of a log that stands alone. */
export const noWitness: Witness = { sawBeginning: () => false, newestSeen: () => 0 };
