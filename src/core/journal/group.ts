import { nextTime, type Clock, type HybridTime } from '../base/clock.ts';
import { TurnstoneError } from '../base/errors.ts';
import { formatVersion, frame, type Batch } from './framing.ts';
import type { Position } from './segments.ts';

/**
 * Batches that go to the disk in one write, each a line of its own.
 *
 * Invariants:
 * - A batch is in it as a whole or not at all: one that can't be framed leaves it as it was.
 * - Every line but the first names the byte at which the write begins, so that a reader who finds one of them bad
 *   and a later one good knows that nothing of the write was ever acknowledged (FORMAT.md).
 * - The first line of a new segment is its header.
 */
export class Group {
  readonly start: Position;
  private readonly store: string;
  private readonly clock: Clock;
  private readonly lines: Uint8Array[] = [];
  /** What the next batch must follow. */
  private next: { readonly seq: number; readonly prev: string; readonly time: HybridTime | undefined };

  constructor(start: Position, time: HybridTime | undefined, store: string, clock: Clock) {
    this.start = start;
    this.store = store;
    this.clock = clock;
    this.next = { seq: start.seq, prev: start.prev, time };
  }

  /**
   * Adds a batch; returns it, or undefined where the log, with what is in this group already, has grown past `mustFollow`.
   * Throws for records that aren't any, or that JSON can't tell.
   */
  add(records: readonly unknown[], mustFollow?: number): Batch | undefined {
    const { seq, time } = this.next;
    if (mustFollow !== undefined && seq - 1 !== mustFollow) return undefined;
    if (records.length === 0) throw new TurnstoneError('usage', 'A batch of no records is none. Nothing was written.');
    const header = this.lines.length === 0 && this.start.offset === 0 ? this.header() : undefined;
    const isFirst = this.lines.length === 0 && header === undefined;
    const batch: Batch = {
      seq,
      prev: header?.crc ?? this.next.prev,
      ...nextTime(time, this.clock.now()),
      ...(isFirst ? {} : { write: this.start.offset }),
      records,
    };
    const line = frame(batch);
    if (header !== undefined) this.lines.push(header.bytes);
    this.lines.push(line.bytes);
    this.next = { seq: seq + records.length, prev: line.crc, time: batch };
    return batch;
  }

  /** The newest record in the log once this is written. */
  get newest(): number {
    return this.next.seq - 1;
  }

  /** All its lines; empty where no batch was added. */
  bytes(): Uint8Array {
    const [only, ...more] = this.lines;
    return only !== undefined && more.length === 0 ? only : Buffer.concat(this.lines);
  }

  /** The line that a new segment begins with. */
  header(): { readonly bytes: Uint8Array; readonly crc: string } {
    const { segment, seq, prev } = this.start;
    return frame({ turnstone: 'journal', format: formatVersion, store: this.store, segment, seq, prev });
  }
}
