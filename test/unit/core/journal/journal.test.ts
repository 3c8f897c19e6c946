import assert from 'node:assert/strict';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import type { Files } from '../../../../src/core/base/files.ts';
import { frame, type Batch } from '../../../../src/core/journal/framing.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { FakeClock } from '../../../twins/fakeClock.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

const directory = '/journal';
const first = `${directory}/000001.log`;
const clock = new FakeClock();

function journal(files: Files, segmentLimit?: number): Journal {
  return new Journal(files, clock, directory, 'j-1', segmentLimit);
}

/** A journal of three batches, with four records. */
function filled(): MemoryFiles {
  const files = new MemoryFiles();
  const log = journal(files);
  log.appendLocked([{ n: 1 }]);
  log.appendLocked([{ n: 2 }, { n: 3 }]);
  log.appendLocked([{ n: 4, text: 'x'.repeat(50) }]);
  return files;
}

function read(files: Files): { readonly records: readonly unknown[]; readonly ending: string } {
  const { batches, ending } = journal(files).readOn();
  return { records: batches.flatMap(batch => batch.records.map((record, index) => [batch.seq + index, (record as { n: number }).n])), ending: ending.kind };
}

function broken(files: MemoryFiles): readonly string[] {
  return files.readDirectory(directory).filter(name => name.endsWith('.broken'));
}

function lines(files: MemoryFiles): readonly string[] {
  return files.text(first).split('\n').slice(0, -1);
}

