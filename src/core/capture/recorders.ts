import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { messageOf, TurnstoneError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { lazy } from '../base/lazy.ts';
import { BlobStore } from '../snapshot/blobs.ts';
import type { Call } from '../timeline/model.ts';
import { Policy } from '../timeline/policy.ts';
import type { KnownRoot, RootRegistry } from '../timeline/rootRegistry.ts';
import type { RootStore } from '../timeline/store.ts';
import { StoreWriter } from '../timeline/storeWriter.ts';
import type { DeclaredPaths } from './callFacts.ts';
import { CallRecorder } from './callRecorder.ts';
import { readCaptureSettings } from './captureSettings.ts';
import type { History } from './history.ts';
import { forgetMissed, gapRecords, makeReady, noteMissed, waitingMissed, type Missed } from './missed.ts';
import { Pause } from './pause.ts';
import type { Recorder } from './recorder.ts';
import type { TreeLooks } from './treeLooks.ts';
import { TurnNotes } from './turnNotes.ts';

export type MissedContext = Omit<Missed, 'happenedAt' | 'reason'>;

/**
 * The recorders of a hook's process. Capture never stops an agent: when it fails, the miss is noted where it
 * can be and told with the next record, and the reason is returned.
 */
export class Recorders {
  private readonly files: Files;
  private readonly clock: Clock;
  private readonly roots: RootRegistry;
  private readonly known: () => readonly KnownRoot[];
  private readonly loadHistory: () => Promise<History>;
  private readonly pause: Pause;
  private readonly policy: () => Policy;
  readonly notes: TurnNotes;

  constructor(files: Files, clock: Clock, roots: RootRegistry, loadHistory: () => Promise<History>) {
    this.files = files;
    this.clock = clock;
    this.roots = roots;
    this.policy = lazy(() => Policy.read(files));
    this.known = lazy(() => {
      const all = roots.list();
      return all.length === 0 ? all : all.filter(({ path }) => this.policy().whyNotIn(path) === undefined);
    });
    this.loadHistory = loadHistory;
    this.pause = new Pause(files, roots.storage);
    this.notes = new TurnNotes(files, roots.storage);
  }

  /** In milliseconds since 1970. */
  now(): number {
    return this.clock.now();
  }

  /** Whether the machine allows that this agent is recorded. */
  allows(agent: string): boolean {
    return this.policy().whyNotAgent(agent) === undefined;
  }

  /** Whether anything is kept out of the store just now. */
  get isPausedAnywhere(): boolean {
    return this.known().some(root => this.pause.isIn(root));
  }

  isPaused(root: KnownRoot): boolean {
    return this.pause.isIn(root);
  }

  /** Whether nothing is recorded at all. */
  get isIdle(): boolean {
    return this.known().length === 0;
  }

  /** The known root that holds a path, if one does. */
  rootOf(path: string): KnownRoot | undefined {
    return this.roots.find(path, this.known());
  }

  rootWith(key: string): KnownRoot | undefined {
    return this.known().find(root => root.key === key);
  }

  /** Whether something of this name is there; it is where that can't be told. */
  isThere(path: string): boolean {
    try {
      return this.files.stat(path) !== undefined;
    } catch {
      return true;
    }
  }

  /** A text that is kept in the store of another folder; undefined where it can't be read. */
  textIn(key: string, hash: string): Uint8Array | undefined {
    const root = this.rootWith(key);
    try {
      return root === undefined ? undefined : new BlobStore(this.files, join(this.roots.directoryOf(root), 'blobs')).read(hash);
    } catch {
      return undefined;
    }
  }

  /** Whether a call was begun in a folder, as far as its newest records tell. */
  hasBegun(root: KnownRoot, call: string): boolean {
    try {
      return this.writerOf(root).recent(call).some(record => record['type'] === 'call.open');
    } catch {
      return false;
    }
  }

  /** A session's call that an agent gave this id and that has not ended in a folder, the earliest of several. The history is read only where the newest records don't tell. */
  async openCall(root: KnownRoot, session: string, agentCall: string): Promise<string | undefined> {
    try {
      const writer = this.writerOf(root);
      const recent = writer.recentlyOpen(session, agentCall);
      if (recent !== undefined) return recent;
      return (await this.loadHistory()).openCall(await this.wholeStore(writer), session, agentCall);
    } catch {
      return undefined;
    }
  }

  /** A session's call that an agent gave this id in a folder, the newest of several, ended or not. For the rare end that comes without a beginning: the history is read. */
  async lastCall(root: KnownRoot, session: string, agentCall: string): Promise<Call | undefined> {
    try {
      return (await this.loadHistory()).lastCall(await this.wholeStore(this.writerOf(root)), session, agentCall);
    } catch {
      return undefined;
    }
  }

  /** Records something about a call, which needs no history. */
  recordCall(root: KnownRoot, context: MissedContext, work: (recorder: CallRecorder) => Promise<void>): Promise<string | undefined> {
    return this.guarded(root, context, writer => {
      const findInHistory = async (call: string): Promise<DeclaredPaths | undefined> => (await this.loadHistory()).declaredPaths(await this.wholeStore(writer), call);
      return work(new CallRecorder(this.files, writer, findInHistory, this.maxFileSizeOf(writer), () => this.looksAt(root, writer)));
    });
  }

  /** Records something about a turn, for which the history is read. */
  recordTurn(root: KnownRoot, context: MissedContext, work: (recorder: Recorder) => Promise<void>): Promise<string | undefined> {
    return this.guarded(root, context, async writer => {
      makeReady(this.files, writer.directory);
      const { Recorder: TurnRecorder } = await this.loadHistory();
      await work(new TurnRecorder(this.files, await this.wholeStore(writer), this.maxFileSizeOf(writer), () => this.looksAt(root, writer)));
    });
  }

  private maxFileSizeOf({ directory }: StoreWriter): number {
    return readCaptureSettings(this.files, directory).maxFileSize;
  }

  private async looksAt(root: KnownRoot, writer: StoreWriter): Promise<TreeLooks> {
    const { looksAtRoot } = await this.loadHistory();
    const others = this.known().filter(({ key }) => key !== root.key).map(({ path }) => path);
    return looksAtRoot(this.files, this.clock, writer, others, async () => {
      const store = await this.wholeStore(writer);
      store.refresh();
      return store.timeline;
    });
  }

  private async wholeStore({ directory, identity }: StoreWriter): Promise<RootStore> {
    const { RootStore: WholeStore } = await this.loadHistory();
    return new WholeStore(this.files, this.clock, directory, identity);
  }

  private writerOf(root: KnownRoot): StoreWriter {
    return new StoreWriter(this.files, this.clock, this.roots.directoryOf(root), this.roots.identityOf(root));
  }

  private async guarded(root: KnownRoot, context: MissedContext, work: (writer: StoreWriter) => Promise<void>): Promise<string | undefined> {
    const directory = this.roots.directoryOf(root);
    try {
      const writer = this.writerOf(root);
      await this.tellMissed(root, writer);
      await work(writer);
      return undefined;
    } catch (error) {
      const reason = TurnstoneError.is(error) ? error.message : `Turnstone failed: ${messageOf(error)}`;
      noteMissed(this.files, directory, root.key, { ...context, happenedAt: this.clock.now(), reason });
      return reason;
    }
  }

  private async tellMissed(root: KnownRoot, writer: StoreWriter): Promise<void> {
    const waiting = waitingMissed(this.files, writer.directory, root.key);
    if (waiting.length === 0) return;
    await writer.commit(new Map(), gapRecords(waiting));
    forgetMissed(this.files, waiting);
  }
}
