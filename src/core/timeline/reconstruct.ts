import { TurnstoneError } from '../base/errors.ts';
import type { Batch } from '../journal/framing.ts';
import type { Journal } from '../journal/journal.ts';
import type { TimelineFold } from './fold.ts';
import type { Generations } from './generations.ts';
import type { Entry, Timeline } from './model.ts';
import { parseRecord, type JournalRecord } from './records.ts';

/** A record that is not sound. */
export interface UnsoundRecord {
  readonly seq: number;
  readonly reason: string;
}

/** The records of a batch that are understood. */
export function entriesOf({ seq, at, records }: Batch): readonly Entry[] {
  return records.flatMap((value, index) => {
    const parsed = parseRecord(value);
    return parsed.kind === 'record' ? [{ seq: seq + index, at, record: parsed.record }] : [];
  });
}

/** Folds a batch, or its records up to one; returns the last that is understood. */
export function foldBatch(fold: TimelineFold, batch: Batch, until = Infinity, unsound: (record: UnsoundRecord) => void = () => undefined): JournalRecord | undefined {
  let last: JournalRecord | undefined;
  batch.records.slice(0, until - batch.seq + 1).forEach((value, index) => {
    const seq = batch.seq + index;
    const parsed = parseRecord(value);
    // A record that isn't understood was read all the same: whoever appends next follows it.
    fold.seq = seq;
    if (parsed.kind === 'invalid') {
      fold.invalid.push(parsed.reason);
      unsound({ seq, reason: parsed.reason });
    }
    if (parsed.kind !== 'record') return;
    last = parsed.record;
    fold.add({ seq, at: batch.at, record: parsed.record });
  });
  return last;
}

/**
 * What was known when a record, and none after it, had been folded: the nearest generation and the records from there on.
 * Throws `notFound` for a number that no record has (but 0, before the first), and `damaged` where the journal can't be read that far.
 */
export function reconstruct(journal: Journal, generations: Generations, seq: number): Timeline {
  const { fold, position } = generations.nearest(seq);
  const { batches, ending } = journal.readUntil(seq, position);
  for (const batch of batches) foldBatch(fold, batch, seq);
  if (fold.seq === seq) return fold;
  if (ending.kind === 'damaged') throw new TurnstoneError('damaged', `The history is damaged before record ${seq} (segment ${ending.segment}, byte ${ending.offset}: ${ending.reason}). Nothing was changed.`);
  throw new TurnstoneError('notFound', `There is no record ${seq} in the history. Nothing was touched.`);
}
