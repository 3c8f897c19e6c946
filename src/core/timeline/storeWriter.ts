import { dirname, join } from 'node:path';
import type { Clock, HybridTime } from '../base/clock.ts';
import { TurnstoneError, messageOf, systemCode } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { isShape, textAt, type Shape } from '../base/shape.ts';
import { Gathering, type Outcome, type Waiting } from '../journal/gathering.ts';
import type { Group } from '../journal/group.ts';
import { Journal } from '../journal/journal.ts';
import { Lock } from '../journal/lock.ts';
import { BlobStore } from '../snapshot/blobs.ts';
import type { JournalRecord } from './records.ts';
import { holds, type RootIdentity } from './rootRegistry.ts';
import { StoreWitness } from './storeWitness.ts';

/** Contents by hash, to be stored before the records that name them. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** What one `commit`, or one `keep` (which has no records), is to store. */
interface Member {
  readonly contents: Contents;
  readonly records: readonly JournalRecord[] | undefined;
  readonly mustFollow: number | undefined;
}

/**
 * Takes a member into a group and its contents: done with false where it does not follow what it must. What is wrong with it is
 * found out here, where the others don't hang on it yet.
 */
function admit({ contents, records, mustFollow }: Member, group: Outcome<Group> | undefined, all: Map<string, Uint8Array>): Outcome<boolean> {
  try {
    const own = [...contents];
    for (const [hash, bytes] of own) if (hash.length !== 64 || !(bytes instanceof Uint8Array)) throw new TypeError(`${hash} is not the hash of any bytes`);
    if (records !== undefined && group !== undefined) {
      if (group.kind === 'failed') return group;
      if (group.value.add(records, mustFollow) === undefined) return { kind: 'done', value: false };
    }
    for (const [hash, bytes] of own) all.set(hash, bytes);
    return { kind: 'done', value: true };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/**
 * The writing side of one root's store: what a hook needs that appends and goes. It reads no history and
 * loads no schemas, so that an event costs the same in a long history as in a new one. Nor does it ask the generations whether the
 * last lines are the last that were written: whoever opens the store finds that out, whatever was appended meanwhile.
 *
 * Invariants:
 * - The journal is begun before the first blob is stored: blobs without a journal tell that it is gone.
 * - A record is appended only after every blob that it names is durable, both under one hold of the lock.
 * - Commits that wait for the lock at the same time share one hold of it, one write and one sync of the pack and of the journal, in
 *   the order of the calls. Each is all there or not at all, and what is wrong with one of them is no matter of the others.
 */
export class StoreWriter {
  readonly identity: RootIdentity;
  readonly directory: string;
  readonly blobs: BlobStore;
  protected readonly files: Files;
  protected readonly clock: Clock;
  protected readonly journal: Journal;
  protected readonly lock: Lock;
  protected readonly witness: StoreWitness;
  private readonly gathering: Gathering<Member, boolean>;

  constructor(files: Files, clock: Clock, directory: string, identity: RootIdentity, segmentLimit?: number) {
    this.files = files;
    this.clock = clock;
    this.directory = directory;
    this.identity = identity;
    this.witness = new StoreWitness(files, directory);
    this.journal = new Journal(files, clock, join(directory, 'journal'), identity.store, segmentLimit, this.witness);
    this.blobs = new BlobStore(files, join(directory, 'blobs'));
    this.lock = new Lock(files, clock, join(directory, 'lock'), () => {
      this.blobs.settle();
      this.journal.settle();
    });
    this.gathering = new Gathering(this.lock, clock, members => this.writeLocked(members));
  }

  /** Whether a path is inside Turnstone's own storage, which is never recorded and never written back. */
  owns(absolute: string): boolean {
    return holds(dirname(dirname(this.directory)), absolute);
  }

  /**
   * The newest records about a call, as they are stored: what is used of them has to be checked where it is used.
   */
  recent(call: string): readonly Shape[] {
    return this.recentWith(call).filter(record => record['call'] === call);
  }

  /** The newest call of a session that an agent gave this id and that has not ended, the earliest of several, as far as the last lines tell. */
  recentlyOpen(session: string, agentCall: string): string | undefined {
    const begun = this.recentWith(agentCall).filter(record => record['type'] === 'call.open' && record['session'] === session && record['agentCall'] === agentCall);
    const calls = begun.flatMap(record => textAt(record, 'call') ?? []);
    return calls.find(call => !this.recent(call).some(record => record['type'] === 'call.close'));
  }

  /** The newest records of a session, as they are stored. */
  recentOf(session: string): readonly Shape[] {
    return this.recentWith(session).filter(record => record['session'] === session);
  }

  /** Whether a turn is known to have a gap for this reason, as far as the last lines tell. */
  hasRecentGap(session: string, turn: string, reason: string): boolean {
    return this.recentWith(turn).some(record => record['type'] === 'gap' && record['session'] === session && record['turn'] === turn && record['reason'] === reason);
  }

  private recentWith(text: string): readonly Shape[] {
    return this.told(() => this.journal.readRecent(text))
      .flatMap(batch => batch.records)
      .filter(isShape);
  }

  /** Whether the last lines tell that a restore has ended here. */
  tellsEndOf(operation: string): boolean {
    const batches = this.told(() => this.journal.readRecent(operation));
    return batches.flatMap(batch => batch.records).some(record => isShape(record) && record['type'] === 'restore.done' && record['operation'] === operation);
  }

  /**
   * Makes contents and then records durable. Returns false, with nothing written, where the journal has grown past
   * `mustFollow`. Throws `busy`, `readOnly` or `damaged`; then no record was written either.
   */
  async commit(contents: Contents, records: readonly JournalRecord[], mustFollow?: number): Promise<boolean> {
    return this.gathering.add({ contents, records, mustFollow });
  }

  /** Stores contents without a record, for safety copies that a record is about to name. */
  async keep(contents: Contents): Promise<void> {
    await this.gathering.add({ contents, records: undefined, mustFollow: undefined });
  }

  private writeLocked(members: readonly Waiting<Member, boolean>[]): readonly Outcome<boolean>[] {
    const contents = new Map<string, Uint8Array>();
    const outcomes: Outcome<boolean>[] = [];
    const bringsContents = members.some(({ item }) => item.contents.size > 0);
    let group: Outcome<Group> | undefined;
    for (const { item } of members) {
      if (item.records !== undefined) group ??= this.begin(bringsContents);
      outcomes.push(admit(item, group, contents));
    }
    const failed = this.write(contents, group);
    if (failed === undefined) return outcomes;
    return outcomes.map((outcome, index) => {
      const isStored = failed.contentsAreStored && members[index]?.item.records === undefined;
      return outcome.kind === 'failed' || !outcome.value || isStored ? outcome : { kind: 'failed', error: failed.error };
    });
  }

  private begin(bringsContents: boolean): Outcome<Group> {
    try {
      const group = this.journal.groupLocked();
      if (!bringsContents || this.journal.isBegun) return { kind: 'done', value: group };
      this.journal.beginLocked();
      return { kind: 'done', value: this.journal.groupLocked() };
    } catch (error) {
      return { kind: 'failed', error: this.tellable(error) };
    }
  }

  /** Contents first, then the batches that may name them; undefined when all of it is durable. */
  private write(contents: Contents, group: Outcome<Group> | undefined): { readonly error: unknown; readonly contentsAreStored: boolean } | undefined {
    let contentsAreStored = false;
    try {
      if (contents.size > 0) this.journal.beginLocked();
      this.blobs.addLocked(contents);
      contentsAreStored = true;
      if (group?.kind === 'done') this.journal.writeLocked(group.value);
      return undefined;
    } catch (error) {
      return { error: this.tellable(error), contentsAreStored };
    }
  }

  /** Makes what was read of the journal durable, also what its writer died before syncing: others are to build on it. */
  settle(): void {
    this.told(() => this.journal.settle());
  }

  /** In milliseconds since 1970. */
  now(): number {
    return this.clock.now();
  }

  /** The newest record that this writer has written; 0 before any. */
  get writtenTo(): number {
    return this.journal.writtenTo;
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
      throw this.tellable(error);
    }
  }

  private tellable(error: unknown): unknown {
    if (TurnstoneError.is(error) || systemCode(error) === undefined) return error;
    return new TurnstoneError('readOnly', `The history in ${this.directory} can't be used now: ${messageOf(error)}. What was recorded before is intact.`, error);
  }
}
