import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeHead } from '../../../src/core/snapshot/frames.ts';

/** The hash of every content in a store's packs, as often as it is stored. */
export function storedContents(storeDirectory: string): readonly string[] {
  const directory = join(storeDirectory, 'blobs');
  return readdirSync(directory).filter(name => name.endsWith('.pack')).flatMap(name => {
    const bytes = readFileSync(join(directory, name));
    const hashes: string[] = [];
    for (let at = 0; at < bytes.length; ) {
      const head = decodeHead(bytes.subarray(at));
      // What a killed process left is no frame; nothing is ever stored after it.
      if (head === undefined || at + head.length + head.stored > bytes.length) break;
      hashes.push(...head.entries.map(({ hash }) => hash));
      at += head.length + head.stored;
    }
    return hashes;
  });
}
