import assert from 'node:assert/strict';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import type { Files } from '../../../../src/core/base/files.ts';
import { frame, type Batch } from '../../../../src/core/journal/framing.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import type { Position } from '../../../../src/core/journal/segments.ts';
import type { Witness } from '../../../../src/core/journal/witness.ts';
import { FakeClock } from '../../../twins/fakeClock.ts';
import { at, faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { appendAlone } from './appendAlone.ts';

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
  appendAlone(log, [{ n: 1 }]);
  appendAlone(log, [{ n: 2 }, { n: 3 }]);
  appendAlone(log, [{ n: 4, text: 'x'.repeat(50) }]);
  return files;
}

function read(files: Files): { readonly records: readonly unknown[]; readonly ending: string } {
  const { batches, ending } = journal(files).readOn();
  return { records: batches.flatMap(batch => batch.records.map((record, index) => [batch.seq + index, (record as { n: number }).n])), ending: ending.kind };
}

/** Where the log goes on after a record of that journal, or after one that it never had. */
function after(record: number): Position {
  const read = journal(filled()).readUntil(record).position;
  return read.seq > record ? read : { segment: 1, offset: 1000, seq: record + 1, prev: '12345678' };
}

function broken(files: MemoryFiles): readonly string[] {
  return files.readDirectory(directory).filter(name => name.endsWith('.broken'));
}

function newest(files: MemoryFiles): string {
  return `${directory}/${files.readDirectory(directory).filter(name => name.endsWith('.log')).at(-1)}`;
}

function lines(files: MemoryFiles): readonly string[] {
  return files.text(first).split('\n').slice(0, -1);
}

/** A file system in which a reader looks before every operation of a writer, and after every few bytes of a write. */
function watched(inner: MemoryFiles, look: () => void): Files {
  const files = faultyFiles(inner, () => {
    look();
    return undefined;
  });
  return {
    ...files,
    open(path, flag, mode) {
      const file = files.open(path, flag, mode);
      return {
        ...file,
        write(bytes, position) {
          for (let done = 0; done < bytes.length; done += 23) file.write(bytes.subarray(done, done + 23), position + done);
        },
      };
    },
  };
}

function sizeOf(files: Files, path: string): number {
  return files.stat(path)?.size ?? 0;
}

