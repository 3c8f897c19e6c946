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

function decodeEntry(bytes: Buffer, at: number): BlobPlace | undefined {
  const entry = bytes.subarray(at, at + indexEntryLength);
  if (crc32(entry.subarray(0, 60)) !== entry.readUInt32LE(60)) return undefined;
  return {
    hash: entry.toString('hex', 0, 32),
    pack: entry.readUInt32LE(32),
    frame: Number(entry.readBigUInt64LE(36)),
    frameLength: entry.readUInt32LE(44),
    offset: entry.readUInt32LE(48),
    length: entry.readUInt32LE(52),
  };
}

/** After so many looks for single entries it is cheaper to know them all. */
const fewLooks = 32;

/**
 * The index of a store as far as it was read. A hook looks for a few hashes among all that the store has, so entries are found in the bytes
 * as they lie on the disk, and only those are decoded; who looks for many gets them all decoded once.
 */
export class BlobIndex {
  private bytes: Buffer = Buffer.alloc(0);
  private looks = 0;
  private all: Map<string, BlobPlace> | undefined;

  /** How many bytes were taken in: whole entries up to the last good one. What follows may be half-written, and is read again. */
  get length(): number {
    return this.bytes.length;
  }

  /** Takes in what follows; returns the last entry that is new and good. */
  extend(read: Uint8Array): BlobPlace | undefined {
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    for (let end = bytes.length - (bytes.length % indexEntryLength); end > 0; end -= indexEntryLength) {
      const last = decodeEntry(bytes, end - indexEntryLength);
      if (last === undefined) continue;
      const from = this.bytes.length;
      this.bytes = from === 0 ? bytes.subarray(0, end) : Buffer.concat([this.bytes, bytes.subarray(0, end)]);
      if (this.all !== undefined) this.decodeFrom(from, this.all);
      return last;
    }
    return undefined;
  }

  /** The latest place of a blob: content is stored again where the place before is damaged. */
  find(hash: string): BlobPlace | undefined {
    if (this.all !== undefined) return this.all.get(hash);
    this.looks += 1;
    if (this.looks > fewLooks) {
      this.all = this.decodeFrom(0, new Map());
      return this.all.get(hash);
    }
    const key = Buffer.from(hash, 'hex');
    for (let at = this.bytes.lastIndexOf(key); at >= 0; at = at === 0 ? -1 : this.bytes.lastIndexOf(key, at - 1)) {
      const place = at % indexEntryLength === 0 ? decodeEntry(this.bytes, at) : undefined;
      if (place !== undefined) return place;
    }
    return undefined;
  }

  private decodeFrom(from: number, places: Map<string, BlobPlace>): Map<string, BlobPlace> {
    for (let at = from; at < this.bytes.length; at += indexEntryLength) {
      const place = decodeEntry(this.bytes, at);
      if (place !== undefined) places.set(place.hash, place);
    }
    return places;
  }
}
