import { crc32 } from '../base/checksum.ts';
import { lazy } from '../base/lazy.ts';

/** Frames of a pack; BLOBS.md beside this file tells the format. */
const magic = Buffer.from('TSF1', 'latin1');
const fixedLength = 14;
const entryLength = 36;

export const headLimit = fixedLength + 255 * entryLength + 4;
/** The most blobs that one frame can hold. */
export const frameCapacity = 255;

const codecs = { raw: 0, deflate: 1, zstd: 2 } as const;
// Loaded when something is large enough to be worth it: most edits are of small files, and a hook must not wait for it.
const zlib = lazy(() => process.getBuiltinModule('node:zlib'));
/** Bodies smaller than this many bytes are stored as they are: a disk block holds them either way. */
const packedFrom = 4096;

export interface FrameEntry {
  readonly hash: string;
  /** Where the blob begins in the unpacked body. */
  readonly offset: number;
  readonly length: number;
}

export interface FrameHead {
  readonly codec: number;
  readonly stored: number;
  readonly unpacked: number;
  readonly entries: readonly FrameEntry[];
  /** Bytes of the head; the body follows. */
  readonly length: number;
}

/** A body as it is stored: packed where that makes it smaller. */
export function packBody(body: Buffer): { readonly codec: number; readonly stored: Buffer } {
  if (body.length < packedFrom) return { codec: codecs.raw, stored: body };
  // Electron's zlib may lack zstd; deflate is everywhere.
  const hasZstd = typeof zlib().zstdCompressSync === 'function';
  const stored = hasZstd ? zlib().zstdCompressSync(body) : zlib().deflateRawSync(body, { level: 1 });
  if (stored.length >= body.length) return { codec: codecs.raw, stored: body };
  return { codec: hasZstd ? codecs.zstd : codecs.deflate, stored };
}

/** One frame that holds the blobs, in order. */
export function encodeFrame(blobs: readonly { readonly hash: string; readonly bytes: Uint8Array }[]): Buffer {
  const body = Buffer.concat(blobs.map(blob => blob.bytes));
  const { codec, stored } = packBody(body);
  const head = Buffer.alloc(fixedLength + blobs.length * entryLength + 4);
  magic.copy(head, 0);
  head.writeUInt8(codec, 4);
  head.writeUInt8(blobs.length, 5);
  head.writeUInt32LE(stored.length, 6);
  head.writeUInt32LE(body.length, 10);
  blobs.forEach((blob, index) => {
    const at = fixedLength + index * entryLength;
    head.write(blob.hash, at, 'hex');
    head.writeUInt32LE(blob.bytes.length, at + 32);
  });
  head.writeUInt32LE(crc32(head.subarray(0, -4)), head.length - 4);
  return Buffer.concat([head, stored]);
}

/** Reads a frame's head from bytes that begin with it; undefined where no whole head is. */
export function decodeHead(bytes: Buffer): FrameHead | undefined {
  if (bytes.length < fixedLength || !bytes.subarray(0, 4).equals(magic)) return undefined;
  const count = bytes.readUInt8(5);
  const length = fixedLength + count * entryLength + 4;
  if (count === 0 || bytes.length < length) return undefined;
  if (crc32(bytes.subarray(0, length - 4)) !== bytes.readUInt32LE(length - 4)) return undefined;
  const entries: FrameEntry[] = [];
  let offset = 0;
  for (let index = 0; index < count; index += 1) {
    const at = fixedLength + index * entryLength;
    const size = bytes.readUInt32LE(at + 32);
    entries.push({ hash: bytes.toString('hex', at, at + 32), offset, length: size });
    offset += size;
  }
  return { codec: bytes.readUInt8(4), stored: bytes.readUInt32LE(6), unpacked: bytes.readUInt32LE(10), entries, length };
}

/** Unpacks a body; throws where it can't be. */
export function decodeBody(head: Pick<FrameHead, 'codec' | 'unpacked'>, stored: Uint8Array): Buffer {
  const limit = { maxOutputLength: Math.max(head.unpacked, 1) };
  switch (head.codec) {
    case codecs.raw:
      return Buffer.from(stored);
    case codecs.deflate:
      return zlib().inflateRawSync(stored, limit);
    case codecs.zstd:
      return zlib().zstdDecompressSync(stored, limit);
    default:
      throw new Error(`unknown codec ${head.codec}`);
  }
}
