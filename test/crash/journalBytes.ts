// The journal as FORMAT.md tells it, read by a reader of its own: what the product's reader passes over is not
// passed over here.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { MemoryFiles } from '../twins/memoryFiles.ts';
import { storage } from '../twins/world.ts';
import { must } from './finding.ts';

export interface JournalBytes {
  /** All records, in their order; the first one has number 1. */
  readonly records: readonly unknown[];
  /** What follows the last good line of the last segment. */
  readonly tail: Buffer;
  /** What was set aside, each copy. */
  readonly broken: readonly Buffer[];
  readonly segments: number;
}

/** The one root's folder in the storage. */
export function storeDirectory(files: MemoryFiles): string {
  return `${storage}/roots/${files.readDirectory(`${storage}/roots`)[0] as string}`;
}

interface Line {
  readonly segment?: number;
  readonly seq: number;
  readonly prev: string;
  readonly at: number;
  readonly records?: readonly unknown[];
}

function parse(line: Buffer): Line | undefined {
  const crc = line.toString('latin1', 0, 8);
  if (line[8] !== 0x20 || crc !== crc32(line.subarray(9)).toString(16).padStart(8, '0')) return undefined;
  return JSON.parse(line.toString('utf8', 9)) as Line;
}

/** Reads the whole journal; whatever is not in order, other than a torn end, is a finding. */
export function readJournalBytes(files: MemoryFiles, where: string): JournalBytes {
  const directory = `${storeDirectory(files)}/journal`;
  const names = files.stat(directory) === undefined ? [] : files.readDirectory(directory);
  const segments = names.filter(name => /^\d{6}\.log$/.test(name)).sort();
  const broken = names.filter(name => name.endsWith('.broken')).map(name => Buffer.from(files.read(`${directory}/${name}`)));
  const records: unknown[] = [];
  let tail: Buffer = Buffer.alloc(0);
  let prev = '00000000';
  let time = 0;
  for (const [index, name] of segments.entries()) {
    const bytes = Buffer.from(files.read(`${directory}/${name}`));
    must(Number(name.slice(0, 6)) === index + 1, 'lost', () => `${where}: segment ${index + 1} is missing`);
    must(tail.length === 0, 'unsound', () => `${where}: segment ${index} does not end with a good line, and ${name} follows it`);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(0x0a, start);
      const line = end < 0 ? undefined : parse(bytes.subarray(start, end));
      if (line === undefined) {
        tail = bytes.subarray(start);
        break;
      }
      must((line.records === undefined) === (start === 0), 'unsound', () => `${where}: a header is not the first line of ${name}`);
      must(line.prev === prev && line.seq === records.length + 1, 'unsound', () => `${where}: the line at ${start} of ${name} does not follow the one before`);
      must((line.at ?? time) >= time, 'unsound', () => `${where}: time runs backwards at ${start} of ${name}`);
      records.push(...(line.records ?? []));
      time = line.at ?? time;
      prev = bytes.toString('latin1', start, start + 8);
      start = end + 1;
    }
  }
  return { records, tail, broken, segments: segments.length };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
