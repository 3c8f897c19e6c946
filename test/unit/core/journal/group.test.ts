import assert from 'node:assert/strict';
import type { Files } from '../../../../src/core/base/files.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { FakeClock } from '../../../twins/fakeClock.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

const directory = '/journal';
const sector = 512;
/** Small enough that two acknowledged batches fill a segment. */
const small = 700;
const large = 1e6;

function journal(files: Files, segmentLimit = large): Journal {
  return new Journal(files, new FakeClock(), directory, 'j-1', segmentLimit);
}

/** Appends a batch of one record for each length, all in one write. */
function appendGroup(files: Files, name: string, lengths: readonly number[], segmentLimit = large): void {
  const log = journal(files, segmentLimit);
  const group = log.groupLocked();
  for (const [index, length] of lengths.entries()) group.add([{ name: `${name} ${index}`, text: 'x'.repeat(length) }]);
  log.writeLocked(group);
}

function namesIn(files: Files): readonly string[] {
  return journal(files)
    .readOn()
    .batches.flatMap(({ records }) => records.map(record => (record as { name: string }).name));
}

function newest(files: MemoryFiles): string {
  return `${directory}/${files.readDirectory(directory).filter(name => name.endsWith('.log')).at(-1)}`;
}

interface Case {
  readonly what: string;
  /** What was acknowledged before: batches of their own, by the lengths of their texts. */
  readonly acknowledged: readonly number[];
  /** The batches of the write that the power fails in. */
  readonly group: readonly number[];
  readonly segmentLimit?: number;
}

// Lines shorter than a sector, longer than one, and longer than the last bytes that an append looks at first.
const cases: readonly Case[] = [
  { what: 'in the first segment', acknowledged: [], group: [20, 600, 30, 40, 900, 10, 300] },
  { what: 'after acknowledged lines', acknowledged: [100, 200], group: [10, 500, 400, 20, 20, 800, 50] },
  { what: 'in a new segment', acknowledged: [300, 300], group: [700, 20, 20, 500, 20], segmentLimit: small },
  { what: 'of two batches', acknowledged: [20], group: [1200, 1200] },
  { what: 'that begins where a sector does', acknowledged: [289], group: [100, 900, 30] },
];

/** The write as it reached the disk: of each sector all or only what was there before (zeros), and of the file the first sectors only. */
interface Loss {
  readonly bytes: Buffer;
  readonly what: string;
}

function* lossesOf(whole: Buffer, start: number, chosen: (sectors: number) => Iterable<number>, old = Buffer.alloc(whole.length)): Generator<Loss> {
  const first = Math.floor(start / sector);
  const sectors = Math.ceil(whole.length / sector) - first;
  for (const missing of chosen(sectors)) {
    const bytes = Buffer.from(whole);
    for (let index = 0; index < sectors; index += 1) {
      if (missing & (1 << index)) old.copy(bytes, Math.max(start, (first + index) * sector), Math.max(start, (first + index) * sector), Math.min(whole.length, (first + index + 1) * sector));
    }
    for (let kept = 0; kept <= sectors; kept += 1) {
      const end = Math.max(start, Math.min(whole.length, (first + kept) * sector));
      yield { bytes: bytes.subarray(0, end), what: `sectors ${missing.toString(2)} zeroed, ends at ${end} of ${whole.length}` };
    }
  }
}

function* everySubset(sectors: number): Generator<number> {
  for (let subset = 0; subset < 1 << sectors; subset += 1) yield subset;
}

/** The files before the group, with the segment that it went to, and its bytes. */
function written({ acknowledged, group, segmentLimit }: Case): { readonly before: () => MemoryFiles; readonly path: string; readonly start: number; readonly whole: Buffer } {
  const before = (): MemoryFiles => {
    const files = new MemoryFiles();
    for (const [index, length] of acknowledged.entries()) appendGroup(files, `acknowledged ${index}`, [length], segmentLimit);
    return files;
  };
  const files = before();
  appendGroup(files, 'group', group, segmentLimit);
  const path = newest(files);
  return { before, path, start: before().stat(path)?.size ?? 0, whole: Buffer.from(files.read(path)) };
}

