import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Files } from '../base/files.ts';
import { Lock } from '../journal/lock.ts';
import { emptyPrefix, prefixesAt, type Prefix } from '../journal/prefix.ts';
import { endsAt, type Position } from '../journal/segments.ts';
import { foldVersion, TimelineFold } from './fold.ts';
import type { FoldState } from './foldState.ts';
import { freeze } from './frozen.ts';
import { bodyOf, encodeGeneration, newestAmong, type GenerationFrame } from './generationFrames.ts';
import { GenerationFiles, type GenerationFile } from './generationFiles.ts';
import { thaw } from './thaw.ts';

/**
 * When its deltas come to a quarter of a keyframe's bytes (but to this many at least), the next one is a keyframe. So reading
 * them takes less than half as long as the keyframe itself, and keyframes get rarer as they grow.
 */
const deltaBytesFloor = 64 * 1024;

/** A state, and where the journal goes on after it. */
export interface Nearest {
  readonly fold: TimelineFold;
  readonly position: Position | undefined;
}

/**
 * The generations of one store: what its journal folds to, saved at boundaries, so that nobody has to fold all of it.
 *
 * Invariants:
 * - They are derived. A missing, torn or damaged one costs time and nothing else; so it is never synced, and a failure
 *   to write one is nobody's failure.
 * - One is believed for opening a store only while the journal has, byte for byte, what it had when the generation was cut:
 *   what is wrong with a journal is found as if all of it had been read.
 * - It speaks of durable lines only. So where the journal has not what the newest whole one speaks of, that was lost.
 */
export class Generations {
  private readonly files: Files;
  private readonly journal: string;
  private readonly store: string;
  private readonly own: GenerationFiles;
  private readonly lock: Lock;
  /** The newest file, as far as it was looked at, and found to belong to this journal. */
  private newest: GenerationFile | undefined;
  /** A file that nobody is to go on with, because one of its frames can't be used. */
  private spoiled: number | undefined;
  /** What of the journal's bytes has been summed up. */
  private prefix: Prefix | undefined;
  private told: Position | undefined;

  constructor(files: Files, clock: Clock, directory: string, journal: string, store: string) {
    this.files = files;
    this.journal = journal;
    this.store = store;
    this.own = new GenerationFiles(files, join(directory, 'generations'));
    // Inside their folder, so that nobody who watches the store is woken by it.
    this.lock = new Lock(files, clock, join(this.own.directory, 'lock'));
  }

  /** Where the journal went on after the newest record of which the newest file spoke when it was opened; undefined where it was not read whole. */
  get newestTold(): Position | undefined {
    return this.told;
  }

  /** Brings an empty fold to the newest generation. Returns where the journal goes on; undefined, with the fold still empty, without one. */
  open(fold: FoldState): Position | undefined {
    const seqs = this.own.list();
    const start = seqs.length === 0 ? undefined : emptyPrefix(this.files, this.journal);
    if (start === undefined) return undefined;
    for (const seq of seqs) {
      const file = this.own.read(seq);
      if (file === undefined) continue;
      if (seq === seqs[0] && !file.torn) this.told = newestAmong(file.frames);
      const heads = file.frames.map(({ head }) => head);
      const prefixes = prefixesAt(this.files, this.journal, start, heads.map(({ position }) => position));
      const strange = heads.findIndex(({ prefix }, index) => prefixes[index]?.crc !== prefix.crc || prefix.first !== start.first);
      const believed = strange < 0 ? file.frames : file.frames.slice(0, strange);
      const reached = this.build(fold, believed);
      if (reached === undefined) continue;
      if (reached === file.frames.at(-1)) this.newest = file;
      else this.spoiled = seq;
      this.prefix = reached.head.prefix;
      fold.track();
      return reached.head.position;
    }
    return undefined;
  }

  /** The nearest state at or before a record, in a fold of its own. */
  nearest(seq: number): Nearest {
    for (const start of this.own.list()) {
      const file = start > seq ? undefined : this.own.read(start);
      if (file === undefined) continue;
      const fold = new TimelineFold();
      const reached = this.build(fold, file.frames.filter(({ head }) => head.seq <= seq));
      // Each line of the journal names the one before, so the last one is enough.
      if (reached !== undefined && endsAt(this.files, this.journal, reached.head.position)) return { fold, position: reached.head.position };
    }
    return { fold: new TimelineFold(), position: undefined };
  }