describe('journal', () => {
  it('gives back what was appended, numbered without a gap', () => {
    assert.deepEqual(read(filled()), { records: [[1, 1], [2, 2], [3, 3], [4, 4]], ending: 'clean' });
  });

  it('follows what another process appends, and tells only what is new', () => {
    const files = filled();
    const reader = journal(files);
    reader.readOn();
    journal(files).appendLocked([{ n: 5 }]);
    assert.deepEqual(reader.readOn().batches.map(({ seq, records }) => [seq, records]), [[5, [{ n: 5 }]]]);
    assert.deepEqual(reader.readOn().batches, []);
  });

  it('lets two processes append in turns without a gap', () => {
    const files = new MemoryFiles();
    const [a, b] = [journal(files), journal(files)];
    for (let n = 1; n <= 10; n += 1) (n % 2 === 0 ? a : b).appendLocked([{ n }]);
    assert.deepEqual(read(files).records, Array.from({ length: 10 }, (_, index) => [index + 1, index + 1]));
  });

  it('writes nothing when it has grown past what must be followed', () => {
    const files = filled();
    const size = files.text(first).length;
    assert.equal(journal(files).appendLocked([{ n: 5 }], 3), undefined);
    assert.equal(files.text(first).length, size);
    assert.equal(journal(files).appendLocked([{ n: 5 }], 4)?.seq, 5);
  });

  it('sets a torn last batch aside whatever its length, with a copy, and goes on', () => {
    const whole = filled().text(first);
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let length = start + 1; length < whole.length; length += 1) {
      const files = filled();
      files.put(first, whole.slice(0, length));
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3]], ending: 'torn' }, `cut at ${length}`);
      assert.equal(files.text(first), whole.slice(0, length), 'a reader cuts nothing');
      assert.equal(journal(files).appendLocked([{ n: 40 }])?.seq, 4);
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3], [4, 40]], ending: 'clean' });
      const [copy, ...more] = broken(files);
      assert.deepEqual([files.text(`${directory}/${copy}`), more], [whole.slice(start, length), []]);
    }
  });

  it('sets a tail of zeros, and one of rubbish with line feeds, aside', () => {
    for (const tail of ['\0'.repeat(500), 'rub\nbish\n', '\n\n', '00000000 {}\n']) {
      const files = filled();
      files.put(first, files.text(first) + tail);
      assert.equal(journal(files).appendLocked([{ n: 5 }])?.seq, 5, JSON.stringify(tail));
      assert.deepEqual([read(files).ending, files.text(`${directory}/${broken(files)[0]}`)], ['clean', tail]);
    }
  });

  it('cuts nothing where good lines follow damage: it is read-only and tells where', () => {
    for (const index of [0, 1, 2]) {
      const files = filled();
      const damaged = lines(files).map((line, at) => (at === index ? `${line.slice(0, 20)}#${line.slice(21)}` : line));
      const text = `${damaged.join('\n')}\n`;
      files.put(first, text);
      const { ending } = journal(files).readOn();
      assert.equal(ending.kind === 'damaged' && ending.offset, damaged.slice(0, index).join('\n').length + (index > 0 ? 1 : 0));
      const log = journal(files);
      log.readOn();
      assert.deepEqual([files.text(first), broken(files)], [text, []]);
    }
  });

  it('sees a line that was removed, moved or replaced by another good one', () => {
    const good = lines(filled());
    const [header, one, two, three] = good as [string, string, string, string];
    const other = Buffer.from(frame({ ...(JSON.parse(two.slice(9)) as Batch), records: [{ n: 66 }, { n: 67 }] }).bytes).toString('utf8').trim();
    for (const forged of [[header, two, three], [header, one, three], [header, two, one, three], [header, one, other, three]]) {
      const files = new MemoryFiles();
      files.put(first, `${forged.join('\n')}\n`);
      assert.equal(read(files).ending, 'damaged', forged.join('\n'));
    }
  });

  it('believes no log of another store', () => {
    const files = filled();
    assert.equal(new Journal(files, clock, directory, 'j-2').readOn().ending.kind, 'damaged');
  });

  it('goes on in new segments, and misses one that is gone', () => {
    const files = new MemoryFiles();
    for (let n = 1; n <= 6; n += 1) journal(files, 400).appendLocked([{ n, text: 'x'.repeat(100) }]);
    assert.deepEqual(files.readDirectory(directory), ['000001.log', '000002.log', '000003.log']);
    assert.deepEqual(read(files).records.length, 6);
    files.remove(`${directory}/000002.log`);
    assert.deepEqual(read(files), { records: [[1, 1], [2, 2]], ending: 'damaged' });
  });

  it('goes on where a crash left a new segment empty, or with half of its first write', () => {
    for (const length of [0, 10, 90, 120]) {
      const files = new MemoryFiles();
      for (let n = 1; n <= 2; n += 1) journal(files, 400).appendLocked([{ n, text: 'x'.repeat(100) }]);
      const whole = new MemoryFiles();
      for (let n = 1; n <= 3; n += 1) journal(whole, 400).appendLocked([{ n, text: 'x'.repeat(100) }]);
      files.put(`${directory}/000002.log`, whole.text(`${directory}/000002.log`).slice(0, length));
      assert.equal(journal(files, 400).appendLocked([{ n: 3 }])?.seq, 3, `cut at ${length}`);
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3]], ending: 'clean' }, `cut at ${length}`);
    }
  });

  it('writes no more after a failed sync, and what it threw for is not in the log', () => {
    const files = filled();
    const log = journal(faultyFiles(files, whenever('syncData', /log$/, { kind: 'error', code: 'EIO' })));
    for (let attempt = 0; attempt < 2; attempt += 1) assert.throws(() => log.appendLocked([{ n: 5 }]), error => TurnstoneError.is(error, 'readOnly'));
    assert.equal(read(files).records.length, 4);
    assert.equal(journal(files).appendLocked([{ n: 6 }])?.seq, 5);
  });

  it('goes on when a disk that was full has room again', () => {
    const files = filled();
    let full = true;
    const log = journal(faultyFiles(files, ({ method }) => (full && method === 'write' ? { kind: 'error', code: 'ENOSPC', written: 20 } : undefined)));
    assert.throws(() => log.appendLocked([{ n: 5 }]), error => TurnstoneError.is(error, 'readOnly'));
    full = false;
    assert.equal(log.appendLocked([{ n: 6 }])?.seq, 5);
    assert.deepEqual([read(files).records.length, broken(files)], [5, []]);
  });

  it('never lets its clock run backwards', () => {
    const files = new MemoryFiles();
    const own = new FakeClock(5000);
    const log = new Journal(files, own, directory, 'j-1');
    log.appendLocked([{ n: 1 }]);
    own.set(1000);
    log.appendLocked([{ n: 2 }]);
    assert.deepEqual(journal(files).readOn().batches.map(({ at, tick }) => [at, tick]), [[5000, 0], [5000, 1]]);
  });

  it('finds the newest batches about something without reading all', () => {
    const files = new MemoryFiles();
    for (let n = 1; n <= 30; n += 1) journal(files).appendLocked([{ n, text: n % 10 === 0 ? 'needle' : 'hay' }]);
    assert.deepEqual(journal(files).readRecent('needle').map(batch => batch.seq), [10, 20, 30]);
  });
});
