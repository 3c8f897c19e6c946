import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { makeDirectories } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { Lock } from '../journal/lock.ts';
import type { IgnoreRules } from '../snapshot/ignoreRules.ts';
import { observe } from '../snapshot/observe.ts';
import { scanTree, type TreeScan, type Uncovered } from '../snapshot/scanTree.ts';
import { readTreeCache, writeTreeCache, type TreeCache } from '../snapshot/treeCache.ts';
import type { DirectoryEntry, Timeline } from '../timeline/model.ts';
import type { JournalRecord, RecordOf } from '../timeline/records.ts';
import type { StoreWriter } from '../timeline/storeWriter.ts';
import { foldersIn, newFolders, unrecorded } from './effects.ts';
import { readLookState, writeLookState, type LookState, type OpenLook } from './openLooks.ts';

/** What a look needs to know of a root. */
export interface LookOptions {
  readonly rules: IgnoreRules;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Milliseconds that a look may take before it goes on at the next one. */
  readonly budget: number;
  /** Bytes of content that one look may copy into the store. */
  readonly copyLimit: number;
  readonly leavesOut: (absolute: string) => boolean;
  /** Reads the history: only where something has changed. */
  readonly readTimeline: () => Promise<Timeline>;
}

/** So many bytes of contents are stored at a time. */
const portion = 32 * 1024 * 1024;

/** So many files are named of what a look could not see; the rest is counted. */
const namedAtMost = 20;

interface Look {
  readonly scan: TreeScan;
  readonly last: TreeCache | undefined;
  readonly state: LookState;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * Looks at all covered files of a root around calls that don't say what they change, and tells what changed in between.
 *
 * Invariants:
 * - One look at a time: it, the records of what it found and the memory of it are one, under a lock of their own.
 * - What a look remembers as kept is durable in the store before it is remembered.
 * - A change is told once: by the call that had declared the file, or else by the calls that were open and may have changed anything.
 * - Where a look fails nothing is told, and the call stays one of which nobody knows what it changed.
 */
export class TreeLooks {
  private readonly files: Files;
  private readonly clock: Clock;
  private readonly writer: StoreWriter;
  private readonly options: LookOptions;
  private readonly directory: string;

  constructor(files: Files, clock: Clock, writer: StoreWriter, options: LookOptions) {
    this.files = files;
    this.clock = clock;
    this.writer = writer;
    this.options = options;
    this.directory = join(writer.directory, 'tree');
  }

  /** A call begins that may change anything; `records` say so. */
  async begin(call: OpenLook, records: readonly JournalRecord[], contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.looking(async look => {
      const told = await this.tell(look, look.state.open);
      await this.commit(look, [...told, ...records], contents);
      this.remember(look, [...look.state.open.filter(other => other.call !== call.call), call]);
    });
  }

  /** Calls end; `records` say so. Those that never ran, or whose beginning was not looked at, have no effects. */
  async end(calls: readonly string[], haveRun: boolean, records: readonly JournalRecord[], contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.looking(async look => {
      const { open } = look.state;
      const others = open.filter(({ call }) => !calls.includes(call));
      const told = haveRun ? await this.tell(look, open, calls) : await this.tell(look, others);
      await this.commit(look, [...told, ...records], contents);
      this.remember(look, others);
    });
  }

  private async looking(work: (look: Look) => Promise<void>): Promise<void> {
    makeDirectories(this.files, this.directory, 0o700);
    await new Lock(this.files, this.clock, join(this.directory, 'lock')).exclusively(async () => work(await this.look()));
  }

  /** Looks until all is seen or the time is over; contents that are many are stored on the way. */
  private async look(): Promise<Look> {
    const state = readLookState(this.files, this.directory);
    const last = readTreeCache(this.files, join(this.directory, 'cache'));
    let copied = contentSize(last);
    const contents = new Map<string, Uint8Array>();
    let waiting = 0;
    const { rules, maxFileSize, leavesOut, copyLimit, budget } = this.options;
    const scan = scanTree(this.files, this.writer.identity.path, {
      cache: last,
      rules,
      maxFileSize,
      leavesOut,
      now: () => this.clock.now(),
      budget,
      keep: (hash, bytes) => {
        if (this.writer.blobs.has(hash) || contents.has(hash)) return true;
        if (copied + bytes.length > copyLimit) return false;
        copied += bytes.length;
        waiting += bytes.length;
        contents.set(hash, bytes);
        return true;
      },
    });
    return { scan, last, state, contents: waiting > portion ? await this.storePortions(contents) : contents };
  }

