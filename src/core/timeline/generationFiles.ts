import { join } from 'node:path';
import { uniqueName } from '../base/digest.ts';
import { systemCode } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { makeDirectories, removeQuietly } from '../base/fileTools.ts';
import { foldVersion } from './fold.ts';
import { framesIn, generationName, generationsAmong, type GenerationFrame } from './generationFrames.ts';

/** The newest files stay all; of the older ones some, ever fewer with their distance. */
const newestKept = 4;
const keptPerDoubling = 4;

/** A file's whole frames of this version of the fold: a keyframe and the deltas after it. */
export interface GenerationFile {
  /** The record that its keyframe stands at, after which it is named. */
  readonly seq: number;
  readonly frames: readonly GenerationFrame[];
  /** Whether bytes follow the last of these frames: what a crash cut short, damage, or another version's. */
  readonly torn: boolean;
  readonly size: number;
}

/**
 * The files of a store's generations, as files.
 *
 * Invariants: a file is there with a whole keyframe or not at all, is then only appended to, and goes as a whole.
 * Nothing is synced: it is all derived from the journal, checks itself, and what a power failure takes is made again.
 */
export class GenerationFiles {
  readonly directory: string;
  private readonly files: Files;

  constructor(files: Files, directory: string) {
    this.files = files;
    this.directory = directory;
  }

  /** The records at which files begin, newest first. */
  list(): readonly number[] {
    return generationsAmong(this.names());
  }

  private names(): readonly string[] {
    try {
      return this.files.readDirectory(this.directory);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return [];
    }
  }

  /** A file as far as it is whole; undefined where it can't be read or has no keyframe. */
  read(seq: number): GenerationFile | undefined {
    return this.extend({ seq, frames: [], torn: false, size: 0 });
  }

  /** What is in a file by now; undefined where it is not the same file any more. */
  extend(known: GenerationFile): GenerationFile | undefined {
    try {
      const path = this.pathOf(known.seq);
      const size = this.files.stat(path)?.size ?? -1;
      if (size === known.size) return known;
      if (size < known.size) return undefined;
      const read = this.files.readAt(path, known.size, size - known.size);
      const whole = framesIn(Buffer.from(read.buffer, read.byteOffset, read.byteLength), known.size);
      const strange = whole.findIndex(({ head }) => head.version !== foldVersion);
      const frames = [...known.frames, ...(strange < 0 ? whole : whole.slice(0, strange))];
      const [keyframe] = frames;
      if (keyframe === undefined || keyframe.head.base !== 0 || keyframe.head.seq !== known.seq) return undefined;
      return { seq: known.seq, frames, torn: frames.at(-1)?.end !== size, size };
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  append(file: GenerationFile, frame: Uint8Array): void {
    const open = this.files.open(this.pathOf(file.seq), 'update', 0o600);
    try {
      open.write(frame, file.size);
    } finally {
      open.close();
    }
  }

  /** A new file; one that is there under this name goes first, because nobody believes it. */
  create(seq: number, keyframe: Uint8Array): void {
    const path = this.pathOf(seq);
    const temporary = `${path}.${uniqueName()}.tmp`;
    try {
      const file = this.files.open(temporary, 'create', 0o600);
      try {
        file.write(keyframe, 0);
      } finally {
        file.close();
      }
      if (this.files.stat(path) !== undefined) this.files.remove(path);
      this.files.rename(temporary, path);
    } catch (error) {
      removeQuietly(this.files, temporary);
      throw error;
    }
  }

  remove(seq: number): void {
    removeQuietly(this.files, this.pathOf(seq));
  }

  makeDirectory(): void {
    makeDirectories(this.files, this.directory, 0o700);
  }

  /** Removes what is not needed to have one near every record. */
  thin(): void {
    const [newest = 0, ...others] = this.list();
    const older = others.slice(newestKept - 1);
    // Of those at about the same distance the oldest stays: with time they come to the same distance as the one before.
    const kept = new Map(older.map(seq => [Math.floor(Math.log2(newest - seq) * keptPerDoubling), seq]));
    const stays = new Set(kept.values());
    for (const seq of older) if (!stays.has(seq)) this.remove(seq);
  }

  /** Removes what processes that died while writing have left. */
  tidy(): void {
    for (const name of this.names()) if (/^\d{12}\.gen\..*\.tmp$/.test(name)) removeQuietly(this.files, join(this.directory, name));
  }

  private pathOf(seq: number): string {
    return join(this.directory, generationName(seq));
  }
}
