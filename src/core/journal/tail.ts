import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { unframe, wholeLines, type Batch } from './framing.ts';
import { growth, lastLineLength, listSegments, segmentName, type Position } from './segments.ts';

/** How far back a reader looks that wants what happened lately. */
const recentLength = 32 * 1024;

/** The end of the last segment. */
interface Tail {
  readonly segment: number;
  readonly path: string;
  readonly size: number;
  /** Where in the segment `bytes` begins. */
  readonly from: number;
  readonly bytes: Buffer;
}

interface LastLine extends Tail {
  /** Where the last line begins in `bytes`. */
  readonly start: number;
}

function bytesFrom(files: Files, path: string, from: number, size: number): Buffer {
  const read = files.readAt(path, from, size - from);
  return Buffer.from(read.buffer, read.byteOffset, read.byteLength);
}

function tailOf(files: Files, directory: string, length: number): Tail | undefined {
  const segment = listSegments(files, directory).at(-1);
  if (segment === undefined) return undefined;
  const path = join(directory, segmentName(segment));
  const size = files.stat(path)?.size ?? 0;
  const from = Math.max(0, size - length);
  return { segment, path, size, from, bytes: bytesFrom(files, path, from, size) };
}

/** The last line, looked for further back until its beginning is found; undefined where it has no end. */
function lastLine(files: Files, directory: string): LastLine | undefined {
  for (let tail = tailOf(files, directory, lastLineLength); tail !== undefined; ) {
    const { bytes, from, path, size } = tail;
    if (bytes.at(-1) !== 0x0a) return undefined;
    const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    if (start > 0 || from === 0) return { ...tail, start };
    // Without a line feed before it, this may be the end of a longer line.
    const further = Math.max(0, size - bytes.length * growth);
    tail = { ...tail, from: further, bytes: bytesFrom(files, path, further, size) };
  }
  return undefined;
}

// Of one write, power that failed may have left the last line without one before it.
function isWhole(write: number, files: Files, { path, size, from, bytes, start }: LastLine): boolean {
  if (write > from + start) return false;
  const written = write >= from ? bytes.subarray(write - from) : bytesFrom(files, path, write, size);
  for (const line of wholeLines(written)) if (unframe(line.bytes).kind === 'bad') return false;
  return true;
}

/**
 * The last batch and where the next one goes, without reading what is before: an append costs the same in a
 * long history as in a new one. Undefined where the last write alone doesn't tell, because it isn't whole.
 */
export function readLast(files: Files, directory: string): { readonly batch: Batch; readonly position: Position } | undefined {
  const last = lastLine(files, directory);
  if (last === undefined || last.from + last.start === 0) return undefined;
  const line = unframe(last.bytes.subarray(last.start, -1));
  if (line.kind !== 'batch') return undefined;
  const { batch, crc } = line;
  if (batch.write !== undefined && !isWhole(batch.write, files, last)) return undefined;
  return { batch, position: { segment: last.segment, offset: last.size, seq: batch.seq + batch.records.length, prev: crc } };
}

/** The newest batches in which a text occurs, oldest first; only those are parsed. */
export function readRecent(files: Files, directory: string, text: string): readonly Batch[] {
  const last = tailOf(files, directory, recentLength);
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
