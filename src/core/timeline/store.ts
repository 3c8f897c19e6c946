import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { TurnstoneError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Files } from '../base/files.ts';
import { Lock } from '../journal/lock.ts';
import type { Batch } from '../journal/framing.ts';
import { TimelineFold } from './fold.ts';
import type { Entry, Timeline } from './model.ts';
import { parseRecord, type JournalRecord } from './records.ts';
import type { RootIdentity } from './rootRegistry.ts';
import { StoreWriter, type Contents } from './storeWriter.ts';

/**
 * The store of one root: its journal, its blobs and their fold, as one.
 *
 * Invariants:
 * - `timeline` is the fold of the journal up to where it was last read, and is told of changes only after that.
 * - A store whose journal is damaged, or holds a record that is not sound, is read-only.
 */
export class RootStore extends StoreWriter implements Disposable {
  private readonly restoreLock: Lock;
  private readonly fold = new TimelineFold();
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<Timeline>());
  private damageFound: string | undefined;

  readonly onDidChange = this.changed.event;

  constructor(files: Files, clock: Clock, directory: string, identity: RootIdentity) {
    super(files, clock, directory, identity);
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
    const { batches, ending } = this.told(() => this.journal.readOn());
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
      // A record that isn't understood was read all the same: whoever appends next follows it.
      this.fold.seq = seq;
      if (parsed.kind !== 'record') return;
      const entry = { seq, at: batch.at, record: parsed.record };
      this.fold.add(entry);
      fresh.push(entry);
    });
    return fresh;
  }

  override async commit(contents: Contents, records: readonly JournalRecord[], mustFollow?: number): Promise<boolean> {
    this.mustBeSound();
    return super.commit(contents, records, mustFollow);
  }

  override async keep(contents: Contents): Promise<void> {
    this.mustBeSound();
    await super.keep(contents);
  }

  private mustBeSound(): void {
    if (this.damageFound !== undefined) throw new TurnstoneError('damaged', this.damageFound);
  }

  /** Runs one restore at a time, over all processes. */
  restoring<T>(work: () => Promise<T>): Promise<T> {
    return this.restoreLock.exclusively(() => {
      this.tidy();
      return work();
    });
  }

  /** Removes what processes that died while taking a lock have left. Never throws. */
  tidy(): void {
    this.lock.tidy();
    this.restoreLock.tidy();
  }

  /** Throws what `restoring` would throw before its work, as far as it can be told without writing anything. */
  mustAllowRestoring(): Promise<void> {
    return this.restoreLock.wouldBeTaken();
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
