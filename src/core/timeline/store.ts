import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { TurnstoneError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Files } from '../base/files.ts';
import { isShape, type Shape } from '../base/shape.ts';
import { Journal } from '../journal/journal.ts';
import { Lock } from '../journal/lock.ts';
import type { Batch } from '../journal/framing.ts';
import { BlobStore } from '../snapshot/blobs.ts';
import { TimelineFold } from './fold.ts';
import type { Entry, Timeline } from './model.ts';
import { parseRecord, type JournalRecord } from './records.ts';
import type { RootIdentity } from './roots.ts';

/** Contents by hash, to be stored before the records that name them. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/**
 * The store of one root: its journal, its blobs and their fold, as one.
 *
 * Invariants:
 * - A record is appended only after every blob that it names is durable; both under one hold of the lock.
 * - `timeline` is the fold of the journal up to where it was last read, and is told of changes only after that.
 * - A store whose journal is damaged, or holds a record that is not sound, is read-only.
 */
export class RootStore implements Disposable {
  readonly identity: RootIdentity;
  readonly directory: string;
  readonly blobs: BlobStore;
  private readonly files: Files;
  private readonly journal: Journal;
  private readonly lock: Lock;
  private readonly restoreLock: Lock;
  private readonly fold = new TimelineFold();
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<Timeline>());
  private damageFound: string | undefined;

  readonly onDidChange = this.changed.event;

  constructor(files: Files, clock: Clock, directory: string, identity: RootIdentity) {
    this.files = files;
    this.directory = directory;
    this.identity = identity;
    this.journal = new Journal(files, clock, join(directory, 'journal'), identity.store);
    this.blobs = new BlobStore(files, join(directory, 'blobs'));
    this.lock = new Lock(files, clock, join(directory, 'lock'));
    this.restoreLock = new Lock(files, clock, join(directory, 'restore'));
  }

  get timeline(): Timeline {
    return this.fold;
  }

  /** What is wrong with the store, in a sentence; undefined for a sound one. */
  get damage(): string | undefined {
    return this.damageFound;
  }

  /** Reads on to the end of the journal. Returns the records that are new. */
  refresh(): readonly Entry[] {
    const { batches, ending } = this.journal.readOn();
    const fresh = batches.flatMap(batch => this.entries(batch));
    if (ending.kind === 'damaged') this.damageFound = `The history is damaged (segment ${ending.segment}, byte ${ending.offset}: ${ending.reason}). It is shown up to there, and nothing is written.`;
    if (fresh.length > 0 || batches.length > 0) this.changed.fire(this.fold);
    return fresh;
  }

  private entries(batch: Batch): readonly Entry[] {
    const fresh: Entry[] = [];
    batch.records.forEach((value, index) => {
      const seq = batch.seq + index;
      const parsed = parseRecord(value);
      if (parsed.kind === 'invalid') {
        this.fold.invalid.push(parsed.reason);
        this.damageFound ??= `Record ${seq} of the history is not sound (${parsed.reason}). The history is shown without it, and nothing is written.`;
      }
      if (parsed.kind !== 'record') return;
      const entry = { seq, at: batch.at, record: parsed.record };
      this.fold.add(entry);
      fresh.push(entry);
    });
    return fresh;
  }

  /**
   * The newest records about a call, as they are stored, whether or not the whole journal was read: for a
   * hook, which has no time for that. What is used of them has to be checked where it is used.
   */
  recent(call: string): readonly Shape[] {
    return this.journal
      .readRecent(call)
      .flatMap(batch => batch.records)
      .filter(isShape)
      .filter(record => record['call'] === call);
  }

  /**
   * Makes contents and then records durable. Returns false, with no record written, where the journal has
   * grown past `mustFollow`. Throws `busy`, `readOnly` or `damaged`; then no record was written either.
   */
  async commit(contents: Contents, records: readonly JournalRecord[], mustFollow?: number): Promise<boolean> {
    if (this.damageFound !== undefined) throw new TurnstoneError('damaged', this.damageFound);
    return this.lock.exclusively(() => {
      this.blobs.addLocked(contents);
      return this.journal.appendLocked(records, mustFollow) !== undefined;
    });
  }

  /** Stores contents without a record, for safety copies that a record is about to name. */
  async keep(contents: Contents): Promise<void> {
    if (this.damageFound !== undefined) throw new TurnstoneError('damaged', this.damageFound);
    await this.lock.exclusively(() => this.blobs.addLocked(contents));
  }

  /** Runs one restore at a time, over all processes. */
  restoring<T>(work: () => Promise<T>): Promise<T> {
    return this.restoreLock.exclusively(work);
  }

  /** Follows what other processes append, until disposed. */
  follow(): Disposable {
    const directory = this.journal.directory;
    if (this.files.stat(directory) === undefined) return { dispose: () => undefined };
    return this.owned.add(this.files.watchDirectory(directory, () => this.refresh()));
  }

  dispose(): void {
    this.owned.dispose();
  }
}
