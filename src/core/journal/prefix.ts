import { join } from 'node:path';
import { fastCrc32 } from '../base/checksum.ts';
import { systemCode } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { listSegments, segmentName } from './segments.ts';

/** How far into the log, and the CRC-32 of all its bytes up to there. */
export interface Prefix {
  /** The segment with whose first byte it begins. */
  readonly first: number;
  readonly segment: number;
  readonly offset: number;
  readonly crc: number;
}

export type Place = Pick<Prefix, 'segment' | 'offset'>;

const blockLength = 1024 * 1024;

/** Nothing of the log; undefined where there is none. */
export function emptyPrefix(files: Files, directory: string): Prefix | undefined {
  const first = listSegments(files, directory)[0];
  return first === undefined ? undefined : { first, segment: first, offset: 0, crc: 0 };
}

/** Goes on from a prefix to places after it, which are in order. Undefined for those that the log does not reach. */
export function prefixesAt(files: Files, directory: string, from: Prefix, places: readonly Place[]): readonly (Prefix | undefined)[] {
  let reached: Prefix | undefined = from;
  return places.map(place => {
    if (reached !== undefined) reached = extended(files, directory, reached, place);
    return reached;
  });
}

function extended(files: Files, directory: string, from: Prefix, place: Place): Prefix | undefined {
  let { segment, offset, crc } = from;
  if (place.segment < segment) return undefined;
  try {
    for (; segment <= place.segment; segment += 1, offset = 0) {
      const path = join(directory, segmentName(segment));
      const end = segment === place.segment ? place.offset : (files.stat(path)?.size ?? -1);
      if (end < offset) return undefined;
      const next = checksumOf(files, path, offset, end, crc);
      if (next === undefined) return undefined;
      crc = next;
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
  return { first: from.first, segment: place.segment, offset: place.offset, crc };
}

function checksumOf(files: Files, path: string, from: number, to: number, before: number): number | undefined {
  let crc = before;
  for (let offset = from; offset < to; ) {
    const bytes = files.readAt(path, offset, Math.min(blockLength, to - offset));
    if (bytes.length === 0) return undefined;
    crc = fastCrc32()(bytes, crc);
    offset += bytes.length;
  }
  return crc;
}
