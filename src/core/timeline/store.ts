import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { TurnstoneError, systemCode } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Files } from '../base/files.ts';
import { Lock } from '../journal/lock.ts';
import type { Damage } from '../journal/segments.ts';
import { namedContents } from './contents.ts';
import { TimelineFold } from './fold.ts';
import { Generations } from './generations.ts';
import type { Entry, Timeline } from './model.ts';
import { entriesOf, foldBatch, reconstruct } from './reconstruct.ts';
import type { JournalRecord } from './records.ts';
import type { RootIdentity } from './rootRegistry.ts';
import { StoreWriter, type Contents } from './storeWriter.ts';

/** After these a generation is cut: what the user can go back to begins or ends there. */
const boundaries: ReadonlySet<JournalRecord['type'] | undefined> = new Set(['turn.open', 'turn.close', 'step', 'checkpoint', 'restore.done'] as const);

/**
 * The store of one root: its journal, its blobs and their fold, as one.
 *
 * Invariants:
 * - `timeline` is the fold of the journal up to where it was last read, and is told of changes only after that. Whether it
 *   began at a generation or at the first record can't be seen from it.
 * - A store whose journal is damaged, lacks what the newest generation speaks of, or holds a record that is not sound, is read-only.
 */
export class RootStore extends StoreWriter implements Disposable {
  private readonly restoreLock: Lock;
  private readonly fold = new TimelineFold();
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<Timeline>());
  private readonly generations: Generations;
  private damageFound: string | undefined;
  private opened = false;
  /** Whether the last record that was folded is one after which a generation is cut. */
  private atBoundary = false;

  readonly onDidChange = this.changed.event;

  constructor(files: Files, clock: Clock, directory: string, identity: RootIdentity, segmentLimit?: number) {
    super(files, clock, directory, identity, segmentLimit);
    this.restoreLock = new Lock(files, clock, join(directory, 'restore'));
    this.generations = new Generations(files, clock, directory, this.journal.directory, identity.store);
  }

  get timeline(): Timeline {
    return this.fold;
  }

  /** What is wrong with the store, in a sentence; undefined for a sound one. */
  get damage(): string | undefined {
    return this.damageFound;
  }

  /**
   * How many contents the history names that are not in the store any more, in a sentence; undefined where all are there, as far as can be told
   * without reading them. Each takes a look: this is for those who ask how the store is.
   */
  get missingContents(): string | undefined {
    const named = namedContents(this.timeline);
    const { length } = this.told(() => this.blobs.missingAmong(named));
    if (length === 0) return undefined;
    return `Of the ${named.size} contents that the history names, ${length} ${length === 1 ? 'is' : 'are'} missing in ${join(this.directory, 'blobs')}. What needs one of them can't be shown or restored; everything else can.`;
  }

  /** Reads on to the end of the journal. */
  refresh(): void {
    const isNew = this.open();
    const { batches, ending } = this.told(() => this.journal.readOn());
    for (const batch of batches) {
      const last = foldBatch(this.fold, batch, Infinity, ({ seq, reason }) => {
        this.damageFound ??= `Record ${seq} of the history is not sound (${reason}). The history is shown without it, and nothing is written.`;
      });
      this.atBoundary = boundaries.has(last?.type);
    }
    if (ending.kind === 'damaged') this.damageFound = this.sentenceOf(ending);
    if (isNew || batches.length > 0) this.changed.fire(this.fold);
  }

  private sentenceOf({ segment, offset, reason, lost }: Damage): string {
    const shown = lost?.replaced === true ? 'as it is now' : 'up to there';
    const sentence = `The history is damaged (segment ${segment}, byte ${offset}: ${reason}). It is shown ${shown}, and nothing is written.`;
    // Where not even a first line is left there is no older history to accept.
    if (lost === undefined || (segment === 1 && offset === 0)) return sentence;
    return `${sentence} If a copy of the journal was put back, put the whole store back; to accept the history that is there instead, remove ${join(this.directory, 'generations')}.`;
  }

  /** Begins at the newest generation, the first time; returns whether there was one. */
  private open(): boolean {
    if (this.opened) return false;
    const position = this.told(() => this.generations.open(this.fold));
    this.opened = true;
    // Asked before the journal is read: others go on meanwhile, and what was there by now has to be there then.
    this.journal.readOnFrom(position, this.generations.newestTold ?? this.told(() => this.witness.newestSeen()));
    return position !== undefined;
  }

  override tellsEndOf(operation: string): boolean {
    return this.timeline.operations.get(operation)?.done !== undefined || super.tellsEndOf(operation);
  }

  /** All records from the first on, as far as the journal can be read; `timeline` stays where it is. */
  readAll(): readonly Entry[] {
    return this.told(() => this.journal.readUntil(Infinity)).batches.flatMap(entriesOf);
  }

  /**
   * The timeline as it was when a record had been folded and none after it; 0 is before the first. It is nobody else's,
   * and `timeline` stays where it is. Throws `notFound` for a record that isn't there and `damaged` where it can't be read.
   */
  reconstruct(seq: number): Timeline {
    return this.told(() => reconstruct(this.journal, this.generations, seq));
  }

  override async commit(contents: Contents, records: readonly JournalRecord[], mustFollow?: number): Promise<boolean> {
    this.mustBeSound();
    const committed = await super.commit(contents, records, mustFollow);
    if (committed && boundaries.has(records.at(-1)?.type)) await this.cutGeneration();
    return committed;
  }

  /** What was committed is committed, whether or not a generation of it can be saved. */
  private async cutGeneration(): Promise<void> {
    try {
      this.refresh();
      const position = this.journal.readTo;
      // Others may have gone on meanwhile: then it is cut at the next boundary. What they have not synced yet no generation may tell of.
      if (position !== undefined && this.journal.isSynced(position) && this.damageFound === undefined && this.atBoundary) await this.generations.cut(this.fold, position);
    } catch (error) {
      if (!TurnstoneError.is(error) && systemCode(error) === undefined) throw error;
    }
  }

  override async keep(contents: Contents): Promise<void> {
    this.mustBeSound();
    await super.keep(contents);
  }

  private mustBeSound(): void {
    if (!this.opened) this.refresh();
    if (this.damageFound !== undefined) throw new TurnstoneError('damaged', this.damageFound);
  }

  /** Runs one restore at a time, over all processes. */
  restoring<T>(work: () => Promise<T>): Promise<T> {
    return this.restoreLock.exclusively(() => {
      this.tidy();
      return work();
    });
  }

  /** Removes what processes that died while taking a lock, or saving a generation, have left. Never throws. */
  tidy(): void {
    this.lock.tidy();
    this.restoreLock.tidy();
    this.generations.tidy();
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