describe('journal', () => {
  it('gives back what was appended, numbered without a gap', () => {
    assert.deepEqual(read(filled()), { records: [[1, 1], [2, 2], [3, 3], [4, 4]], ending: 'clean' });
  });

  it('follows what another process appends, and tells only what is new', () => {
    const files = filled();
    const reader = journal(files);
    reader.readOn();
    appendAlone(journal(files), [{ n: 5 }]);
    assert.deepEqual(reader.readOn().batches.map(({ seq, records }) => [seq, records]), [[5, [{ n: 5 }]]]);
    assert.deepEqual(reader.readOn().batches, []);
  });

  it('lets two processes append in turns without a gap', () => {
    const files = new MemoryFiles();
    const [a, b] = [journal(files), journal(files)];
    for (let n = 1; n <= 10; n += 1) appendAlone(n % 2 === 0 ? a : b, [{ n }]);
    assert.deepEqual(read(files).records, Array.from({ length: 10 }, (_, index) => [index + 1, index + 1]));
  });

  it('writes nothing when it has grown past what must be followed', () => {
    const files = filled();
    const size = files.text(first).length;
    assert.equal(appendAlone(journal(files), [{ n: 5 }], 3), undefined);
    assert.equal(files.text(first).length, size);
    assert.equal(appendAlone(journal(files), [{ n: 5 }], 4)?.seq, 5);
  });

  it('sets a torn last batch aside whatever its length, with a copy, and goes on', () => {
    const whole = filled().text(first);
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let length = start + 1; length < whole.length; length += 1) {
      const files = filled();
      files.put(first, whole.slice(0, length));
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3]], ending: 'torn' }, `cut at ${length}`);
      assert.equal(files.text(first), whole.slice(0, length), 'a reader cuts nothing');
      assert.equal(appendAlone(journal(files), [{ n: 40 }])?.seq, 4);
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3], [4, 40]], ending: 'clean' });
      const [copy, ...more] = broken(files);
      assert.deepEqual([files.text(`${directory}/${copy}`), more], [whole.slice(start, length), []]);
    }
  });

  it('sets a tail of zeros, and one of rubbish with line feeds, aside', () => {
    for (const tail of ['\0'.repeat(500), 'rub\nbish\n', '\n\n', '00000000 {}\n']) {
      const files = filled();
      files.put(first, files.text(first) + tail);
      assert.equal(appendAlone(journal(files), [{ n: 5 }])?.seq, 5, JSON.stringify(tail));
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

  it('cuts nothing where several acknowledged lines at the end are bad, whichever byte of each it is', () => {
    const whole = Buffer.from(filled().read(first));
    const [, , two = 0, three = 0] = lines(filled()).map((_, index, all) => all.slice(0, index).join('\n').length + (index > 0 ? 1 : 0));
    const spoil = (bytes: Buffer, index: number): void => void (bytes[index] = (bytes[index] ?? 0) ^ 0x11);
    for (let early = two; early < three; early += 5) {
      for (let late = three; late < whole.length; late += 1) {
        const bytes = Buffer.from(whole);
        spoil(bytes, early);
        spoil(bytes, late);
        const files = filled();
        files.put(first, bytes);
        const { ending } = journal(files).readOn();
        assert.deepEqual([ending.kind, ending.kind === 'damaged' && ending.offset], ['damaged', two], `bytes ${early} and ${late}`);
        assert.throws(() => appendAlone(journal(files), [{ n: 5 }]), error => TurnstoneError.is(error, 'damaged'));
        assert.deepEqual([bytes.equals(files.read(first)), broken(files)], [true, []]);
      }
    }
  });

  it('cuts nothing where a bad line says that its write began later than the first bad one', () => {
    const whole = filled().text(first);
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1;
    const tail = (write: number): string => `00000000 {"seq":4,"torn\n00000000 {"seq":5,"prev":"12345678","at":1,"tick":0,"write":${write},"records":[{"n":5}]}\n`;
    for (const [write, kind] of [[start - 200, 'torn'], [start, 'torn'], [start + 1, 'damaged']] as const) {
      const files = filled();
      files.put(first, whole.slice(0, start) + tail(write));
      assert.equal(read(files).ending, kind, `${write}`);
    }
  });

  it('believes a witness that saw more than it has: in a torn end, an empty segment, or where there is nothing', () => {
    const whole = filled().text(first);
    const torn = (files: MemoryFiles): void => files.put(first, whole.slice(0, -1));
    const header = (files: MemoryFiles): void => files.put(first, whole.slice(0, whole.indexOf('\n') + 1));
    const emptied = (files: MemoryFiles): void => files.put(first, '');
    const half = (files: MemoryFiles): void => files.put(first, whole.slice(0, 20));
    const next = (files: MemoryFiles): void => files.put(`${directory}/000002.log`, '');
    const gone = (files: MemoryFiles): void => files.remove(first);
    for (const [lose, begun, seen, kind] of [
      ...([[torn, 3, 'torn'], [torn, 4, 'damaged'], [next, 4, 'clean'], [next, 5, 'damaged'], [header, 0, 'clean'], [header, 1, 'damaged']] as const).map(([lose, seen, kind]) => [lose, true, seen, kind] as const),
      ...[emptied, half, gone].flatMap(lose => [[lose, true, 0, 'damaged'], [lose, false, 1, 'damaged']] as const),
      ...([[emptied, 'clean'], [half, 'torn'], [gone, 'clean']] as const).map(([lose, kind]) => [lose, false, 0, kind] as const),
    ]) {
      const files = filled();
      lose(files);
      const before = [files.readDirectory(directory), files.fingerprint()];
      const log = new Journal(files, clock, directory, 'j-1', undefined, { sawBeginning: () => begun, newestSeen: () => (seen === 0 ? undefined : after(seen)) });
      const where = `${lose.toString()} ${String(begun)} ${seen}`;
      assert.equal(log.readOn().ending.kind, kind, where);
      if (kind !== 'damaged') continue;
      assert.throws(() => appendAlone(log, [{ n: 9 }]), error => TurnstoneError.is(error, 'damaged'), where);
      log.beginLocked();
      assert.deepEqual([files.readDirectory(directory), files.fingerprint()], before, where);
    }
  });

  it('takes nothing for lost that others write while it looks', () => {
    const files = new MemoryFiles();
    files.folder(directory);
    let looks = 0;
    const witness = (see: () => void): Witness => ({
      sawBeginning: () => {
        see();
        return true;
      },
      newestSeen: () => after(4),
    });
    const look = (see: () => void): string => new Journal(files, clock, directory, 'j-1', undefined, witness(see)).readOn().ending.kind;
    const written = filled().read(first);
    assert.equal(look(() => (looks += 1) && files.put(first, written)), 'clean');
    files.put(first, written.subarray(0, written.length - 1));
    assert.equal(look(() => (looks += 1) && files.put(first, written)), 'clean');
    assert.equal(looks, 2);
  });

  it('believes who opens it and knows what it had, however well it ends, and says which record is gone or replaced', () => {
    const whole = filled().text(first);
    const seen = after(4);
    const kept = (count: number) => (files: MemoryFiles): void => files.put(first, whole.split('\n').slice(0, count).map(line => `${line}\n`).join(''));
    const wentOn = (count: number, records: number) => (files: MemoryFiles): void => {
      kept(count)(files);
      for (let n = 0; n < records; n += 1) appendAlone(journal(files), [{ n: 100 + n, text: 'y'.repeat(300) }]);
    };
    const gone = { seq: 4, replaced: false };
    const replaced = { seq: 4, replaced: true };
    for (const [lose, from, lost] of [
      [kept(4), undefined, undefined], [kept(4), after(3), undefined], [kept(4), seen, undefined],
      [kept(3), undefined, gone], [kept(3), after(3), gone], [kept(2), undefined, gone], [kept(1), undefined, gone], [wentOn(3, 0), undefined, gone], [wentOn(2, 1), undefined, gone],
      [wentOn(3, 1), undefined, replaced], [wentOn(3, 1), after(3), replaced], [wentOn(2, 3), undefined, replaced], [wentOn(4, 2), undefined, undefined],
    ] as const) {
      const files = filled();
      lose(files);
      const log = journal(files);
      log.readOnFrom(from, seen);
      const where = `${lose.toString()} from ${from?.seq}: ${files.text(first)}`;
      for (const look of [1, 2]) {
        const { ending } = log.readOn();
        assert.deepEqual([ending.kind, ending.kind === 'damaged' ? ending.lost : undefined], [lost === undefined ? 'clean' : 'damaged', lost], `${where}, look ${look}`);
        if (ending.kind === 'damaged') assert.match(ending.reason, /^record 4 was written, and (is not there|something else is in its place)$/);
      }
    }
  });

  it('misses last segments that are gone as whole files', () => {
    const files = new MemoryFiles();
    const log = journal(files, 400);
    for (let n = 1; n <= 6; n += 1) appendAlone(log, [{ n, text: 'x'.repeat(100) }]);
    const seen = journal(files).readUntil(6).position;
    for (const name of ['000003.log', '000002.log', '000001.log']) {
      files.remove(`${directory}/${name}`);
      const reader = journal(files, 400);
      reader.readOnFrom(undefined, seen);
      const { ending } = reader.readOn();
      assert.deepEqual(ending.kind === 'damaged' ? ending.lost : undefined, { seq: 6, replaced: false }, name);
    }
  });

  it('knows how far it has made the log durable: to the end of its own last write, and not into a segment that another began', () => {
    const files = new MemoryFiles();
    const [own, other] = [journal(files, 400), journal(files, 400)];
    assert.equal(own.isSynced({ segment: 1, offset: 0 }), false);
    appendAlone(own, [{ n: 1, text: 'x'.repeat(400) }]);
    const end = journal(files).readUntil(1).position;
    assert.deepEqual([own.isSynced(end), own.isSynced({ ...end, offset: end.offset + 1 }), other.isSynced(end)], [true, false, false]);
    appendAlone(other, [{ n: 2 }]);
    // Of the other's write no more than the header is there: no record is new by it, and the place after it is not ours to vouch for.
    const second = `${directory}/000002.log`;
    files.put(second, files.text(second).slice(0, files.text(second).indexOf('\n') + 1));
    own.readOn();
    assert.deepEqual([own.readTo?.seq, own.readTo?.segment, own.isSynced(own.readTo as Position)], [2, 2, false]);
  });

  it('is begun once, with a line of its own, and goes on after it like any other', () => {
    for (const left of [undefined, '', 'half of a line']) {
      const files = new MemoryFiles();
      if (left !== undefined) files.put(first, left);
      journal(files).beginLocked();
      const begun = files.text(first);
      const watching = faultyFiles(files);
      const log = journal(watching);
      log.beginLocked();
      assert.deepEqual([lines(files).length, files.text(first), watching.operations.filter(({ method }) => /write|sync/i.test(method))], [1, begun, []]);
      files.powerFailure();
      appendAlone(log, [{ n: 1 }]);
      log.beginLocked();
      appendAlone(journal(files), [{ n: 2 }]);
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2]], ending: 'clean' });
      assert.ok(!files.text(first).includes('"write"'));
    }
  });

  it('misses its first segment like any other', () => {
    const files = new MemoryFiles();
    for (let n = 1; n <= 6; n += 1) appendAlone(journal(files, 400), [{ n, text: 'x'.repeat(100) }]);
    files.remove(first);
    assert.deepEqual(read(files), { records: [], ending: 'damaged' });
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
    for (let n = 1; n <= 6; n += 1) appendAlone(journal(files, 400), [{ n, text: 'x'.repeat(100) }]);
    assert.deepEqual(files.readDirectory(directory), ['000001.log', '000002.log', '000003.log']);
    assert.deepEqual(read(files).records.length, 6);
    files.remove(`${directory}/000002.log`);
    assert.deepEqual(read(files), { records: [[1, 1], [2, 2]], ending: 'damaged' });
  });

  it('goes on where a crash left a new segment empty, or with half of its first write', () => {
    for (const length of [0, 10, 90, 120]) {
      const files = new MemoryFiles();
      for (let n = 1; n <= 2; n += 1) appendAlone(journal(files, 400), [{ n, text: 'x'.repeat(100) }]);
      const whole = new MemoryFiles();
      for (let n = 1; n <= 3; n += 1) appendAlone(journal(whole, 400), [{ n, text: 'x'.repeat(100) }]);
      files.put(`${directory}/000002.log`, whole.text(`${directory}/000002.log`).slice(0, length));
      assert.equal(appendAlone(journal(files, 400), [{ n: 3 }])?.seq, 3, `cut at ${length}`);
      assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3]], ending: 'clean' }, `cut at ${length}`);
    }
  });

  it('writes no more after a failed sync, and what it threw for is not in the log', () => {
    const files = filled();
    const log = journal(faultyFiles(files, whenever('syncData', /log$/, { kind: 'error', code: 'EIO' })));
    for (let attempt = 0; attempt < 2; attempt += 1) assert.throws(() => appendAlone(log, [{ n: 5 }]), error => TurnstoneError.is(error, 'readOnly'));
    assert.equal(read(files).records.length, 4);
    assert.equal(appendAlone(journal(files), [{ n: 6 }])?.seq, 5);
  });

  it('goes on when a disk that was full has room again', () => {
    const files = filled();
    let full = true;
    const log = journal(faultyFiles(files, ({ method }) => (full && method === 'write' ? { kind: 'error', code: 'ENOSPC', written: 20 } : undefined)));
    assert.throws(() => appendAlone(log, [{ n: 5 }]), error => TurnstoneError.is(error, 'readOnly'));
    full = false;
    assert.equal(appendAlone(log, [{ n: 6 }])?.seq, 5);
    assert.deepEqual([read(files).records.length, broken(files)], [5, []]);
  });

  it('never lets its clock run backwards', () => {
    const files = new MemoryFiles();
    const own = new FakeClock(5000);
    const log = new Journal(files, own, directory, 'j-1');
    appendAlone(log, [{ n: 1 }]);
    own.set(1000);
    appendAlone(log, [{ n: 2 }]);
    assert.deepEqual(journal(files).readOn().batches.map(({ at, tick }) => [at, tick]), [[5000, 0], [5000, 1]]);
  });

  it('finds the newest batches about something without reading all', () => {
    const files = new MemoryFiles();
    for (let n = 1; n <= 30; n += 1) appendAlone(journal(files), [{ n, text: n % 10 === 0 ? 'needle' : 'hay' }]);
    assert.deepEqual(journal(files).readRecent('needle').map(batch => batch.seq), [10, 20, 30]);
  });

  it('keeps time over processes whose clocks differ, in groups, over segments, and after a crash', () => {
    const files = new MemoryFiles();
    const clocks = [9000, 1000, 5000, 9000, 9001].map(now => new FakeClock(now));
    for (const [index, own] of clocks.entries()) {
      const log = new Journal(files, own, directory, 'j-1', 300);
      const group = log.groupLocked();
      group.add([{ n: 1 }]);
      group.add([{ n: 2, text: 'x'.repeat(100) }]);
      log.writeLocked(group);
      // The last lines alone don't tell where a crash left something behind them.
      if (index === 1) files.put(newest(files), `${files.text(newest(files))}torn`);
    }
    assert.ok(files.readDirectory(directory).filter(name => name.endsWith('.log')).length > 2);
    const times = journal(files).readOn().batches.map(({ at, tick }) => [at, tick]);
    assert.deepEqual(times, [[9000, 0], [9000, 1], [9000, 2], [9000, 3], [9000, 4], [9000, 5], [9000, 6], [9000, 7], [9001, 0], [9001, 1]]);
  });

  it('begins a new segment when one is longer than the limit, and not when it is just as long', () => {
    const limit = sizeOf(filled(), first);
    for (const [over, segments] of [[0, ['000001.log']], [-1, ['000001.log', '000002.log']]] as const) {
      const files = filled();
      appendAlone(journal(files, limit + over), [{ n: 5 }]);
      assert.deepEqual([files.readDirectory(directory), read(files).records.length], [segments, 5]);
    }
  });

  it('is followed by a reader that looks at any moment, over segments, groups and what a crash left', () => {
    const files = new MemoryFiles();
    const reader = journal(files);
    const seen: Batch[] = [];
    const endings = new Set<string>();
    const look = (): void => {
      const { batches, ending } = reader.readOn();
      seen.push(...batches);
      endings.add(ending.kind);
    };
    const writer = journal(watched(files, look), 500);
    for (let n = 1; n <= 40; n += 4) {
      appendAlone(writer, [{ n, text: 'x'.repeat(n * 3) }]);
      const group = writer.groupLocked();
      for (const more of [1, 2, 3]) group.add([{ n: n + more, text: 'x'.repeat(90) }]);
      writer.writeLocked(group);
      const line = frame({ seq: n + 4, prev: '12345678', at: 1, tick: 0, records: [{ n: 0 }] }).bytes;
      if (n % 3 === 0) files.put(newest(files), Buffer.concat([files.read(newest(files)), line.subarray(0, n)]));
    }
    look();
    assert.deepEqual([...endings].sort(), ['clean', 'torn']);
    assert.deepEqual(seen, journal(files).readOn().batches);
    assert.deepEqual(seen.map(({ seq }) => seq), Array.from({ length: 40 }, (_, index) => index + 1));
    assert.ok(files.readDirectory(directory).filter(name => name.endsWith('.log')).length > 5);
  });

  it('believes a second look where the first one fell into the middle of what others did', () => {
    const files = filled();
    const torn = Buffer.concat([files.read(first), Buffer.alloc(200, 'torn ')]);
    files.put(first, torn);
    for (const n of [5, 6, 7, 8]) appendAlone(journal(files), [{ n }]);
    const [middle, reader] = [torn.length - 150, faultyFiles(files)];
    let looks = 0;
    const racing: Files = {
      ...reader,
      readAt(path, offset, length) {
        const bytes = Buffer.from(files.readAt(path, offset, length));
        looks += 1;
        // The first look took its first bytes before the torn end was cut, and the others after more was appended.
        return looks === 1 ? Buffer.concat([torn.subarray(0, middle), bytes.subarray(middle)]) : bytes;
      },
    };
    assert.deepEqual([read(racing), looks], [{ records: [1, 2, 3, 4, 5, 6, 7, 8].map(n => [n, n]), ending: 'clean' }, 2]);
  });

  it('goes on where a crash left the very first segment empty, or with half of its first write', () => {
    const whole = filled().text(first);
    for (const length of [0, 10, 60, 110, 150]) {
      const files = new MemoryFiles();
      files.put(first, whole.slice(0, length));
      assert.deepEqual(read(files).records, []);
      assert.equal(appendAlone(journal(files), [{ n: 7 }])?.seq, 1, `cut at ${length}`);
      assert.deepEqual(read(files), { records: [[1, 7]], ending: 'clean' }, `cut at ${length}`);
    }
  });

  it('makes up no beginning where the first segments are gone and the last one is empty or torn', () => {
    for (const text of ['', '12345678 {"turnstone":"jour', '12345678 {"turnstone":"journal"}\n']) {
      const files = new MemoryFiles();
      files.put(`${directory}/000004.log`, text);
      assert.equal(journal(files).readOn().ending.kind, 'damaged');
      assert.throws(() => appendAlone(journal(files), [{ n: 1 }]), error => TurnstoneError.is(error, 'damaged'));
      assert.deepEqual([files.text(`${directory}/000004.log`), files.readDirectory(directory)], [text, ['000004.log']]);
    }
  });

  it('believes no segment that lacks its header, or has the wrong one', () => {
    const good = filled();
    const [header, ...rest] = lines(good) as [string, ...string[]];
    const wrong = (change: object): string => Buffer.from(frame({ ...JSON.parse(header.slice(9)), ...change }).bytes).toString('utf8').trim();
    for (const [what, beginning] of [
      ['no header', []],
      ['another segment', [wrong({ segment: 2 })]],
      ['another beginning', [wrong({ seq: 2 })]],
      ['another line before it', [wrong({ prev: '12345678' })]],
      ['another store', [wrong({ store: 'j-2' })]],
      ['two headers', [header, header]],
    ] as const) {
      const files = new MemoryFiles();
      const text = `${[...beginning, ...rest].join('\n')}\n`;
      files.put(first, text);
      assert.equal(journal(files).readOn().ending.kind, 'damaged', what);
      files.put(first, `${text}torn`);
      assert.throws(() => appendAlone(journal(files), [{ n: 9 }]), error => TurnstoneError.is(error, 'damaged'), what);
      assert.equal(files.text(first), `${text}torn`, what);
    }
  });

  it('believes no segment that goes on without a header', () => {
    const files = filled();
    const prev = lines(files).at(-1)?.slice(0, 8) ?? '';
    files.put(`${directory}/000002.log`, frame({ seq: 5, prev, at: clock.now(), tick: 9, records: [{ n: 5 }] }).bytes);
    assert.deepEqual(read(files), { records: [[1, 1], [2, 2], [3, 3], [4, 4]], ending: 'damaged' });
    assert.throws(() => appendAlone(journal(files), [{ n: 6 }]), error => TurnstoneError.is(error, 'damaged'));
  });

  it('cuts nothing that another version wrote, though it understands nothing of it', () => {
    const line = (content: object): string => Buffer.from(frame(content as Batch).bytes).toString('utf8');
    for (const strange of [
      line({ turnstone: 'journal', format: 2, store: 'j-1', segment: 2, seq: 5, prev: '00000000' }),
      line({ turnstone: 'journal', format: 2 }) + line({ seq: 5, prev: '00000000', at: 1, tick: 0, write: 0, records: [{ n: 5 }] }),
      line({ sequence: 5, entries: [] }),
      line({ seq: 5, prev: '00000000', at: 1, tick: 0, write: '0', records: [{ n: 5 }] }),
    ]) {
      for (const path of [first, `${directory}/000002.log`]) {
        const files = filled();
        const text = `${path === first ? files.text(first) : ''}${strange}`;
        files.put(path, text);
        assert.equal(journal(files).readOn().ending.kind, 'damaged', strange);
        assert.throws(() => appendAlone(journal(files), [{ n: 5 }]), error => TurnstoneError.is(error, 'damaged'), strange);
        assert.equal(files.text(path), text);
      }
    }
  });

  it('takes a huge line, and the next append still reads no more than it needs', () => {
    const files = new MemoryFiles();
    for (let n = 1; n <= 20; n += 1) appendAlone(journal(files, 100_000), [{ n, text: 'x'.repeat(20_000) }]);
    appendAlone(journal(files, 100_000), [{ n: 21, text: 'y'.repeat(3_000_000) }]);
    appendAlone(journal(files), [{ n: 22, text: 'z'.repeat(300_000) }]);
    const paths: string[] = [];
    const log = journal(
      faultyFiles(files, ({ method, path }) => {
        if (method === 'readAt') paths.push(path);
        return undefined;
      }),
    );
    appendAlone(log, [{ n: 23 }]);
    assert.deepEqual(new Set(paths), new Set([newest(files)]));
    assert.deepEqual(read(files).records.at(-1), [23, 23]);
  });

  it('says so when it is shorter than what was read of it, instead of going on in the middle of another line', () => {
    const files = filled();
    const reader = journal(files);
    appendAlone(journal(files), [{ n: 5 }]);
    reader.readOn();
    files.put(first, lines(files).slice(0, -1).join('\n').concat('\n'));
    assert.equal(reader.readOn().ending.kind, 'damaged');
    assert.equal(read(files).ending, 'clean');
  });

  it('keeps what it sets aside, whenever the power fails, and twice in one moment', () => {
    for (let index = 0, reached = true; reached; index += 1) {
      const files = filled();
      const torn = `${files.text(first)}torn bytes`;
      files.put(first, torn);
      files.settleBelow('/');
      const dying = faultyFiles(files, at(index, { kind: 'crash' }));
      try {
        appendAlone(journal(dying), [{ n: 5 }]);
      } catch {
        // It died.
      }
      reached = dying.crashed;
      files.powerFailure();
      const copies = broken(files).map(name => files.text(`${directory}/${name}`));
      assert.ok(files.text(first) === torn || copies.includes('torn bytes'), `at ${index}`);
      // The clock stands still: the copy before may have the very name that this one would have.
      appendAlone(journal(files), [{ n: 6 }]);
      assert.deepEqual([read(files).ending, read(files).records.slice(0, 4)], ['clean', [[1, 1], [2, 2], [3, 3], [4, 4]]]);
    }
  });

  it('does not call a failure what is on the disk: a file that can\'t be closed', () => {
    const files = filled();
    assert.equal(appendAlone(journal(faultyFiles(files, whenever('close', /log$/, { kind: 'error', code: 'EIO' }))), [{ n: 5 }])?.seq, 5);
    assert.equal(read(files).records.length, 5);
  });
});
