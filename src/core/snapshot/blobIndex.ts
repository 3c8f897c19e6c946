import { crc32 } from '../base/checksum.ts';

/** Where a blob lies. */
export interface BlobPlace {
  readonly hash: string;
  readonly pack: number;
  /** Offset of the frame in the pack, and its length with its body. */
  readonly frame: number;
  readonly frameLength: number;
  /** Offset and length in the frame's unpacked body. */
  readonly offset: number;
  readonly length: number;
}

export const indexEntryLength = 64;

export function encodeIndexEntry(place: BlobPlace): Buffer {
  const bytes = Buffer.alloc(indexEntryLength);
  bytes.write(place.hash, 0, 'hex');
  bytes.writeUInt32LE(place.pack, 32);
  bytes.writeBigUInt64LE(BigInt(place.frame), 36);
  bytes.writeUInt32LE(place.frameLength, 44);
  bytes.writeUInt32LE(place.offset, 48);
  bytes.writeUInt32LE(place.length, 52);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

/** The good entries at the beginning of the bytes; a bad one ends them, frames are read from there on. */
export function decodeIndex(read: Uint8Array): readonly BlobPlace[] {
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  const places: BlobPlace[] = [];
  for (let at = 0; at + indexEntryLength <= bytes.length; at += indexEntryLength) {
    const entry = bytes.subarray(at, at + indexEntryLength);
    if (crc32(entry.subarray(0, 60)) !== entry.readUInt32LE(60)) break;
    places.push({
      hash: entry.toString('hex', 0, 32),
      pack: entry.readUInt32LE(32),
      frame: Number(entry.readBigUInt64LE(36)),
      frameLength: entry.readUInt32LE(44),
      offset: entry.readUInt32LE(48),
      length: entry.readUInt32LE(52),
    });
  }
  return places;
}
