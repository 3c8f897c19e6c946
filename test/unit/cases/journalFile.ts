import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { frame, unframe, type Batch, type Header } from '../../../src/core/journal/framing.ts';

/** Rewrites a journal's records, with every checksum right again: what somebody does who knows the format. */
export function rewriteJournal(storeDirectory: string, change: (record: any) => unknown): void {
  const directory = join(storeDirectory, 'journal');
  let prev = '00000000';
  for (const name of readdirSync(directory).filter(file => file.endsWith('.log')).sort()) {
    const lines = readFileSync(join(directory, name), 'utf8').split('\n').filter(line => line !== '');
    const framed = lines.map(text => {
      const line = unframe(Buffer.from(text));
      if (line.kind === 'bad') throw new Error(line.reason);
      const content: Header | Batch = line.kind === 'header' ? { ...line.header, prev } : { ...line.batch, prev, records: line.batch.records.map(change) };
      const { bytes, crc } = frame(content);
      prev = crc;
      return bytes;
    });
    const path = join(directory, name);
    const rewritten = Buffer.concat(framed);
    if (rewritten.equals(readFileSync(path))) continue;
    writeFileSync(path, rewritten);
    // They would tell that something else has been there.
    rmSync(join(storeDirectory, 'generations'), { recursive: true, force: true });
  }
}

/** Every record that is stored, in order. */
export function recordsIn(storeDirectory: string): readonly any[] {
  const records: any[] = [];
  rewriteJournal(storeDirectory, record => {
    records.push(record);
    return record;
  });
  return records;
}
