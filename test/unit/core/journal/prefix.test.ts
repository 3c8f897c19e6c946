import assert from 'node:assert/strict';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { emptyPrefix, prefixesAt, type Prefix } from '../../../../src/core/journal/prefix.ts';
import { endsAt, type Position } from '../../../../src/core/journal/segments.ts';
import { crc32, fastCrc32 } from '../../../../src/core/base/checksum.ts';
import { FakeClock } from '../../../twins/fakeClock.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { appendAlone } from './appendAlone.ts';

const directory = '/journal';

/** Twelve records over several segments, and the places after each. */
function written(): { readonly files: MemoryFiles; readonly places: readonly Position[] } {
  const files = new MemoryFiles();
  const clock = new FakeClock();
  const reader = new Journal(files, clock, directory, 'j-1');
  const places: Position[] = [];
  for (let n = 1; n <= 12; n += 1) {
    appendAlone(new Journal(files, clock, directory, 'j-1', 400), [{ n, text: 'x'.repeat(n === 5 ? 9000 : 100) }]);
    reader.readOn();
    places.push(reader.readTo as Position);
  }
  assert.ok((places.at(-1)?.segment ?? 0) > 3);
  return { files, places };
}

function prefixes(files: MemoryFiles, places: readonly Position[], from = emptyPrefix(files, directory)): readonly (Prefix | undefined)[] {
  return from === undefined ? [] : prefixesAt(files, directory, from, places);
}

describe('the place after a line', () => {
  it('is known by what the line says, however long it is', () => {
    const { files, places } = written();
    for (const place of places) assert.ok(endsAt(files, directory, place), JSON.stringify(place));
  });

  it('is none where anything about it is otherwise', () => {
    const { files, places } = written();
    for (const place of places) {
      for (const other of [{ seq: place.seq + 1 }, { prev: '00000000' }, { offset: place.offset - 1 }, { offset: place.offset + 1 }, { offset: 0 }, { segment: place.segment + 1 }, { segment: 99 }]) {
        assert.equal(endsAt(files, directory, { ...place, ...other }), false, JSON.stringify(other));
      }
    }
  });
});

describe('reading until a record', () => {
  it('gives the batches up to the one that holds it, from wherever it begins', () => {
    const { files, places } = written();
    const journal = new Journal(files, new FakeClock(), directory, 'j-1');
    for (let seq = 0; seq <= 12; seq += 1) {
      assert.deepEqual(journal.readUntil(seq).batches.map(batch => batch.seq), Array.from({ length: seq }, (_, index) => index + 1));
      for (let from = 1; from <= seq; from += 1) {
        const { batches, ending } = journal.readUntil(seq, places[from - 1]);
        assert.deepEqual([batches.length, ending.kind], [seq - from, 'clean']);
      }
    }
    assert.equal(journal.readTo, undefined);
  });
});

describe('the checksum of a prefix', () => {
  it('is that of all bytes up to there, over segments, in one go or in steps', () => {
    const { files, places } = written();
    const all = prefixes(files, places);
    places.forEach(({ segment, offset }, index) => {
      const before = Array.from({ length: segment - 1 }, (_, other) => Buffer.from(files.read(`${directory}/00000${other + 1}.log`)));
      const bytes = Buffer.concat([...before, Buffer.from(files.read(`${directory}/00000${segment}.log`)).subarray(0, offset)]);
      assert.deepEqual(all[index], { first: 1, segment, offset, crc: crc32(bytes) });
      assert.deepEqual(prefixes(files, places.slice(index), all[index]), all.slice(index));
    });
  });

  it('is none from where on a segment is gone, shorter or of other bytes', () => {
    const { files, places } = written();
    const all = prefixes(files, places);
    const name = `${directory}/000002.log`;
    const bytes = Buffer.from(files.read(name));
    const isFirst = (index: number): boolean => places[index]?.segment === 1;
    for (const spoiled of [undefined, bytes.subarray(0, 50), Buffer.concat([bytes.subarray(0, 100), Buffer.from('#'), bytes.subarray(101)]), Buffer.concat([bytes, Buffer.from('more')])]) {
      if (spoiled === undefined) files.remove(name);
      else files.put(name, spoiled);
      const now = prefixes(files, places);
      places.forEach(({ segment }, index) => assert.equal(now[index]?.crc === all[index]?.crc, isFirst(index) || (segment === 2 && now[index] !== undefined && (spoiled?.length ?? 0) > bytes.length), `${index}`));
    }
    assert.deepEqual(prefixes(new MemoryFiles(), places), []);
  });

  it('does not go back', () => {
    const { files, places } = written();
    const all = prefixes(files, places);
    assert.deepEqual(prefixes(files, places.slice(0, 1), all[3]), [undefined]);
  });

  it('is the same without the system\'s help', () => {
    const bytes = Buffer.from('any bytes at all');
    assert.equal(crc32(bytes.subarray(5), crc32(bytes.subarray(0, 5))), fastCrc32()(bytes));
  });
});
