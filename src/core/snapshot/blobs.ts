import { join } from 'node:path';
import { TurnstoneError, messageOf } from '../base/errors.ts';
import type { Files, OpenFile } from '../base/files.ts';
import { closeQuietly, makeDirectories, settleNewest, syncNameOf } from '../base/fileTools.ts';
import { sha256 } from '../base/digest.ts';
import { decodeBody, decodeHead, encodeFrame, frameCapacity, headLimit } from './frames.ts';
import { BlobIndex, encodeIndexEntry, indexEntryLength, type BlobPlace } from './blobIndex.ts';
import { indexName, listPacks, packName, packPattern } from './packs.ts';

/** A pack longer than this is followed by a new one. */
const packLimit = 256 * 1024 * 1024;
/** Blobs are packed together up to this many bytes. */
const frameLength = 64 * 1024;

const emptyHash = sha256(new Uint8Array(0));

interface Blob {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** The blobs in order, shared out among frames: a reader unpacks a whole frame for one of them. */
function inFrames(blobs: readonly Blob[]): readonly Buffer[] {
  const frames: Buffer[] = [];
  let [begin, length] = [0, 0];
  for (let index = 0; index < blobs.length; index += 1) {
    const added = blobs[index]?.bytes.length ?? 0;
    if (index > begin && (index - begin === frameCapacity || length + added > frameLength)) {
      frames.push(encodeFrame(blobs.slice(begin, index)));
      [begin, length] = [index, 0];
    }
    length += added;
  }
  return [...frames, encodeFrame(blobs.slice(begin))];
}

// What could not be synced must not be found whole later, as if it had been.
function takeBack(file: OpenFile, offset: number): void {
  try {
    file.truncate(offset);
  } catch {
    // It stays as the torn end of its pack.
  }
}

/**
 * The contents of one store, by hash. BLOBS.md beside this file tells the format.
 *
 * Invariants:
 * - What `addLocked` returned for is durable; what is served has the hash that was asked for.
 * - Identical content is stored once; "already there" is believed only after its bytes were read and hashed.
 * - Nothing that a frame holds is ever overwritten.
 */
export class BlobStore {
  private readonly files: Files;
  private readonly directory: string;
  private readonly index = new BlobIndex();
  /** Where blobs lie that the index lacks, or has at a wrong place. */
  private readonly scanned = new Map<string, BlobPlace>();
  private readonly verified = new Set<string>();
  /** Packs with frames that the index does not have, so that nobody may ever have synced them. */
  private readonly unsynced = new Set<number>();
  /** Where the known frames of each pack end. */
  private readonly ends = new Map<number, number>();

  constructor(files: Files, directory: string) {
    this.files = files;
    this.directory = directory;
  }

  /** The blob's bytes; throws `damaged` where they are missing or not what the hash says. */
  read(hash: string): Uint8Array {
    if (hash === emptyHash) return new Uint8Array(0);
    if (this.placeOf(hash) === undefined) this.catchUp();
    const known = this.readVerified(hash);
    if (known !== undefined) return known;
    // The index may lack it, or say the wrong place; the packs themselves know.
    this.scanAll();
    const bytes = this.readVerified(hash);
    if (bytes !== undefined) return bytes;
    const place = this.placeOf(hash);
    const what = place === undefined ? 'is not in the store' : `is damaged in ${packName(place.pack)}`;
    throw new TurnstoneError('damaged', `Content ${hash} ${what}. Nothing was changed.`);
  }

  private readVerified(hash: string): Uint8Array | undefined {
    const place = this.placeOf(hash);
    const bytes = place === undefined ? undefined : this.readPlace(place);
    if (bytes === undefined || sha256(bytes) !== hash) return undefined;
    this.verified.add(hash);
    return bytes;
  }

  private placeOf(hash: string): BlobPlace | undefined {
    return this.scanned.get(hash) ?? this.index.find(hash);
  }

