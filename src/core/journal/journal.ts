import { join } from 'node:path';
import { nextTime, type Clock, type HybridTime } from '../base/clock.ts';
import { TurnstoneError, messageOf } from '../base/errors.ts';
import type { Files, OpenFile } from '../base/files.ts';
import { makeDirectories } from '../base/fileTools.ts';
import { firstPrev, formatVersion, frame, type Batch } from './framing.ts';
import { readFrom, readLast, readRecent, segmentName, type Ending, type Position, type Reading } from './segments.ts';

/** A segment longer than this many bytes is followed by a new one. */
const defaultSegmentLimit = 8 * 1024 * 1024;

/**
 * The append-only log of one store. It knows nothing of what its records mean.
 *
 * Invariants:
 * - Sequence numbers have no gaps and are never given twice.
 * - What `appendLocked` returned is on the disk; what it threw for is not in the log.
 * - Only the end of the last segment is ever cut, only under the lock, and only after a copy was kept.
 * - After a failed sync this journal writes no more: what the disk holds is then unknown until it is read again.
 */
export class Journal {
  private readonly files: Files;
  private readonly clock: Clock;
  readonly directory: string;
  private readonly store: string;
  private readonly segmentLimit: number;
  /** How far `readOn` has read. */
  private position: Position | undefined;
  private time: HybridTime | undefined;
  private poison: unknown;

  constructor(files: Files, clock: Clock, directory: string, store: string, segmentLimit: number = defaultSegmentLimit) {
    this.files = files;
    this.clock = clock;
    this.directory = directory;
    this.store = store;
    this.segmentLimit = segmentLimit;
  }

  /** All batches since the last call, and how the log ends. Doesn't need the lock and changes nothing. */
  readOn(): { readonly batches: readonly Batch[]; readonly ending: Ending } {
    const reading = readFrom(this.files, this.directory, this.position, this.store);
    if (reading.position.segment > 0) this.position = reading.position;
    return { batches: reading.batches, ending: reading.ending };
  }

  /** How far this journal has been read; undefined before anything was. */
  get readTo(): Position | undefined {
    return this.position;
  }

  /** Goes on reading at a place up to which somebody knows all that was written. */
  readOnFrom(position: Position): void {
    this.position = position;
  }

  /** All batches from a place (or the beginning) until a record was read, without moving on. */
  readUntil(seq: number, from?: Position): Reading {
    return readFrom(this.files, this.directory, from, this.store, seq);
  }

  /** The newest batches that hold a text, for a reader that needs no whole state. */
  readRecent(text: string): readonly Batch[] {
    return readRecent(this.files, this.directory, text);
  }

  /** The time of the last batch, as far as the last lines tell. */
  newest(): HybridTime | undefined {
    return readLast(this.files, this.directory)?.batch;
  }

  /** Syncs the segment that was read last. */
  settle(): void {
    if (this.position === undefined) return;
    const file = this.files.open(join(this.directory, segmentName(this.position.segment)), 'update', 0o600);
    try {
      file.sync();
    } finally {
      file.close();
    }
    this.files.syncDirectory(this.directory);
  }

  /**
   * Appends one batch; the caller holds the store's lock. Returns it when it is durable; undefined, with nothing
   * written, where the log has grown past `mustFollow`, the sequence number that the caller had read up to.
   * Throws `readOnly` where the disk refuses and `damaged` where the log can't be followed to its end.
   */
  appendLocked(records: readonly unknown[], mustFollow?: number): Batch | undefined {
    if (this.poison !== undefined) throw this.readOnly(this.poison);
    const position = this.end();
    if (mustFollow !== undefined && position.seq - 1 !== mustFollow) return undefined;
    const header = position.offset === 0 ? this.header(position) : undefined;
    const prev = header?.crc ?? position.prev;
    const batch: Batch = { seq: position.seq, prev, ...nextTime(this.time, this.clock.now()), records };
    const line = frame(batch);
    try {
      // A segment's header and its first batch are one write, so that it is never there without either.
      const bytes = header === undefined ? line.bytes : Buffer.concat([header.bytes, line.bytes]);
      this.write(position, bytes);
    } catch (error) {
      throw TurnstoneError.is(error) ? error : this.readOnly(error);
    }
    return batch;
  }

  /** Where the next batch goes, after what a crash left behind was set aside. */
  private end(): Position {
    let position = this.tailPosition() ?? this.wholePosition();
    if (position.offset > this.segmentLimit) position = { ...position, segment: position.segment + 1, offset: 0 };
    return position;
  }

  // Nearly always the last lines are enough, so that an append costs the same in a long history as in a new one.
  private tailPosition(): Position | undefined {
    const last = readLast(this.files, this.directory);
    this.time = last?.batch;
    return last?.position;
  }

  private wholePosition(): Position {
    const { batches, ending, position } = readFrom(this.files, this.directory, undefined, this.store);
    if (ending.kind === 'damaged') throw this.damaged(ending);
    if (ending.kind === 'torn') this.setAside(ending.segment, ending.offset);
    this.time = batches.at(-1);
    return { segment: position.segment || 1, offset: position.offset, seq: position.seq || 1, prev: position.prev || firstPrev };
  }

  private setAside(segment: number, offset: number): void {
    const path = join(this.directory, segmentName(segment));
    const size = this.files.stat(path)?.size ?? 0;
    const torn = this.files.readAt(path, offset, size - offset);
    const copy = this.files.open(`${path}.${offset}.${this.clock.now()}.broken`, 'create', 0o600);
    this.writeAndSync(copy, torn, 0);
    const file = this.files.open(path, 'update', 0o600);
    try {
      file.truncate(offset);
      file.sync();
    } finally {
      file.close();
    }
  }

  private header(position: Position): { readonly bytes: Uint8Array; readonly crc: string } {
    const { segment, seq, prev } = position;
    return frame({ turnstone: 'journal', format: formatVersion, store: this.store, segment, seq, prev });
  }

  private write(position: Position, bytes: Uint8Array): void {
    const path = join(this.directory, segmentName(position.segment));
    if (position.offset > 0) {
      this.writeAndSync(this.files.open(path, 'update', 0o600), bytes, position.offset);
      return;
    }
    makeDirectories(this.files, this.directory, 0o700);
    const flag = this.files.stat(path) === undefined ? 'create' : 'update';
    this.writeAndSync(this.files.open(path, flag, 0o600), bytes, 0);
    this.files.syncDirectory(this.directory);
  }

  private writeAndSync(file: OpenFile, bytes: Uint8Array, offset: number): void {
    let written = false;
    try {
      file.write(bytes, offset);
      written = true;
      file.syncData();
    } catch (error) {
      // A disk that was full takes more when there is room again; after a failed sync nobody knows what it holds.
      if (written) this.poison = error;
      try {
        // Nobody was told of this line yet, so it must not be found later as if somebody had been.
        file.truncate(offset);
      } catch {
        // The next appender finds a torn or a whole line; both are handled there.
      }
      throw error;
    } finally {
      file.close();
    }
  }

  private readOnly(cause: unknown): TurnstoneError {
    return new TurnstoneError('readOnly', `The history in ${this.directory} can't be written: ${messageOf(cause)}. What was recorded before is intact.`, cause);
  }

  private damaged(ending: Extract<Ending, { kind: 'damaged' }>): TurnstoneError {
    return new TurnstoneError(
      'damaged',
      `The history in ${this.directory} is damaged: in ${segmentName(ending.segment)} at byte ${ending.offset}, ${ending.reason}. It was opened read-only and nothing was changed.`,
    );
  }
}
