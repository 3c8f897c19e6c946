import { join } from 'node:path';
import type { Clock, HybridTime } from '../base/clock.ts';
import { TurnstoneError, messageOf } from '../base/errors.ts';
import type { Files, OpenFile } from '../base/files.ts';
import { closeQuietly, makeDirectories, settleNewest, syncNameOf } from '../base/fileTools.ts';
import type { Batch } from './framing.ts';
import { Group } from './group.ts';
import { readFrom, segmentName, segmentPattern, type Ending, type Position, type Reading } from './segments.ts';
import { readLast, readRecent } from './tail.ts';

/** A segment longer than this many bytes is followed by a new one. */
const defaultSegmentLimit = 8 * 1024 * 1024;

/**
 * The append-only log of one store. It knows nothing of what its records mean.
 *
 * Invariants:
 * - Sequence numbers have no gaps and are never given twice.
 * - What `writeLocked` returned for is on the disk; what it threw for is not in the log.
 * - One hold of the lock makes one write: between two writes there always was a sync.
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
    const read = (): Reading => readFrom(this.files, this.directory, this.position, this.store);
    let reading = read();
    // Without the lock a look may fall into the middle of what others do, and see no moment that ever was. Damage stays.
    if (reading.ending.kind === 'damaged') reading = read();
    if (reading.position.seq > 1) this.position = reading.position;
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

  /**
   * Begins a group at the end of the log, after what a crash left behind was set aside; the caller holds the store's lock from
   * here to the end of `writeLocked`. Throws `readOnly` where this journal has failed before and `damaged` where the log can't be
   * followed to its end.
   */
  groupLocked(): Group {
    if (this.poison !== undefined) throw this.readOnly(this.poison);
    const { position, time } = this.end();
    const full = position.offset > this.segmentLimit;
    return new Group(full ? { ...position, segment: position.segment + 1, offset: 0 } : position, time, this.store, this.clock);
  }

  /** Appends a group: it is durable when this returns. Throws `readOnly` where the disk refuses; then nothing of it is in the log. */
  writeLocked(group: Group): void {
    const bytes = group.bytes();
    if (bytes.length === 0) return;
    try {
      this.write(group.start, bytes);
    } catch (error) {
      throw TurnstoneError.is(error) ? error : this.readOnly(error);
    }
  }

  /** Makes durable what a process may have written that died before its sync, before anybody builds on it. */
  settle(): void {
    settleNewest(this.files, this.directory, segmentPattern);
  }

  // Nearly always the last lines are enough, so that an append costs the same in a long history as in a new one.
  private end(): { readonly position: Position; readonly time: HybridTime | undefined } {
    const last = readLast(this.files, this.directory);
    if (last !== undefined) return { position: last.position, time: last.batch };
    const { batches, ending, position } = readFrom(this.files, this.directory, undefined, this.store);
    if (ending.kind === 'damaged') throw this.damaged(ending);
    if (ending.kind === 'torn') this.setAside(ending.segment, ending.offset);
    return { position, time: batches.at(-1) };
  }

  private setAside(segment: number, offset: number): void {
    const path = join(this.directory, segmentName(segment));
    const size = this.files.stat(path)?.size ?? 0;
    const torn = this.files.readAt(path, offset, size - offset);
    const name = (at: number): string => `${path}.${offset}.${at}.broken`;
    let at = this.clock.now();
    while (this.files.stat(name(at)) !== undefined) at += 1;
    this.writeAndSync(this.files.open(name(at), 'create', 0o600), torn, 0);
    this.files.syncDirectory(this.directory);
    const file = this.files.open(path, 'update', 0o600);
    try {
      file.truncate(offset);
      file.sync();
    } finally {
      file.close();
    }
  }

  private write({ segment, offset }: Position, bytes: Uint8Array): void {
    const path = join(this.directory, segmentName(segment));
    if (offset > 0) return this.writeAndSync(this.files.open(path, 'update', 0o600), bytes, offset);
    makeDirectories(this.files, this.directory, 0o700);
    const flag = this.files.stat(path) === undefined ? 'create' : 'update';
    // A segment whose name may be lost is as good as not written.
    this.writeAndSync(this.files.open(path, flag, 0o600), bytes, 0, () => syncNameOf(this.files, path));
  }

  private writeAndSync(file: OpenFile, bytes: Uint8Array, offset: number, syncName: () => void = () => undefined): void {
    let written = false;
    try {
      file.write(bytes, offset);
      written = true;
      file.syncData();
      syncName();
    } catch (error) {
      // A disk that was full takes more when there is room again; after a failed sync nobody knows what it holds.
      if (written) this.poison = error;
      try {
        // Nobody was told of these lines yet, so they must not be found later as if somebody had been.
        file.truncate(offset);
      } catch {
        // The next appender finds torn or whole lines; both are handled there.
      }
      throw error;
    } finally {
      closeQuietly(file);
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