describe('a group of batches', () => {
  it('is one write and one sync, a line for each, and read like any others', () => {
    const files = new MemoryFiles();
    appendGroup(files, 'a', [10]);
    const watching = faultyFiles(files);
    appendGroup(watching, 'b', [10, 20, 30]);
    assert.deepEqual(watching.operations.filter(({ method }) => /write|sync/i.test(method)).map(({ method }) => method), ['write', 'syncData']);
    appendGroup(files, 'c', [10]);
    assert.deepEqual(journal(files).readOn().batches.map(({ seq, write }) => [seq, write]), [[1, 0], [2, undefined], [3, 218], [4, 218], [5, undefined]]);
    assert.deepEqual(namesIn(files), ['a 0', 'b 0', 'b 1', 'b 2', 'c 0']);
  });

  it('that nothing is in writes nothing, not even a segment', () => {
    const files = new MemoryFiles();
    appendGroup(files, 'none', []);
    assert.equal(files.stat(directory), undefined);
  });

  it('judges what each must follow with those before it', () => {
    const files = new MemoryFiles();
    const log = journal(files);
    const group = log.groupLocked();
    assert.deepEqual([group.add([{ name: 'a' }], 0)?.seq, group.add([{ name: 'b' }], 0), group.add([{ name: 'c' }, { name: 'd' }], 1)?.seq, group.add([{ name: 'e' }], 3)?.seq], [1, undefined, 2, 4]);
    log.writeLocked(group);
    assert.deepEqual(namesIn(files), ['a', 'c', 'd', 'e']);
  });

  it('is left as it was by what is no batch', () => {
    const files = new MemoryFiles();
    const log = journal(files);
    const group = log.groupLocked();
    assert.throws(() => group.add([{ name: 1n }]), TypeError);
    assert.throws(() => group.add([]), error => TurnstoneError.is(error, 'usage'));
    assert.equal(group.add([{ name: 'a' }])?.seq, 1);
    assert.throws(() => group.add([{ toJSON: () => assert.fail('no') }]), assert.AssertionError);
    assert.equal(group.add([{ name: 'b' }])?.seq, 2);
    log.writeLocked(group);
    assert.deepEqual(namesIn(files), ['a', 'b']);
  });

  it('that could not be synced is not in the log, nor is its segment\'s name relied on', () => {
    for (const [method, path] of [['syncData', /log$/], ['syncDirectory', /journal$/]] as const) {
      const files = new MemoryFiles();
      assert.throws(() => appendGroup(faultyFiles(files, whenever(method, path, { kind: 'error', code: 'EIO' })), 'a', [10, 20]), error => TurnstoneError.is(error, 'readOnly'));
      assert.deepEqual(namesIn(files), []);
      appendGroup(files, 'b', [10]);
      files.syncDirectory('/');
      files.powerFailure();
      assert.deepEqual(namesIn(files), ['b 0'], method);
    }
  });

  for (const one of cases) {
    it(`${one.what} loses nothing acknowledged and blocks nobody, whichever of its sectors the power takes`, () => {
      const { before, path, start, whole } = written(one);
      const names = one.group.map((_, index) => `group ${index}`);
      const acknowledged = one.acknowledged.map((_, index) => `acknowledged ${index} 0`);
      const kept = new Set<number>();
      for (const { bytes, what } of lossesOf(whole, start, everySubset)) {
        const files = before();
        files.put(path, bytes);
        const { ending } = journal(files).readOn();
        assert.notEqual(ending.kind, 'damaged', what);
        const found = namesIn(files);
        const survivors = found.slice(acknowledged.length);
        assert.deepEqual(found, [...acknowledged, ...names.slice(0, survivors.length)], what);
        kept.add(survivors.length);
        appendGroup(files, 'later', [30, 30]);
        assert.deepEqual(namesIn(files), [...found, 'later 0', 'later 1'], what);
        assert.equal(journal(files).readOn().ending.kind, 'clean', what);
        const copies = files.readDirectory(directory).filter(name => name.endsWith('.broken'));
        assert.deepEqual([copies.length, ending.kind], ending.kind === 'torn' ? [1, 'torn'] : [0, 'clean'], what);
        const torn = ending.kind === 'torn' ? bytes.subarray(ending.offset) : Buffer.alloc(0);
        assert.deepEqual(Buffer.concat(copies.map(name => files.read(`${directory}/${name}`))), torn, what);
      }
      assert.ok(kept.has(0) && kept.has(one.group.length) && kept.size > 2, `of some losses a part is left: ${[...kept].join(' ')}`);
    });

    it(`${one.what} over what an earlier try had left there loses nothing and blocks nobody, whichever of its sectors came to the disk`, () => {
      const { before, path, start, whole } = written(one);
      const earlier = before();
      appendGroup(earlier, 'never acknowledged', one.group.map(length => length + 7), one.segmentLimit);
      const old = Buffer.from(earlier.read(path));
      for (const { bytes, what } of lossesOf(whole, start, everySubset, old)) {
        const files = before();
        files.put(path, bytes);
        assert.notEqual(journal(files).readOn().ending.kind, 'damaged', what);
        appendGroup(files, 'later', [30, 30]);
        assert.deepEqual([namesIn(files).slice(-2), journal(files).readOn().ending.kind], [['later 0', 'later 1'], 'clean'], what);
      }
    });

    it(`${one.what} that was acknowledged is never cut once something follows it`, () => {
      const { before, path, start, whole } = written(one);
      for (const [follower, limit] of [[[25], large], [[25, 600], large], [[25], small]] as const) {
        for (const { bytes, what } of lossesOf(whole, start, everySubset)) {
          if (bytes.length < whole.length || bytes.equals(whole)) continue;
          const files = before();
          files.put(path, whole);
          appendGroup(files, 'follower', follower, limit);
          assert.equal(newest(files) === path, limit === large);
          const tail = newest(files) === path ? Buffer.from(files.read(path)).subarray(whole.length) : Buffer.alloc(0);
          files.put(path, Buffer.concat([bytes, tail]));
          assert.equal(journal(files).readOn().ending.kind, 'damaged', what);
        }
      }
    });
  }

  it('longer than what an append looks at first is judged as a whole, too', () => {
    const long: Case = { what: '', acknowledged: [100], group: Array.from({ length: 40 }, (_, index) => 100 + index * 20) };
    const { before, path, start, whole } = written(long);
    const single = (sectors: number): readonly number[] => Array.from({ length: Math.min(sectors, 31) }, (_, index) => 1 << index);
    assert.ok(whole.length > 15_000);
    for (const { bytes, what } of lossesOf(whole, start, single)) {
      const files = before();
      files.put(path, bytes);
      appendGroup(files, 'later', [10]);
      const names = namesIn(files);
      assert.deepEqual([names[0], names.at(-1), journal(files).readOn().ending.kind], ['acknowledged 0 0', 'later 0', 'clean'], what);
    }
  });

  it('is appended to without reading what is before it', () => {
    const files = new MemoryFiles();
    for (let index = 0; index < 3; index += 1) appendGroup(files, 'before', [2000]);
    appendGroup(files, 'group', Array.from({ length: 30 }, () => 400));
    const [offsets, start] = [[] as number[], files.text(newest(files)).indexOf('\n', 6000) + 1];
    const watching = Object.assign(Object.create(files) as MemoryFiles, {
      readAt(path: string, offset: number, length: number) {
        offsets.push(offset);
        return files.readAt(path, offset, length);
      },
    });
    appendGroup(watching, 'later', [10]);
    assert.deepEqual([offsets.length, offsets.at(-1)], [2, start]);
    appendGroup(watching, 'lone', [10]);
    assert.equal(offsets.length, 3);
  });
});