  /** Puts frames on top of each other as far as they go; returns the last one. */
  private build(fold: FoldState, frames: readonly GenerationFrame[]): GenerationFrame | undefined {
    let reached: GenerationFrame | undefined;
    for (const frame of frames) {
      const { base, seq } = frame.head;
      // Processes cut without knowing of each other, so that a frame can be older than the one before it.
      if (seq <= fold.seq) continue;
      const body = base <= fold.seq ? bodyOf(frame) : undefined;
      if (body === undefined || !thaw(body, seq, this.store, fold)) break;
      reached = frame;
    }
    return reached;
  }

  /**
   * Saves the state of a fold that has taken in the journal up to a position. Does nothing where another process has,
   * or is at it. Throws `readOnly`, or the system's error.
   */
  async cut(fold: FoldState, position: Position): Promise<void> {
    const { seq } = fold;
    // A journal that is not sound has to be read by everybody, to be found unsound.
    if (fold.invalid.length > 0) return;
    const prefix = this.prefixAt(position);
    const newest = this.lookUp();
    if (prefix === undefined || seq !== position.seq - 1 || seq <= lastSeq(newest)) return;
    const follows = newest !== undefined && this.takesAnother(newest) && (fold.trackedSince ?? Infinity) <= lastSeq(newest) ? newest : undefined;
    const base = follows === undefined ? 0 : lastSeq(follows);
    const frame = encodeGeneration(base, position, prefix, freeze(fold, base, this.store), foldVersion);
    // What happens from here on, while others are waited for, is for the next one.
    if (base === 0) fold.track();
    this.own.makeDirectory();
    const written = await this.lock.exclusively(() => this.write(frame, seq, base), 0);
    if (written) fold.forgetTouched(seq);
  }

  /** Removes what processes that died in the middle have left. */
  tidy(): void {
    this.lock.tidy();
    this.own.tidy();
  }

  private prefixAt(position: Position): Prefix | undefined {
    const from = this.prefix ?? emptyPrefix(this.files, this.journal);
    this.prefix = from === undefined ? undefined : prefixesAt(this.files, this.journal, from, [position])[0];
    return this.prefix;
  }

  /** The newest file as it is now; undefined where there is none that somebody could go on with. */
  private lookUp(): GenerationFile | undefined {
    const seq = this.own.list()[0];
    const known = this.newest?.seq === seq ? this.newest : undefined;
    const found = known === undefined ? this.readUnspoiled(seq) : this.own.extend(known);
    const last = found?.frames.at(-1);
    const isOurs = last !== undefined && (found === known || endsAt(this.files, this.journal, last.head.position));
    this.newest = isOurs ? found : undefined;
    return this.newest;
  }

  private readUnspoiled(seq: number | undefined): GenerationFile | undefined {
    return seq === undefined || seq === this.spoiled ? undefined : this.own.read(seq);
  }

  private takesAnother({ frames, torn, size }: GenerationFile): boolean {
    const keyframe = frames[0]?.end ?? 0;
    return !torn && size - keyframe < Math.max(keyframe / 4, deltaBytesFloor);
  }

  private write(frame: Uint8Array, seq: number, base: number): boolean {
    const newest = this.lookUp();
    if (seq <= lastSeq(newest)) return false;
    if (base > 0) {
      if (newest === undefined || !this.takesAnother(newest) || base > lastSeq(newest)) return false;
      this.own.append(newest, frame);
      return true;
    }
    // Files that claim to be newer have no whole frame, or the store would have been found damaged when it was opened.
    for (const strange of this.own.list()) if (strange > seq) this.own.remove(strange);
    this.own.create(seq, frame);
    this.own.tidy();
    this.own.thin();
    return true;
  }
}

function lastSeq(file: GenerationFile | undefined): number {
  return file?.frames.at(-1)?.head.seq ?? 0;
}
