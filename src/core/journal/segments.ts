import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { unframe, type Batch, type Header } from './framing.ts';

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
  /** One batch that a crash cut short: it was never acknowledged. */
  | { readonly kind: 'torn'; readonly segment: number; readonly offset: number }
  /** Bytes that were good once, or that nobody wrote: never cut. */
  | { readonly kind: 'damaged'; readonly segment: number; readonly offset: number; readonly reason: string };

export interface Reading {
  readonly batches: readonly Batch[];
  readonly position: Position;
  readonly store: string | undefined;
  readonly ending: Ending;
}

const segmentPattern = /^(\d{6})\.log$/;

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

/** True when some whole line in the bytes carries a right checksum. */
function holdsGoodLine(bytes: Buffer): boolean {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) return false;
    if (unframe(bytes.subarray(start, end)).kind !== 'bad') return true;
    start = end + 1;
  }
  return false;
}

interface Progress {
  position: Position;
  store: string | undefined;
}

function checkHeader(header: Header, progress: Progress): string | undefined {
  const { position, store } = progress;
  if (header.segment !== position.segment) return `it says it is segment ${header.segment}`;
  if (header.seq !== position.seq && position.seq !== 0) return `it begins at ${header.seq}, not ${position.seq}`;
  if (header.prev !== position.prev && position.seq !== 0) return 'it does not follow the line before';
  if (store !== undefined && header.store !== store) return 'it belongs to another store';
  return undefined;
}

/** Reads one segment from the position on, until a record was read; stops at the first line that is not good. */
function readSegment(files: Files, directory: string, progress: Progress, batches: Batch[], until: number): { rest: Buffer; reason: string } | undefined {
  const path = join(directory, segmentName(progress.position.segment));
  const size = files.stat(path)?.size ?? 0;
  const length = Math.max(0, size - progress.position.offset);
  const read = files.readAt(path, progress.position.offset, length);
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  for (let start = 0; start < bytes.length && progress.position.seq <= until; ) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) return { rest: bytes.subarray(start), reason: 'it has no end' };
    const line = unframe(bytes.subarray(start, end));
    const { position } = progress;
    let reason: string | undefined;
    if (line.kind === 'bad') reason = line.reason;
    else if (line.kind === 'header') {
      reason = position.offset === 0 ? checkHeader(line.header, progress) : 'a header stands in the middle';
      if (reason === undefined) progress.store = line.header.store;
    } else if (line.batch.seq !== position.seq || line.batch.prev !== position.prev) reason = 'it does not follow the line before';
    if (line.kind === 'bad' || reason !== undefined) return { rest: bytes.subarray(start), reason: reason ?? 'unknown' };
    if (line.kind === 'batch') batches.push(line.batch);
    const seq = line.kind === 'batch' ? position.seq + line.batch.records.length : line.header.seq;
    progress.position = { segment: position.segment, offset: position.offset + (end + 1 - start), seq, prev: line.crc };
    start = end + 1;
  }
  return undefined;
}

/** Reads all good batches from a position (or the first segment) to the end, or until a record was read, and says how it ends. */
export function readFrom(files: Files, directory: string, from: Position | undefined, store: string | undefined, until = Infinity): Reading {
  const batches: Batch[] = [];
  const segments = listSegments(files, directory);
  const first = segments[0];
  const start = from ?? (first === undefined ? undefined : { segment: first, offset: 0, seq: 0, prev: '' });
  const nowhere: Position = { segment: 0, offset: 0, seq: 1, prev: '' };
  if (start === undefined) return { batches, position: nowhere, store, ending: { kind: 'clean' } };
  const progress: Progress = { position: start, store };
  for (;;) {
    const bad = readSegment(files, directory, progress, batches, until);
    const { segment, offset, seq } = progress.position;
    const isLast = seq > until || !segments.some(other => other > segment);
    if (bad !== undefined) {
      const torn = isLast && !holdsGoodLine(bad.rest);
      const ending: Ending = torn ? { kind: 'torn', segment, offset } : { kind: 'damaged', segment, offset, reason: bad.reason };
      return { batches, position: progress.position, store: progress.store, ending };
    }
    if (isLast) return { batches, position: progress.position, store: progress.store, ending: { kind: 'clean' } };
    if (!segments.includes(segment + 1)) {
      const ending: Ending = { kind: 'damaged', segment: segment + 1, offset: 0, reason: 'the segment is missing' };
      return { batches, position: progress.position, store: progress.store, ending };
    }
    progress.position = { ...progress.position, segment: segment + 1, offset: 0 };
  }
}

/**
 * Whether the log has a line that ends at a position and is what the position says of it. Where the lines before it
 * are known to be good, so is then everything up to there, because each line names the one before.
 */
export function endsAt(files: Files, directory: string, { segment, offset, seq, prev }: Position): boolean {
  const path = join(directory, segmentName(segment));
  for (let length = lastLineLength; ; length *= 8) {
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

/** The last line of the log is looked for in this many bytes first, then in the whole log. */
const lastLineLength = 8 * 1024;
/** How far back a reader looks that wants what happened lately. */
const recentLength = 32 * 1024;

function lastBytes(files: Files, directory: string, length: number): { readonly segment: number; readonly size: number; readonly bytes: Buffer } | undefined {
  const segment = listSegments(files, directory).at(-1);
  if (segment === undefined) return undefined;
  const path = join(directory, segmentName(segment));
  const size = files.stat(path)?.size ?? 0;
  const read = files.readAt(path, Math.max(0, size - length), length);
  return { segment, size, bytes: Buffer.from(read.buffer, read.byteOffset, read.byteLength) };
}

/**
 * The last batch and where the next one goes, without reading what is before: an append costs the same in a
 * long history as in a new one. Undefined where the last bytes alone don't tell (a torn end, a very long line).
 */
export function readLast(files: Files, directory: string): { readonly batch: Batch; readonly position: Position } | undefined {
  const last = lastBytes(files, directory, lastLineLength);
  if (last === undefined || last.bytes.at(-1) !== 0x0a) return undefined;
  const start = last.bytes.lastIndexOf(0x0a, last.bytes.length - 2) + 1;
  // Without a line feed before it, this may be the end of a longer line.
  if (start === 0) return undefined;
  const line = unframe(last.bytes.subarray(start, -1));
  if (line.kind !== 'batch') return undefined;
  const { batch, crc } = line;
  return { batch, position: { segment: last.segment, offset: last.size, seq: batch.seq + batch.records.length, prev: crc } };
}

/** The newest batches in which a text occurs, oldest first; only those are parsed. */
export function readRecent(files: Files, directory: string, text: string): readonly Batch[] {
  const last = lastBytes(files, directory, recentLength);
  if (last === undefined) return [];
  const found: Batch[] = [];
  for (let at = last.bytes.indexOf(text); at >= 0; ) {
    const start = last.bytes.lastIndexOf(0x0a, at) + 1;
    const end = last.bytes.indexOf(0x0a, at);
    if (end < 0) break;
    const line = unframe(last.bytes.subarray(start, end));
    if (line.kind === 'batch') found.push(line.batch);
    at = last.bytes.indexOf(text, end);
  }
  return found;
}
