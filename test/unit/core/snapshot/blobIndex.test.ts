import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/core/base/digest.ts';
import type { Files } from '../../../../src/core/base/files.ts';
import { BlobIndex, encodeIndexEntry, indexEntryLength, type BlobPlace } from '../../../../src/core/snapshot/blobIndex.ts';
import { BlobStore } from '../../../../src/core/snapshot/blobs.ts';
import { faultyFiles } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

function place(number: number, frame = number * 100): BlobPlace {
  return { hash: sha256(Buffer.from(`${number % 1000}`)), pack: 1 + Math.floor(number / 100), frame, frameLength: 100, offset: 0, length: number };
}

function entries(...places: readonly BlobPlace[]): Buffer {
  return Buffer.concat(places.map(encodeIndexEntry));
}

/** Looks often enough that both ways of finding are gone. */
function findTwice(index: BlobIndex, hash: string): BlobPlace | undefined {
  const first = index.find(hash);
  for (let look = 0; look < 100; look += 1) assert.deepEqual(index.find(hash), first);
  return first;
}

const numbers = Array.from({ length: 300 }, (_, number) => number);
const rubbish = Buffer.alloc(indexEntryLength, 7);

describe('the index of blobs', () => {
  it('finds each entry, whether few or many are looked for, and nothing else', () => {
    const index = new BlobIndex();
    assert.deepEqual(index.extend(entries(...numbers.map(number => place(number)))), place(299));
    for (const number of numbers) assert.deepEqual(index.find(place(number).hash), place(number));
    assert.equal(index.find(sha256(Buffer.from('none'))), undefined);
    assert.equal(findTwice(new BlobIndex(), place(1).hash), undefined);
  });

  it('says the latest place, also of what is taken in later', () => {
    for (const looks of [0, 100]) {
      const index = new BlobIndex();
      index.extend(entries(place(1), place(2), place(1, 5000)));
      for (let look = 0; look < looks; look += 1) index.find(place(2).hash);
      assert.equal(index.find(place(1).hash)?.frame, 5000);
      assert.deepEqual(index.extend(entries(place(3), place(2, 6000))), place(2, 6000));
      assert.deepEqual([index.find(place(1).hash)?.frame, findTwice(index, place(2).hash)?.frame, index.find(place(3).hash)?.frame], [5000, 6000, 300]);
    }
  });

  it('passes over what is no entry: rubbish, zeros that a power failure left, damage, and a hash that stands elsewhere', () => {
    const damaged = encodeIndexEntry(place(1, 7777));
    damaged.writeUInt8(1, 50);
    // The hash of 1 lies in two entries at once, neither of which is its own.
    const across = Buffer.alloc(2 * indexEntryLength);
    across.write(place(1).hash, 50, 'hex');
    const index = new BlobIndex();
    index.extend(Buffer.concat([rubbish, entries(place(1)), Buffer.alloc(indexEntryLength), damaged, entries(place(2)), across, entries(place(3))]));
    for (const number of [1, 2, 3]) assert.deepEqual(findTwice(index, place(number).hash), place(number));
  });

  it('takes in whole entries up to the last good one, and reads the rest again', () => {
    const index = new BlobIndex();
    const all = entries(...numbers.slice(0, 4).map(number => place(number)));
    assert.equal(index.extend(all.subarray(0, 30)), undefined);
    assert.equal(index.length, 0);
    const half = Buffer.concat([all.subarray(0, 100), Buffer.alloc(100)]);
    assert.deepEqual([index.extend(half), index.length], [place(0), indexEntryLength]);
    assert.deepEqual([index.extend(all.subarray(index.length)), index.length], [place(3), all.length]);
    for (const number of [0, 1, 2, 3]) assert.deepEqual(findTwice(index, place(number).hash), place(number));
    assert.deepEqual([index.extend(rubbish), index.length], [undefined, all.length]);
  });

  it('that lost entries to a power failure costs no scan of the packs when something is added', () => {
    const files = new MemoryFiles();
    const contents = (text: string): ReadonlyMap<string, Uint8Array> => new Map([[sha256(Buffer.from(text)), Buffer.from(text)]]);
    const open = (over: Files): BlobStore => new BlobStore(over, '/blobs');
    for (const number of numbers.slice(0, 20)) open(files).addLocked(contents(`text ${number}`));
    const index = Buffer.from(files.read('/blobs/index'));
    files.put('/blobs/index', index.fill(0, 5 * indexEntryLength, 9 * indexEntryLength));
    const watching = faultyFiles(files);
    open(watching).addLocked(contents('new'));
    assert.deepEqual(watching.operations.filter(({ method, path }) => method === 'readAt' && path.endsWith('.pack')), []);
    for (const text of ['new', ...numbers.slice(0, 20).map(number => `text ${number}`)]) assert.ok(open(files).has(sha256(Buffer.from(text))), text);
  });
});
