import type { Clock } from '../base/clock.ts';
import { messageOf, TurnstoneError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { lazy } from '../base/lazy.ts';
import type { KnownRoot, Roots } from '../timeline/roots.ts';
import type { RootStore } from '../timeline/store.ts';
import { forgetMissed, gapRecords, noteMissed, waitingMissed, type Missed } from './missed.ts';
import { Recorder } from './recorder.ts';

/** The recorders of one process, one for each root that it meets. */
export class Recorders {
  private readonly files: Files;
  private readonly clock: Clock;
  private readonly roots: Roots;
  private readonly known: () => readonly KnownRoot[];
  private readonly open = new Map<string, { readonly store: RootStore; readonly recorder: Recorder }>();

  constructor(files: Files, clock: Clock, roots: Roots) {
    this.files = files;
    this.clock = clock;
    this.roots = roots;
    this.known = lazy(() => roots.list());
  }

  /** Whether anything is recorded at all. */
  get isIdle(): boolean {
    return this.known().length === 0;
  }

  /** The known root that holds a path, if one does. */
  rootOf(path: string): KnownRoot | undefined {
    return this.roots.find(path, this.known());
  }

  /**
   * Records something in a root. Capture never stops an agent: when it fails, the miss is noted where it
   * can be and told with the next record, and the reason is returned.
   */
  async record(root: KnownRoot, missed: Omit<Missed, 'happenedAt' | 'reason'>, work: (recorder: Recorder) => Promise<void>): Promise<string | undefined> {
    try {
      const { store, recorder } = this.recorderOf(root);
      await this.tellMissed(root, store);
      await work(recorder);
      return undefined;
    } catch (error) {
      const reason = TurnstoneError.is(error) ? error.message : `Turnstone failed: ${messageOf(error)}`;
      noteMissed(this.files, this.roots.directoryOf(root), root.key, { ...missed, happenedAt: this.clock.now(), reason });
      return reason;
    }
  }

  private recorderOf(root: KnownRoot): { readonly store: RootStore; readonly recorder: Recorder } {
    let entry = this.open.get(root.key);
    if (entry === undefined) {
      const store = this.roots.open(root);
      entry = { store, recorder: new Recorder(this.files, store) };
      this.open.set(root.key, entry);
    }
    return entry;
  }

  private async tellMissed(root: KnownRoot, store: RootStore): Promise<void> {
    const waiting = waitingMissed(this.files, store.directory, root.key);
    if (waiting.length === 0) return;
    await store.commit(new Map(), gapRecords(waiting));
    forgetMissed(this.files, waiting);
  }
}
