import type { Batch } from '../../../../src/core/journal/framing.ts';
import type { Journal } from '../../../../src/core/journal/journal.ts';

/** Appends one batch, as a lone commit does; undefined where the log has grown past what it must follow. */
export function appendAlone(log: Journal, records: readonly unknown[], mustFollow?: number): Batch | undefined {
  const group = log.groupLocked();
  const batch = group.add(records, mustFollow);
  log.writeLocked(group);
  return batch;
}