  /** Whether the blob can be served, bytes and all. */
  has(hash: string): boolean {
    try {
      return this.verified.has(hash) || this.read(hash) !== undefined;
    } catch {
      return false;
    }
  }

  /** Those of some contents that can't be there, as far as the packs' names, lengths and frames' heads tell: no content is read. */
  missingAmong(hashes: Iterable<string>): readonly string[] {
    this.catchUp();
    const sizes = new Map<number, number>();
    const sizeOf = (pack: number): number => {
      const size = sizes.get(pack) ?? this.files.stat(join(this.directory, packName(pack)))?.size ?? 0;
      sizes.set(pack, size);
      return size;
    };
    const isThere = (hash: string): boolean => {
      const place = this.placeOf(hash);
      return hash === emptyHash || (place !== undefined && place.frame + place.frameLength <= sizeOf(place.pack));
    };
    const doubtful = [...hashes].filter(hash => !isThere(hash));
    // As in `read`: the packs themselves know.
    if (doubtful.length > 0) this.scanAll();
    return doubtful.filter(hash => !isThere(hash));
  }

  /** Stores what isn't there yet, durably, in one append; the caller holds the store's lock. Returns how many were new. */
  addLocked(contents: ReadonlyMap<string, Uint8Array>): number {
    const fresh: Blob[] = [];
    const relied = new Set<number>();
    let isCaughtUp = false;
    for (const [hash, bytes] of contents) {
      if (hash === emptyHash) continue;
      // Under the lock nobody else adds anything, so one look is enough. Without looking through all packs: what is stored twice
      // costs a little space, and most of what is asked for here is new.
      if (!isCaughtUp && !this.verified.has(hash)) {
        this.catchUp();
        isCaughtUp = true;
      }
      if (!this.verified.has(hash) && this.readVerified(hash) === undefined) fresh.push({ hash, bytes });
      else relied.add(this.placeOf(hash)?.pack ?? 0);
    }
    if (this.unsynced.size > 0) this.makeDurable(relied);
    if (fresh.length > 0) this.append(fresh);
    return fresh.length;
  }

  /** Makes durable what a process may have written that died under the lock: the frames, and the name of their pack. */
  settle(): void {
    settleNewest(this.files, this.directory, packPattern);
  }

  /** A frame that a process wrote and could not sync before it died is readable, and gone after a power cut. */
  private makeDurable(packs: ReadonlySet<number>): void {
    for (const pack of packs) {
      if (!this.unsynced.has(pack)) continue;
      const file = this.files.open(join(this.directory, packName(pack)), 'update', 0o600);
      try {
        file.syncData();
      } finally {
        file.close();
      }
      this.unsynced.delete(pack);
    }
  }

  private append(blobs: readonly Blob[]): void {
    const frames = inFrames(blobs);
    const { pack, offset } = this.nextPlace();
    try {
      this.write(pack, offset, frames);
    } catch (error) {
      this.ends.clear();
      throw new TurnstoneError('readOnly', `Content can't be stored in ${this.directory}: ${messageOf(error)}. What was recorded before is intact.`, error);
    }
    let end = offset;
    for (const frame of frames) {
      this.remember(pack, end, frame);
      end += frame.length;
    }
    for (const { hash } of blobs) this.verified.add(hash);
    this.extendIndex(blobs);
  }

  private write(pack: number, offset: number, frames: readonly Buffer[]): void {
    const path = join(this.directory, packName(pack));
    makeDirectories(this.files, this.directory, 0o700);
    const file = this.files.open(path, this.files.stat(path) === undefined ? 'create' : 'update', 0o600);
    try {
      let end = offset;
      for (const frame of frames) {
        file.write(frame, end);
        end += frame.length;
      }
      file.syncData();
      // A pack whose name may be lost is as good as not written.
      if (offset === 0) syncNameOf(this.files, path);
    } catch (error) {
      takeBack(file, offset);
      throw error;
    } finally {
      closeQuietly(file);
    }
  }

