import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface Batch {
  readonly at: number;
  readonly tick: number;
  readonly records: readonly unknown[];
  /** Begins a segment. */
  readonly segment?: boolean;
}

/** A line as FORMAT.md has it, and its CRC. */
function lineOf(content: unknown): { readonly line: string; readonly crc: string } {
  const json = JSON.stringify(content);
  const crc = crc32(json).toString(16).padStart(8, '0');
  return { line: `${crc} ${json}\n`, crc };
}

/** Replaces a journal by one with these batches, as FORMAT.md says that it is written; what was derived from the old one goes. */
export function writeJournal(rootDirectory: string, batches: readonly Batch[]): void {
  const { store } = JSON.parse(readFileSync(join(rootDirectory, 'root.json'), 'utf8'));
  for (const name of ['journal', 'generations']) rmSync(join(rootDirectory, name), { recursive: true, force: true });
  mkdirSync(join(rootDirectory, 'journal'));
  const segments: string[] = [];
  let [seq, prev] = [1, '00000000'];
  const add = (content: object): void => {
    const { line, crc } = lineOf({ ...content, prev });
    segments[segments.length - 1] += line;
    prev = crc;
  };
  for (const { records, segment, at, tick } of batches) {
    if (segments.length === 0 || segment === true) {
      segments.push('');
      add({ turnstone: 'journal', format: 1, store, segment: segments.length, seq });
    }
    add({ seq, at, tick, records });
    seq += records.length;
  }
  for (const [index, text] of segments.entries()) writeFileSync(join(rootDirectory, 'journal', `${String(index + 1).padStart(6, '0')}.log`), text);
}
