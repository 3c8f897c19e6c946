import { fastCrc32 } from '../base/checksum.ts';
import type { Prefix } from '../journal/prefix.ts';
import type { Position } from '../journal/segments.ts';
import { decodeBody, packBody } from '../snapshot/frames.ts';

/** Frames of a generations file; GENERATIONS.md beside this file tells the format. */
const magic = Buffer.from('TSG1', 'latin1');
const crcAt = 49;
export const frameHeadLength = crcAt + 4;
const namePattern = /^(\d{12})\.gen$/;
/** Nothing that we write unpacks to more bytes than this. */
const unpackedLimit = 512 * 1024 * 1024;

/** A file of generations, named by the record that its first frame stands at. */
export function generationName(seq: number): string {
  return `${String(seq).padStart(12, '0')}.gen`;
}

/** The records at which files begin, newest first. */
export function generationsAmong(names: readonly string[]): readonly number[] {
  return names
    .map(name => namePattern.exec(name)?.[1])
    .filter(digits => digits !== undefined)
    .map(Number)
    .sort((a, b) => b - a);
}

/** What a frame says of itself, before its body is unpacked. */
export interface GenerationHead {
  /** It can be put on top of any state from here on; 0 for a keyframe, which stands alone. */
  readonly base: number;
  /** It gives the state when this record had been folded. */
  readonly seq: number;
  /** Where the journal goes on. */
  readonly position: Position;
  /** The journal's bytes up to there. */
  readonly prefix: Prefix;
  readonly codec: number;
  readonly stored: number;
  readonly unpacked: number;
  /** The `foldVersion` that made it; only frames of one's own say anything about what was folded. */
  readonly version: number;
}

export interface GenerationFrame {
  readonly head: GenerationHead;
  /** Where the frame ends, in its file. */
  readonly end: number;
  readonly stored: Buffer;
}

export function encodeGeneration(base: number, position: Position, prefix: Prefix, body: Buffer, version: number): Buffer {
  const { codec, stored } = packBody(body);
  const head = Buffer.alloc(frameHeadLength);
  magic.copy(head, 0);
  head.writeUInt8(codec, 4);
  head.writeUIntLE(base, 5, 6);
  head.writeUIntLE(position.seq - 1, 11, 6);
  head.writeUInt32LE(prefix.first, 17);
  head.writeUInt32LE(position.segment, 21);
  head.writeUIntLE(position.offset, 25, 6);
  head.writeUInt32LE(Number.parseInt(position.prev, 16), 31);
  head.writeUInt32LE(prefix.crc, 35);
  head.writeUInt32LE(stored.length, 39);
  head.writeUInt32LE(body.length, 43);
  head.writeUInt16LE(version, 47);
  head.writeUInt32LE(checksumOf(head, stored), crcAt);
  return Buffer.concat([head, stored]);
}

function checksumOf(head: Buffer, stored: Buffer): number {
  return fastCrc32()(stored, fastCrc32()(head.subarray(0, crcAt)));
}

function decodeGenerationHead(bytes: Buffer): GenerationHead {
  const seq = bytes.readUIntLE(11, 6);
  const [first, segment, offset] = [bytes.readUInt32LE(17), bytes.readUInt32LE(21), bytes.readUIntLE(25, 6)];
  return {
    base: bytes.readUIntLE(5, 6),
    seq,
    position: { segment, offset, seq: seq + 1, prev: bytes.readUInt32LE(31).toString(16).padStart(8, '0') },
    prefix: { first, segment, offset, crc: bytes.readUInt32LE(35) },
    codec: bytes.readUInt8(4),
    stored: bytes.readUInt32LE(39),
    unpacked: bytes.readUInt32LE(43),
    version: bytes.readUInt16LE(47),
  };
}

/** The whole frames, of whatever version, that bytes begin with; `start` is where the bytes begin in their file. */
export function framesIn(bytes: Buffer, start = 0): readonly GenerationFrame[] {
  const frames: GenerationFrame[] = [];
  for (let at = 0; bytes.length - at >= frameHeadLength && bytes.subarray(at, at + 4).equals(magic); ) {
    const raw = bytes.subarray(at, at + frameHeadLength);
    const head = decodeGenerationHead(raw);
    const stored = bytes.subarray(at + frameHeadLength, at + frameHeadLength + head.stored);
    if (stored.length < head.stored || checksumOf(raw, stored) !== raw.readUInt32LE(crcAt)) break;
    at += frameHeadLength + head.stored;
    frames.push({ head, end: start + at, stored });
  }
  return frames;
}

/** Where the journal goes on after the newest record that frames speak of. */
export function newestAmong(frames: readonly GenerationFrame[]): Position | undefined {
  const heads = frames.map(({ head }) => head);
  return heads.reduce<GenerationHead | undefined>((newest, head) => (head.seq > (newest?.seq ?? 0) ? head : newest), undefined)?.position;
}

/** A frame's body; undefined where it can't be unpacked. */
export function bodyOf({ head, stored }: GenerationFrame): Buffer | undefined {
  if (head.unpacked > unpackedLimit) return undefined;
  try {
    const body = decodeBody(head, stored);
    return body.length === head.unpacked ? body : undefined;
  } catch {
    return undefined;
  }
}
