import { join } from 'node:path';
import type { Clock, HybridTime } from '../base/clock.ts';
import { TurnstoneError, messageOf } from '../base/errors.ts';
import type { Files, OpenFile } from '../base/files.ts';
import { closeQuietly, makeDirectories, settleNewest, syncNameOf } from '../base/fileTools.ts';
import type { Batch } from './framing.ts';
import { Group } from './group.ts';
import type { Place } from './prefix.ts';
import { beginning, endsAt, readFrom, segmentName, segmentPattern, type Damage, type Ending, type LostRecord, type Position, type Reading } from './segments.ts';
import { readLast, readRecent } from './tail.ts';
import { noWitness, type Witness } from './witness.ts';

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
 * - What its witness saw written is there, or the log is damaged: nobody goes on as if it had never been.
 * - After a failed sync this journal writes no more: what the disk holds is then unknown until it is read again.
 */
export class Journal {
  private readonly files: Files;
  private readonly clock: Clock;
  readonly directory: string;
  private readonly store: string;
  private readonly segmentLimit: number;
  private readonly witness: Witness;
  /** How far `readOn` has read. */
  private position: Position | undefined;
  private poison: unknown;
  /** What the log had when it was opened, according to somebody who looked at its witness just before. */
  private seen: Position | undefined;
  private begun = false;
  private synced: Place = { segment: 0, offset: 0 };
  private writtenSeq = 0;

  constructor(files: Files, clock: Clock, directory: string, store: string, segmentLimit: number = defaultSegmentLimit, witness: Witness = noWitness) {
    this.files = files;
    this.clock = clock;
    this.directory = directory;
    this.store = store;
    this.segmentLimit = segmentLimit;
    this.witness = witness;
  }

  /** All batches since the last call, and how the log ends. Doesn't need the lock and changes nothing. */
  readOn(): { readonly batches: readonly Batch[]; readonly ending: Ending } {
    let reading = this.read(this.position);
    // Without the lock a look may fall into the middle of what others do, and see no moment that ever was. Damage stays.
    if (reading.ending.kind === 'damaged') reading = this.read(this.position);
    if (reading.position.seq > 1) this.position = reading.position;
    // What was there once is missed from here on as what was cut since it was read.
    if (reading.ending.kind !== 'damaged') this.seen = undefined;
    return { batches: reading.batches, ending: reading.ending };
  }

  /** How far this journal has been read; undefined before anything was. */
  get readTo(): Position | undefined {
    return this.position;
  }

  /** The newest record that this journal has written; 0 before any. */
  get writtenTo(): number {
    return this.writtenSeq;
  }

  /** Whether all before a place is durable, because this journal has written there or after it. */
  isSynced({ segment, offset }: Place): boolean {
    return segment < this.synced.segment || (segment === this.synced.segment && offset <= this.synced.offset);
  }

  /** Whether the log is known to have its first line. */
  get isBegun(): boolean {
    return this.begun;
  }

  /**
   * Begins to read at a place up to which somebody knows all that was written, and where none is named at the beginning. What the
   * witness saw before that has to be there, however well the log ends.
   */
  readOnFrom(position: Position | undefined, seen?: Position): void {
    this.position = position;
    this.seen = seen;
  }

  /** All batches from a place (or the beginning) until a record was read, without moving on. */
  readUntil(seq: number, from?: Position): Reading {
    return this.read(from, seq);
  }

  /** Reads, and asks the witness where the log may have lost what it had. */
  private read(from: Position | undefined, until = Infinity): Reading {
    const reading = (): Reading => readFrom(this.files, this.directory, from, this.store, until);
    const first = reading();
    if (first.position.seq > until) return first;
    const judged = this.judged(first, this.seen, false);
    if (!isDoubtful(judged)) return judged;
    const [begun, seen] = [this.witness.sawBeginning(), this.witness.newestSeen()];
    // Others go on meanwhile. What the witness saw was there by then, so it has to be there now.
    return this.judged(reading(), seen, begun);
  }

  /** A reading, held against what the log is known to have had before it was read. */
  private judged(reading: Reading, seen: Position | undefined, begun: boolean): Reading {
    const { position, ending } = reading;
    if (ending.kind === 'damaged') return reading;
    const damaged = (at: Place, reason: string, lost?: LostRecord): Reading => {
      return { ...reading, ending: { kind: 'damaged', segment: at.segment, offset: at.offset, reason, ...(lost === undefined ? {} : { lost }) } };
    };
    if (seen !== undefined) {
      const seq = seen.seq - 1;
      if (seen.seq > position.seq) return damaged(position, `record ${seq} was written, and is not there`, { seq, replaced: false });
      if (!endsAt(this.files, this.directory, seen)) return damaged(seen, `record ${seq} was written, and something else is in its place`, { seq, replaced: true });
    }
    const nothing = position.segment === beginning.segment && position.offset === 0;
    return begun && nothing ? damaged(position, 'what the log began with is not there') : reading;
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

  /**
   * Makes the first line of the very first segment durable, where there is no log yet; the caller holds the store's lock. What is stored only
   * after this is a witness that there was a log. Where the log is damaged there was one. Throws `readOnly` where the disk refuses.
   */
  beginLocked(): void {
    if (this.begun) return;
    try {
      const { start } = this.groupLocked();
      if (this.begun) return;
      const header = new Group(start, undefined, this.store, this.clock).header();
      this.write(start, header.bytes);
      this.begun = true;
    } catch (error) {
      if (TurnstoneError.is(error, 'damaged')) return;
      throw TurnstoneError.is(error) ? error : this.readOnly(error);
    }
  }

  /** Appends a group: it is durable when this returns. Throws `readOnly` where the disk refuses; then nothing of it is in the log. */
  writeLocked(group: Group): void {
    const bytes = group.bytes();
    if (bytes.length === 0) return;
    try {
      this.write(group.start, bytes);
      this.begun = true;
      this.writtenSeq = group.newest;
      this.synced = { segment: group.start.segment, offset: group.start.offset + bytes.length };
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
    this.begun ||= last !== undefined;
    if (last !== undefined) return { position: last.position, time: last.batch };
    const { batches, ending, position } = this.read(undefined);
    if (ending.kind === 'damaged') throw this.damaged(ending);
    if (ending.kind === 'torn') this.setAside(ending.segment, ending.offset);
    this.begun ||= position.segment !== beginning.segment || position.offset > 0;
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

  private damaged(ending: Damage): TurnstoneError {
    return new TurnstoneError(
      'damaged',
      `The history in ${this.directory} is damaged: in ${segmentName(ending.segment)} at byte ${ending.offset}, ${ending.reason}. It was opened read-only and nothing was changed.`,
    );
  }
}

/** Whether what a log ends with may be less than was written: a torn end, nothing in its last segment, or nothing at all. */
function isDoubtful({ position, ending }: Pick<Reading, 'position' | 'ending'>): boolean {
  return ending.kind === 'torn' || (ending.kind === 'clean' && (position.offset === 0 || position.seq === beginning.seq));
}
