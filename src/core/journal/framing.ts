import { crc32 } from '../base/checksum.ts';
import type { HybridTime } from '../base/clock.ts';
import { countAt, isShape, listAt, textAt, type Shape } from '../base/shape.ts';

/**
 * The journal's lines; FORMAT.md beside this file tells the format for readers in other languages.
 * A line is eight hex digits of CRC-32, a space, one JSON object, and a line feed.
 */
export const formatVersion = 1;

const crcPattern = /^[0-9a-f]{8}$/;

/** The first line of a segment. */
export interface Header {
  readonly turnstone: 'journal';
  readonly format: typeof formatVersion;
  readonly store: string;
  readonly segment: number;
  readonly seq: number;
  readonly prev: string;
}

/** Records that were appended together; they have consecutive sequence numbers from `seq` on. */
export interface Batch extends HybridTime {
  readonly seq: number;
  readonly prev: string;
  /**
   * The byte of the segment at which the write that this line was part of began; only where that is not the line's own
   * first byte. All before it was on the disk when this line was written; what is between was never sure to be.
   */
  readonly write?: number;
  readonly records: readonly unknown[];
}

export const firstPrev = '00000000';

function crcOf(json: Uint8Array): string {
  return crc32(json).toString(16).padStart(8, '0');
}

/** A whole line's bytes, and its CRC for the next line to name. */
export function frame(content: Header | Batch): { readonly bytes: Uint8Array; readonly crc: string } {
  const json = Buffer.from(JSON.stringify(content), 'utf8');
  const crc = crcOf(json);
  return { bytes: Buffer.concat([Buffer.from(`${crc} `, 'latin1'), json, Buffer.from('\n', 'latin1')]), crc };
}

/**
 * A line that is what was written, or why it isn't. One whose checksum is right is whole all the same: it says something that this
 * version does not understand, and is nothing that a power failure left.
 */
export type Line =
  | { readonly kind: 'header'; readonly header: Header; readonly crc: string }
  | { readonly kind: 'batch'; readonly batch: Batch; readonly crc: string }
  | { readonly kind: 'bad'; readonly reason: string; readonly isWhole: boolean };

function readBatch(shape: Shape): Batch | undefined {
  const [seq, prev, at, tick, records] = [countAt(shape, 'seq'), textAt(shape, 'prev'), countAt(shape, 'at'), countAt(shape, 'tick'), listAt(shape, 'records')];
  if (seq === undefined || seq === 0 || prev === undefined || at === undefined || tick === undefined || records === undefined || records.length === 0) return undefined;
  const write = countAt(shape, 'write');
  if (!crcPattern.test(prev) || (write === undefined && shape['write'] !== undefined)) return undefined;
  return { seq, prev, at, tick, ...(write === undefined ? {} : { write }), records };
}

function readHeader(shape: Shape): Header | undefined {
  const [store, segment, seq, prev] = [textAt(shape, 'store'), countAt(shape, 'segment'), countAt(shape, 'seq'), textAt(shape, 'prev')];
  if (shape['turnstone'] !== 'journal' || shape['format'] !== formatVersion) return undefined;
  if (store === undefined || !segment || !seq || prev === undefined || !crcPattern.test(prev)) return undefined;
  return { turnstone: 'journal', format: formatVersion, store, segment, seq, prev };
}

/** The lines in some bytes that have their line feed: where each begins, and its bytes without it. */
export function* wholeLines(bytes: Buffer): Generator<{ readonly start: number; readonly bytes: Buffer }> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) return;
    yield { start, bytes: bytes.subarray(start, end) };
    start = end + 1;
  }
}

/** Reads one line, without its line feed. */
export function unframe(line: Uint8Array): Line {
  const buffer = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const crc = buffer.subarray(0, 8).toString('latin1');
  if (!crcPattern.test(crc) || buffer[8] !== 0x20) return { kind: 'bad', reason: 'it does not begin with a checksum', isWhole: false };
  const json = buffer.subarray(9);
  if (crcOf(json) !== crc) return { kind: 'bad', reason: 'its checksum is wrong', isWhole: false };
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch {
    return { kind: 'bad', reason: 'it is not JSON', isWhole: true };
  }
  const batch = isShape(value) ? readBatch(value) : undefined;
  if (batch !== undefined) return { kind: 'batch', batch, crc };
  const header = isShape(value) ? readHeader(value) : undefined;
  if (header !== undefined) return { kind: 'header', header, crc };
  return { kind: 'bad', reason: 'it is neither a header nor a batch of this format', isWhole: true };
}