  // A pack whose end is not a whole frame (a torn write, or damage) is left as it is: what looks like rubbish
  // to this process may be frames behind a damaged one, so the next frame goes into a new pack.
  private nextPlace(): { readonly pack: number; readonly offset: number } {
    const newest = Math.max(0, ...this.ends.keys());
    const end = this.ends.get(newest) ?? 0;
    const size = newest === 0 ? 0 : (this.files.stat(join(this.directory, packName(newest)))?.size ?? 0);
    const usable = newest > 0 && size === end && end <= packLimit;
    return usable ? { pack: newest, offset: end } : { pack: newest + 1, offset: 0 };
  }

  private remember(pack: number, offset: number, bytes: Buffer): number | undefined {
    const head = decodeHead(bytes);
    if (head === undefined) return undefined;
    const length = head.length + head.stored;
    for (const entry of head.entries) {
      this.scanned.set(entry.hash, { hash: entry.hash, pack, frame: offset, frameLength: length, offset: entry.offset, length: entry.length });
    }
    this.ends.set(pack, offset + length);
    return offset + length;
  }

  private readPlace(place: BlobPlace): Uint8Array | undefined {
    try {
      const read = this.files.readAt(join(this.directory, packName(place.pack)), place.frame, place.frameLength);
      const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
      const head = decodeHead(bytes);
      if (head === undefined || bytes.length < head.length + head.stored) return undefined;
      return decodeBody(head, bytes.subarray(head.length, head.length + head.stored)).subarray(place.offset, place.offset + place.length);
    } catch {
      return undefined;
    }
  }

  private scanAll(): void {
    this.ends.clear();
    // One that is gone hides none of those after it.
    for (const pack of listPacks(this.files, this.directory)) this.scanPack(pack);
  }

  /** Takes in what other processes have added since: from the index, and past its end from the frames. */
  private catchUp(): void {
    const indexPath = join(this.directory, indexName);
    const size = this.files.stat(indexPath)?.size ?? 0;
    if (size > this.index.length) {
      const last = this.index.extend(this.files.readAt(indexPath, this.index.length, size - this.index.length));
      if (last !== undefined) this.ends.set(last.pack, Math.max(this.ends.get(last.pack) ?? 0, last.frame + last.frameLength));
    }
    for (let pack = Math.max(1, ...this.ends.keys()); this.scanPack(pack); pack += 1);
  }

  /** Takes in a pack's frames from its known end on; false where there is no such pack. */
  private scanPack(pack: number): boolean {
    const path = join(this.directory, packName(pack));
    const size = this.files.stat(path)?.size;
    if (size === undefined) return false;
    let offset: number | undefined = this.ends.get(pack) ?? 0;
    this.ends.set(pack, offset);
    while (offset !== undefined && offset < size) {
      const read = this.files.readAt(path, offset, headLimit);
      const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
      const head = decodeHead(bytes);
      if (head === undefined || offset + head.length + head.stored > size) break;
      this.unsynced.add(pack);
      offset = this.remember(pack, offset, bytes);
    }
    return true;
  }

  // The index only saves reading; that it can't be written costs time later, never content.
  private extendIndex(blobs: readonly Blob[]): void {
    try {
      const path = join(this.directory, indexName);
      const entries = blobs.map(({ hash }) => this.scanned.get(hash)).filter(place => place !== undefined);
      const bytes = Buffer.concat(entries.map(encodeIndexEntry));
      const size = this.files.stat(path)?.size;
      const file = this.files.open(path, size === undefined ? 'create' : 'update', 0o600);
      try {
        // A torn entry at the end is written over, so that entries stay in step.
        const end = Math.floor((size ?? 0) / indexEntryLength) * indexEntryLength;
        file.write(bytes, end);
      } finally {
        file.close();
      }
    } catch {
      // See above.
    }
  }
}