  private async storePortions(contents: ReadonlyMap<string, Uint8Array>): Promise<ReadonlyMap<string, Uint8Array>> {
    let part = new Map<string, Uint8Array>();
    let size = 0;
    for (const [hash, bytes] of contents) {
      part.set(hash, bytes);
      size += bytes.length;
      if (size < portion) continue;
      await this.writer.keep(part);
      [part, size] = [new Map(), 0];
    }
    return part;
  }

  /** What changed since the last look, as the doing of the calls that were open: of one, of those of one turn, or of nobody known. */
  private async tell({ scan, last, state }: Look, open: readonly OpenLook[], ending: readonly string[] = []): Promise<readonly RecordOf<'effects'>[]> {
    const call = open.find(one => ending.includes(one.call)) ?? open[0];
    if (call === undefined) return [];
    const paths = scan.changes.length === 0 ? [] : unrecorded(scan.changes, await this.options.readTimeline(), state.seq);
    const isEnd = ending.length > 0;
    if (paths.length === 0 && !isEnd) return [];
    const known = last === undefined ? new Set<string>() : foldersIn(last);
    const turns = new Set(open.map(({ turn }) => turn));
    const { session, turn } = call;
    const first: RecordOf<'effects'> = {
      type: 'effects',
      session,
      turn,
      call: call.call,
      ...(turns.size > 1 ? { candidates: open.map(one => one.call) } : {}),
      paths: paths.map(path => ({ ...path, made: path.before.kind === 'absent' ? this.madeAbove(path.path, known) : [] })),
      uncovered: isEnd ? bounded(scan.uncovered) : [],
      isComplete: isEnd && scan.isComplete && !scan.isFirst,
    };
    // Others that end with it have nothing of their own left to tell.
    const others = open.filter(one => one !== call && ending.includes(one.call)).map((one): RecordOf<'effects'> => ({ type: 'effects', session: one.session, turn: one.turn, call: one.call, paths: [], uncovered: [], isComplete: first.isComplete }));
    return [first, ...others];
  }

  private madeAbove(path: string, known: ReadonlySet<string>): DirectoryEntry[] {
    return newFolders(path, known).flatMap(folder => {
      const { state } = observe(this.files, join(this.writer.identity.path, folder), 0);
      return state.kind === 'directory' ? [{ path: folder, mode: state.mode }] : [];
    });
  }

  private async commit({ contents }: Look, records: readonly JournalRecord[], more: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const all = new Map([...contents, ...more]);
    if (records.length > 0) await this.writer.commit(all, records);
    else if (all.size > 0) await this.writer.keep(all);
  }

  /** Only after all of it is durable. What is on record stays so where it can't be remembered: then the next look begins where this one did. */
  private remember({ scan, state }: Look, open: readonly OpenLook[]): void {
    try {
      writeTreeCache(this.files, join(this.directory, 'cache'), scan.cache);
      writeLookState(this.files, this.directory, { seq: Math.max(state.seq, this.writer.syncedTo), open });
    } catch {
      // A call whose beginning is not remembered has no effects, and its turn says so.
    }
  }
}

function contentSize(cache: TreeCache | undefined): number {
  return [...(cache?.entries.values() ?? [])].reduce((sum, { state }) => sum + (state.kind === 'content' ? state.size : 0), 0);
}

function bounded(uncovered: readonly Uncovered[]): { path: string; reason: string }[] {
  const named = uncovered.slice(0, namedAtMost).map(({ path, reason }) => ({ path, reason }));
  return uncovered.length > namedAtMost ? [...named, { path: '', reason: `and ${uncovered.length - namedAtMost} more paths could not be looked at` }] : named;
}
