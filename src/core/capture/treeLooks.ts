import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { makeDirectories } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { Lock } from '../journal/lock.ts';
import type { IgnoreRules } from '../snapshot/ignoreRules.ts';
import { observeInRoot } from '../snapshot/observeInRoot.ts';
import { parentsOf } from '../snapshot/paths.ts';
import { isCovered } from '../snapshot/coverage.ts';
import { scanTree, type TreeChange, type TreeScan, type Uncovered } from '../snapshot/scanTree.ts';
import { absent, sameState, type State } from '../snapshot/state.ts';
import { readTreeCache, writeTreeCache, type TreeCache } from '../snapshot/treeCache.ts';
import type { Timeline } from '../timeline/model.ts';
import type { JournalRecord, RecordOf } from '../timeline/records.ts';
import type { StoreWriter } from '../timeline/storeWriter.ts';
import { rootChanges, unrecorded, unrecordedFolders } from './effects.ts';
import { isAlive, readLookState, treeFolder, writeLookState, type LookState, type OpenLook } from './openLooks.ts';

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

/** Calls that are over, by their ids, or the one in the background that its agent started by a call of this id. */
export type OverCalls = { readonly calls: readonly string[] } | { readonly session: string; readonly background: string };

function isAmong(which: OverCalls): (call: OpenLook) => boolean {
  if ('calls' in which) return ({ call }) => which.calls.includes(call);
  return ({ session, agentCall, isBackground }) => session === which.session && agentCall === which.background && isBackground === true;
}

