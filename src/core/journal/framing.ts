import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import type { HybridTime } from '../base/clock.ts';
import { lazy } from '../base/lazy.ts';

/**
 * The journal's lines; FORMAT.md beside this file tells the format for readers in other languages.
 * A line is eight hex digits of CRC-32, a space, one JSON object, and a line feed.
 */
export const formatVersion = 1;

const crcPattern = /^[0-9a-f]{8}$/;

const crcSchema = lazy(() => z.string().check(z.regex(crcPattern)));
const numberSchema = lazy(() => z.int());

const headerSchema = lazy(() =>
  z.object({
    turnstone: z.literal('journal'),
    format: z.literal(formatVersion),
    store: z.string(),
    segment: numberSchema(),
    seq: numberSchema(),
    prev: crcSchema(),
  }),
);
export type Header = Readonly<z.infer<ReturnType<typeof headerSchema>>>;

const batchSchema = lazy(() =>
  z.object({ seq: numberSchema(), prev: crcSchema(), at: numberSchema(), tick: numberSchema(), records: z.array(z.unknown()).check(z.minLength(1)) }),
);

/** Records that were appended together; they have consecutive sequence numbers from `seq` on. */
export interface Batch extends HybridTime {
  readonly seq: number;
  readonly prev: string;
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

/** A line that is what was written, or why it isn't. */
export type Line =
  | { readonly kind: 'header'; readonly header: Header; readonly crc: string }
  | { readonly kind: 'batch'; readonly batch: Batch; readonly crc: string }
  | { readonly kind: 'bad'; readonly reason: string };

/** Reads one line, without its line feed. */
export function unframe(line: Uint8Array): Line {
  const buffer = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const crc = buffer.subarray(0, 8).toString('latin1');
  if (!crcPattern.test(crc) || buffer[8] !== 0x20) return { kind: 'bad', reason: 'it does not begin with a checksum' };
  const json = buffer.subarray(9);
  if (crcOf(json) !== crc) return { kind: 'bad', reason: 'its checksum is wrong' };
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch {
    return { kind: 'bad', reason: 'it is not JSON' };
  }
  const batch = z.safeParse(batchSchema(), value);
  if (batch.success) return { kind: 'batch', batch: batch.data, crc };
  const header = z.safeParse(headerSchema(), value);
  if (header.success) return { kind: 'header', header: header.data, crc };
  return { kind: 'bad', reason: 'it is neither a header nor a batch of this format' };
}
