import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { firstPrev, unframe, wholeLines, type Batch, type Header, type Line } from './framing.ts';
import { mayBeTorn } from './torn.ts';

/** A place between two lines: where the next line begins, and what it must follow. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
  /** The sequence number of the next record. */
  readonly seq: number;
  /** CRC of the line before. */
  readonly prev: string;
}

/** What is after the last good line of the last segment. */
export type Ending =
  | { readonly kind: 'clean' }
  /** One write that a crash cut short: it was never acknowledged. */
  | { readonly kind: 'torn'; readonly segment: number; readonly offset: number }
  | Damage;

/** Bytes that were good once, or that nobody wrote: never cut. */
export interface Damage {
  readonly kind: 'damaged';
  readonly segment: number;
  readonly offset: number;
  readonly reason: string;
  readonly lost?: LostRecord;
}

/** What a witness saw, and the log has not. */
export interface LostRecord {
  readonly seq: number;
  /** The log goes past it, with something else in its place. */
  readonly replaced: boolean;
}

export interface Reading {
  readonly batches: readonly Batch[];
  readonly position: Position;
  readonly store: string | undefined;
  readonly ending: Ending;
}

export const segmentPattern = /^(\d{6})\.log$/;

export function segmentName(segment: number): string {
  return `${String(segment).padStart(6, '0')}.log`;
}

/** The numbers of the segments that are there, ascending. */
export function listSegments(files: Files, directory: string): readonly number[] {
  if (files.stat(directory) === undefined) return [];
  return files
    .readDirectory(directory)
    .map(name => segmentPattern.exec(name)?.[1])
    .filter(digits => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

/** The last line before a place is looked for in this many bytes first, then in more and more. */
export const lastLineLength = 8 * 1024;
export const growth = 16;

interface Progress {
  position: Position;
  store: string | undefined;
}

function checkHeader(header: Header, progress: Progress): string | undefined {
  const { position, store } = progress;
  if (header.segment !== position.segment) return `it says it is segment ${header.segment}`;
  if (header.seq !== position.seq) return `it begins at ${header.seq}, not ${position.seq}`;
  if (header.prev !== position.prev) return 'it does not follow the line before';
  if (store !== undefined && header.store !== store) return 'it belongs to another store';
  return undefined;
}

/** Why a line is not the next one, or undefined where it is. */
function unfit(line: Line, progress: Progress): string | undefined {
  const { position } = progress;
  if (line.kind === 'bad') return line.reason;
  if (line.kind === 'header') return position.offset === 0 ? checkHeader(line.header, progress) : 'a header stands in the middle';
  if (position.offset === 0) return 'it is no header';
  return line.batch.seq === position.seq && line.batch.prev === position.prev ? undefined : 'it does not follow the line before';
}

/** What is wrong with a segment, and what follows its last good line where there is anything. */
interface Bad {
  readonly rest?: Buffer;
  readonly reason: string;
}

/** Reads one segment from the position on, until a record was read; stops at the first line that is not good. */
function readSegment(files: Files, directory: string, progress: Progress, batches: Batch[], until: number): Bad | undefined {
  const path = join(directory, segmentName(progress.position.segment));
  const from = progress.position.offset;
  const size = files.stat(path)?.size;
  if (size === undefined) return { reason: 'the segment is missing' };
  // Somebody could neither sync a line nor leave it there, and it was read in between: what was made of it never happened.
  if (size < from) return { reason: 'it was cut since it was read; open it anew' };
  const read = files.readAt(path, from, size - from);
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  for (const { start, bytes: text } of wholeLines(bytes)) {
    if (progress.position.seq > until) return undefined;
    const line = unframe(text);
    const reason = unfit(line, progress);
    if (line.kind === 'bad' || reason !== undefined) return { rest: bytes.subarray(start), reason: reason ?? 'unknown' };
    if (line.kind === 'header') progress.store = line.header.store;
    else batches.push(line.batch);
    const seq = line.kind === 'header' ? line.header.seq : line.batch.seq + line.batch.records.length;
    progress.position = { ...progress.position, offset: from + start + text.length + 1, seq, prev: line.crc };
  }
  const rest = bytes.subarray(progress.position.offset - from);
  return rest.length === 0 || progress.position.seq > until ? undefined : { rest, reason: 'it has no end' };
}

/** Where every log begins. */
export const beginning: Position = { segment: 1, offset: 0, seq: 1, prev: firstPrev };

/** Reads all good batches from a position (or the first segment) to the end, or until a record was read, and says how it ends. */
export function readFrom(files: Files, directory: string, from: Position | undefined, store: string | undefined, until = Infinity): Reading {
  const batches: Batch[] = [];
  const segments = listSegments(files, directory);
  const progress: Progress = { position: from ?? beginning, store };
  const ended = (ending: Ending): Reading => ({ batches, position: progress.position, store: progress.store, ending });
  if (segments.length === 0 && (from?.seq ?? 1) === 1) return ended({ kind: 'clean' });
  for (;;) {
    const bad = readSegment(files, directory, progress, batches, until);
    const { segment, offset, seq } = progress.position;
    const isLast = seq > until || !segments.some(other => other > segment);
    if (bad !== undefined) {
      const torn = isLast && bad.rest !== undefined && mayBeTorn(bad.rest, offset);
      return ended(torn ? { kind: 'torn', segment, offset } : { kind: 'damaged', segment, offset, reason: bad.reason });
    }
    if (isLast) return ended({ kind: 'clean' });
    progress.position = { ...progress.position, segment: segment + 1, offset: 0 };
  }
}

/**
 * Whether the log has a line that ends at a position and is what the position says of it. Where the lines before it
 * are known to be good, so is then everything up to there, because each line names the one before.
 */
export function endsAt(files: Files, directory: string, { segment, offset, seq, prev }: Position): boolean {
  const path = join(directory, segmentName(segment));
  for (let length = lastLineLength; ; length *= growth) {
    const from = Math.max(0, offset - length);
    const read = (files.stat(path)?.size ?? 0) < offset ? undefined : files.readAt(path, from, offset - from);
    if (read === undefined || read.length === 0 || read.at(-1) !== 0x0a) return false;
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    if (start === 0 && from > 0) continue;
    const line = unframe(bytes.subarray(start, -1));
    return line.kind === 'batch' && line.crc === prev && line.batch.seq + line.batch.records.length === seq;
  }
}