/** What records need of looks; they may be made in another thread. */
export type Looking = Pick<TreeLooks, 'begin' | 'end' | 'between' | 'ahead'>;

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
    this.directory = join(writer.directory, treeFolder);
  }

  /** A call begins that may change anything; `records` say so. */
  async begin(call: OpenLook, records: readonly JournalRecord[], contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.looking(async look => {
      const { effects, open } = await this.tell(look, look.state.open);
      await this.commit(look, [...effects, ...records], contents);
      this.remember(look, [...open.filter(other => other.call !== call.call), call]);
    });
  }

  /** Calls end; `records` say so. Those that never ran, or whose beginning was not looked at, have no effects. */
  async end(which: OverCalls, how: 'ran' | 'never ran' | 'runs on', records: readonly JournalRecord[], contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const isOver = isAmong(which);
    await this.looking(async look => {
      const all = look.state.open;
      const { effects, open } = how === 'never ran' ? await this.tell(look, all.filter(call => !isOver(call))) : await this.tell(look, all, isOver);
      await this.commit(look, [...effects, ...records], contents);
      this.remember(look, open.flatMap(call => (!isOver(call) ? [call] : how === 'runs on' ? [{ ...call, isBackground: true }] : [])));
    });
  }

  /** What calls that have not ended have done so far is told, before somebody takes their turn back. */
  async between(): Promise<void> {
    if (readLookState(this.files, this.directory).open.length === 0) return;
    await this.looking(async look => {
      const { effects, open } = await this.tell(look, look.state.open);
      await this.commit(look, effects, new Map());
      this.remember(look, open);
    });
  }

  /**
   * A call is about to declare these paths while others are open that may have changed anything: what those have done there so far is told
   * before it, from what the last look saw. Only these paths are looked at.
   */
  async ahead(paths: readonly string[]): Promise<void> {
    await this.locked(async () => {
      const state = readLookState(this.files, this.directory);
      const last = readTreeCache(this.files, join(this.directory, 'cache'));
      if (last === undefined || state.open.length === 0) return;
      const contents = new Map<string, Uint8Array>();
      const changes = paths.flatMap(path => this.changeSince(last, path, contents) ?? []);
      if (changes.length === 0) return;
      const look = { scan: { cache: last, changes, folders: [], uncovered: [], isComplete: false, isFirst: false }, last, state, contents };
      const { effects } = await this.tell(look, state.open);
      await this.commit(look, effects, new Map());
    });
  }

  private changeSince(last: TreeCache, path: string, contents: Map<string, Uint8Array>): TreeChange | undefined {
    const { rules, maxFileSize, leavesOut } = this.options;
    const root = this.writer.identity.path;
    const before = last.entries.get(path)?.state ?? absent;
    const { state: after, bytes } = observeInRoot(this.files, root, path, maxFileSize);
    if (sameState(before, after) || !isEntry(after)) return undefined;
    if (before.kind === 'absent' && ([...parentsOf(path), path, ''].some(above => last.unknown.has(above)) || !isCovered(this.files, root, rules, leavesOut, path))) return undefined;
    if (after.kind === 'content' && bytes !== undefined) contents.set(after.hash, bytes);
    return { path, before, after };
  }

  private async looking(work: (look: Look) => Promise<void>): Promise<void> {
    await this.locked(async () => work(await this.look()));
  }

  private async locked(work: () => Promise<void>): Promise<void> {
    makeDirectories(this.files, this.directory, 0o700);
    await new Lock(this.files, this.clock, join(this.directory, 'lock')).exclusively(work);
  }

  /** Looks until all is seen or the time is over; contents that are many are stored on the way. */
  private async look(): Promise<Look> {
    const { open, ...rest } = readLookState(this.files, this.directory);
    const state = { ...rest, open: open.filter(call => isAlive(this.files, call, this.clock.now())) };
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

  /**
   * What changed since the last look, as the doing of the calls that were open: of one, of those of one turn, or of nobody known. What one in the
   * background did is nobody's either: the user works on meanwhile. Returns which of them are still open by the records: one whose end could not be remembered is not.
   */
  private async tell({ scan, state }: Look, named: readonly OpenLook[], isOver: (call: OpenLook) => boolean = () => false): Promise<{ readonly effects: readonly RecordOf<'effects'>[]; readonly open: readonly OpenLook[] }> {
    if (named.length === 0 || (scan.changes.length === 0 && scan.folders.length === 0 && !named.some(isOver))) return { effects: [], open: named };
    const timeline = await this.options.readTimeline();
    const open = named.filter(({ call, isBackground }) => isBackground === true || timeline.calls.get(call)?.outcome === 'open');
    const paths = unrecorded(scan.changes, timeline, state.seq);
    const { made, removed } = unrecordedFolders(scan.folders, timeline, state.seq);
    const ofRoot = rootChanges(scan.folders);
    const isFound = paths.length + made.length + removed.length > 0;
    const over = open.filter(isOver);
    const waitedFor = open.filter(({ isBackground }) => isBackground !== true);
    const suspects = waitedFor.length > 0 ? waitedFor : open;
    const [owner, ...others] = over.length > 0 ? over : isFound || ofRoot.length > 0 ? suspects.slice(0, 1) : [];
    if (owner === undefined) return { effects: [], open };
    const isCertain = waitedFor.length > 0 && new Set(suspects.map(({ turn }) => turn)).size === 1 && suspects.some(({ turn }) => turn === owner.turn);
    const first = effectsOf(owner, {
      ...(isCertain || !isFound ? {} : { candidates: suspects.map(({ call }) => call) }),
      paths: [...paths],
      ...(removed.length === 0 ? {} : { removed: [...removed] }),
      ...(made.length === 0 ? {} : { made: [...made] }),
      uncovered: bounded([...ofRoot, ...(over.length > 0 ? [...scan.uncovered, ...gone(state.uncovered, scan)] : [])]),
      isComplete: over.length > 0 && scan.isComplete && !scan.isFirst,
    });
    // Others that end with it have nothing of their own left to tell.
    return { effects: [first, ...others.map(call => effectsOf(call, { paths: [], uncovered: [], isComplete: first.isComplete }))], open };
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
      writeLookState(this.files, this.directory, { seq: Math.max(state.seq, this.writer.writtenTo), open, uncovered: scan.uncovered.map(({ path }) => path) });
    } catch {
      // A call whose beginning is not remembered has no effects, and its turn says so.
    }
  }
}

function effectsOf({ session, turn, call }: OpenLook, seen: Pick<RecordOf<'effects'>, 'candidates' | 'paths' | 'removed' | 'made' | 'uncovered' | 'isComplete'>): RecordOf<'effects'> {
  return { type: 'effects', session, turn, call, ...seen };
}

/** What a look would remember of a path. */
function isEntry({ kind }: State): boolean {
  return kind === 'content' || kind === 'oversize' || kind === 'link' || kind === 'absent';
}

function contentSize(cache: TreeCache | undefined): number {
  return [...(cache?.entries.values() ?? [])].reduce((sum, { state }) => sum + (state.kind === 'content' ? state.size : 0), 0);
}

/** What the last look could not see, and this one does not find any more. */
function gone(unseen: readonly string[], { cache, uncovered }: TreeScan): readonly Uncovered[] {
  const there = new Set([...cache.entries.keys(), ...cache.folders.keys(), ...cache.unknown, ...uncovered.map(({ path }) => path)]);
  return unseen.filter(path => path !== '' && !there.has(path)).map(path => ({ path, reason: 'it could not be looked at before, and is gone' }));
}

function bounded(uncovered: readonly Uncovered[]): { path: string; reason: string }[] {
  const named = uncovered.slice(0, namedAtMost).map(({ path, reason }) => ({ path, reason }));
  return uncovered.length > namedAtMost ? [...named, { path: '', reason: `and ${uncovered.length - namedAtMost} more paths could not be looked at` }] : named;
}
