import { dirname, join } from 'node:path';
import type { Clock, HybridTime } from '../base/clock.ts';
import { TurnstoneError, messageOf, systemCode } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { isShape, type Shape } from '../base/shape.ts';
import { Journal } from '../journal/journal.ts';
import { Lock } from '../journal/lock.ts';
import { BlobStore } from '../snapshot/blobs.ts';
import type { JournalRecord } from './records.ts';
import { holds, type RootIdentity } from './rootRegistry.ts';

/** Contents by hash, to be stored before the records that name them. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/**
 * The writing side of one root's store: what a hook needs that appends and goes. It reads no history and
 * loads no schemas, so that an event costs the same in a long history as in a new one.
 *
 * Invariant: a record is appended only after every blob that it names is durable, both under one hold of the lock.
 */
export class StoreWriter {
  readonly identity: RootIdentity;
  readonly directory: string;
  readonly blobs: BlobStore;
  protected readonly files: Files;
  protected readonly clock: Clock;
  protected readonly journal: Journal;
  protected readonly lock: Lock;

  constructor(files: Files, clock: Clock, directory: string, identity: RootIdentity) {
    this.files = files;
    this.clock = clock;
    this.directory = directory;
    this.identity = identity;
    this.journal = new Journal(files, clock, join(directory, 'journal'), identity.store);
    this.blobs = new BlobStore(files, join(directory, 'blobs'));
    this.lock = new Lock(files, clock, join(directory, 'lock'));
  }

  /** Whether a path is inside Turnstone's own storage, which is never recorded and never written back. */
  owns(absolute: string): boolean {
    return holds(dirname(dirname(this.directory)), absolute);
  }

  /**
   * The newest records about a call, as they are stored: what is used of them has to be checked where it is used.
   */
  recent(call: string): readonly Shape[] {
    return this.told(() => this.journal.readRecent(call))
      .flatMap(batch => batch.records)
      .filter(isShape)
      .filter(record => record['call'] === call);
  }

  /**
   * Makes contents and then records durable. Returns false, with no record written, where the journal has
   * grown past `mustFollow`. Throws `busy`, `readOnly` or `damaged`; then no record was written either.
   */
  async commit(contents: Contents, records: readonly JournalRecord[], mustFollow?: number): Promise<boolean> {
    return this.lock.exclusively(() =>
      this.told(() => {
        this.blobs.addLocked(contents);
        return this.journal.appendLocked(records, mustFollow) !== undefined;
      }),
    );
  }

  /** Makes what was read of the journal durable, also what its writer died before syncing: others are to build on it. */
  settle(): void {
    this.told(() => this.journal.settle());
  }

  /** The time of the newest record; undefined where there is none, or where it can't be told at a glance. */
  newest(): HybridTime | undefined {
    return this.told(() => this.journal.newest());
  }

  /** Lets nothing of the system's own through: whoever calls this tells people what it says. */
  protected told<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (TurnstoneError.is(error) || systemCode(error) === undefined) throw error;
      throw new TurnstoneError('readOnly', `The history in ${this.directory} can't be used now: ${messageOf(error)}. What was recorded before is intact.`, error);
    }
  }

  /** Stores contents without a record, for safety copies that a record is about to name. */
  async keep(contents: Contents): Promise<void> {
    await this.lock.exclusively(() => this.told(() => this.blobs.addLocked(contents)));
  }
}
