import assert from 'node:assert/strict';
import type { Files } from '../../../../src/core/base/files.ts';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { currentProcess } from '../../../../src/core/base/processes.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { BlobStore } from '../../../../src/core/snapshot/blobs.ts';
import type { JournalRecord } from '../../../../src/core/timeline/records.ts';
import { StoreWriter, type Contents } from '../../../../src/core/timeline/storeWriter.ts';
import { FakeClock } from '../../../twins/fakeClock.ts';
import { at, faultyFiles, whenever, type Fault } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

const directory = '/storage/roots/r-x';
const lockPath = `${directory}/lock`;
const boot = '/proc/sys/kernel/random/boot_id';

function machine(): MemoryFiles {
  const files = new MemoryFiles();
  files.folder(directory);
  files.put(boot, 'boot-1');
  files.settleBelow('/');
  return files;
}

/** A process of its own. */
function writer(files: Files, clock = new FakeClock()): StoreWriter {
  return new StoreWriter(files, clock, directory, { format: 1, key: 'r-x', store: 'j-1', path: '/project', identity: 'memory:1' });
}

function contents(...texts: readonly string[]): Contents {
  return new Map(texts.map(text => [sha256(Buffer.from(text)), Buffer.from(text)]));
}

function record(label: string): JournalRecord {
  return { type: 'session.open', session: label, agent: 'test', agentSession: label };
}

function labels(files: Files): readonly (readonly string[])[] {
  const { batches, ending } = new Journal(files, new FakeClock(), `${directory}/journal`, 'j-1').readOn();
  assert.equal(ending.kind, 'clean');
  return batches.map(({ records }) => records.map(one => (one as { session: string }).session));
}

function has(files: Files, text: string): boolean {
  return new BlobStore(files, `${directory}/blobs`).has(sha256(Buffer.from(text)));
}

/** How each came out: its value, or the code or name of its error. */
async function outcomes(all: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(all);
  return settled.map(one => (one.status === 'fulfilled' ? one.value : ((one.reason as TurnstoneError).code ?? (one.reason as Error).name)));
}

/** A live process of this machine holds the lock. */
function holdLock(files: MemoryFiles): void {
  const { host, pid } = currentProcess(files);
  files.put(lockPath, JSON.stringify({ token: 'theirs', host, boot: 'boot-1', pid, started: '' }));
}

const numbers = Array.from({ length: 64 }, (_, index) => String(index).padStart(2, '0'));

describe('commits that wait at the same time', () => {
  it('share one hold of the lock, and one write and one sync of each file, in the order of the calls', async () => {
    const files = machine();
    await writer(files).commit(contents('before'), [record('before')]);
    const watching = faultyFiles(files);
    const store = writer(watching);
    const done = numbers.map(n => store.commit(contents(`text ${n}`, 'shared'), [record(`${n}a`), record(`${n}b`)]));
    assert.deepEqual(new Set(await Promise.all(done)), new Set([true]));
    assert.deepEqual(labels(files), [['before'], ...numbers.map(n => [`${n}a`, `${n}b`])]);
    assert.deepEqual(numbers.filter(n => !has(files, `text ${n}`)), []);
    const count = (method: string, path: RegExp): number => watching.operations.filter(one => one.method === method && path.test(one.path)).length;
    assert.deepEqual([count('hardLink', /lock$/), count('write', /log$/), count('syncData', /log$/), count('write', /pack$/), count('syncData', /pack$/), count('write', /index$/)], [1, 1, 1, 1, 1, 1]);
  });

  it('cost a lone one nothing: it makes the same file operations as ever', async () => {
    const files = machine();
    await writer(files).commit(contents('before'), [record('before')]);
    const watching = faultyFiles(files);
    await writer(watching).commit(contents('one'), [record('one')]);
    const named = watching.operations.slice(5).map(({ method, path }) => `${method} ${path.replace(/^.*\//, '').replace(/^lock\..*tmp$/, 'lock.tmp')}`);
    assert.deepEqual(named, [
      ...['open lock.tmp', 'write lock.tmp', 'close lock.tmp', 'hardLink lock', 'stat lock.tmp', 'remove lock.tmp'],
      ...['stat journal', 'readDirectory journal', 'stat 000001.log', 'readAt 000001.log'],
      ...['stat index', 'readAt index', 'stat 000001.pack', 'stat 000002.pack', 'stat 000001.pack', 'stat blobs'],
      ...['stat 000001.pack', 'open 000001.pack', 'write 000001.pack', 'syncData 000001.pack', 'close 000001.pack'],
      ...['stat index', 'open index', 'write index', 'close index'],
      ...['open 000001.log', 'write 000001.log', 'syncData 000001.log', 'close 000001.log'],
      ...['read lock', 'remove lock'],
    ]);
    assert.ok(!files.text(`${directory}/journal/000001.log`).split('\n')[2]?.includes('"write"'));
  });

  it('are judged in order: what an earlier one has passed is refused, with nothing of it stored', async () => {
    const files = machine();
    const store = writer(files);
    const done = [
      store.commit(contents('a'), [record('a')], 0),
      store.commit(contents('b'), [record('b')], 0),
      store.commit(contents('c'), [record('c'), record('d')], 1),
      store.commit(contents('e'), [record('e')]),
      store.commit(contents('f'), [record('f')], 3),
    ];
    assert.deepEqual(await outcomes(done), [true, false, true, true, false]);
    assert.deepEqual(labels(files), [['a'], ['c', 'd'], ['e']]);
    assert.deepEqual(['a', 'b', 'c', 'e', 'f'].map(text => has(files, text)), [true, false, true, true, false]);
  });

  it('are none of each other\'s matter where one of them is wrong in itself', async () => {
    const files = machine();
    const store = writer(files);
    class Throwing extends Map<string, Uint8Array> {
      override [Symbol.iterator](): never {
        throw new RangeError('no content');
      }
    }
    const noBytes = new Map([[sha256(Buffer.from('x')), 'x' as unknown as Uint8Array]]);
    const done = [
      store.commit(new Throwing(), [record('bad')]),
      store.commit(contents('a'), [record('a')]),
      store.commit(contents('lost'), [{ ...record('bad'), extra: 1n } as unknown as JournalRecord]),
      store.commit(noBytes, [record('bad')]),
      store.commit(new Map([['name', Buffer.from('x')]]), [record('bad')]),
      store.commit(contents('lost'), []),
      store.keep(new Throwing()),
      store.keep(contents('kept')),
      store.commit(contents('b'), [record('b')]),
    ];
    assert.deepEqual(await outcomes(done), ['RangeError', true, 'TypeError', 'TypeError', 'TypeError', 'usage', 'RangeError', undefined, true]);
    assert.deepEqual([labels(files), has(files, 'a'), has(files, 'kept'), has(files, 'b'), has(files, 'lost')], [[['a'], ['b']], true, true, true, false]);
  });

  it('are all told when the disk refuses, and what was kept without a record is kept', async () => {
    for (const [path, kept] of [[/log$/, undefined], [/pack$/, 'readOnly']] as const) {
      for (const method of ['write', 'syncData']) {
        const files = machine();
        await writer(files).commit(contents('before'), [record('before')]);
        const store = writer(faultyFiles(files, whenever(method, path, { kind: 'error', code: 'EIO', ...(method === 'write' ? { written: 10 } : {}) })));
        const done = [store.commit(contents('a'), [record('a')]), store.keep(contents('kept')), store.commit(new Map(), [record('b')])];
        assert.deepEqual(await outcomes(done), ['readOnly', kept, 'readOnly'], `${method} ${String(path)}`);
        assert.deepEqual([labels(files), has(files, 'kept')], [[['before']], kept === undefined]);
      }
    }
  });

  it('keep contents where the journal can\'t be followed to its end, and append nothing there', async () => {
    const files = machine();
    const log = `${directory}/journal/000001.log`;
    await writer(files).commit(new Map(), [record('a')]);
    await writer(files).commit(new Map(), [record('b')]);
    const damaged = `${files.text(log).replace('"a"', '"#"')}{`;
    files.put(log, damaged);
    const store = writer(files);
    assert.deepEqual(await outcomes([store.commit(contents('x'), [record('c')]), store.keep(contents('kept'))]), ['damaged', undefined]);
    assert.deepEqual([files.text(log), has(files, 'x'), has(files, 'kept')], [damaged, false, true]);
  });

  it('that come while a group is written are the next group', async () => {
    const files = machine();
    const late: Promise<boolean>[] = [];
    const watching = faultyFiles(files, ({ method, path }) => {
      if (method === 'syncData' && path.endsWith('.log') && late.length < 2) late.push(store.commit(new Map(), [record(`late ${late.length}`)]));
      return undefined;
    });
    const store: StoreWriter = writer(watching);
    await Promise.all([store.commit(new Map(), [record('a')]), store.commit(new Map(), [record('b')])]);
    assert.deepEqual(await Promise.all(late), [true, true]);
    assert.deepEqual(labels(files), [['a'], ['b'], ['late 0'], ['late 1']]);
    assert.equal(watching.operations.filter(({ method, path }) => method === 'syncData' && path.endsWith('.log')).length, 3);
  });

  it('wait for the lock as long as each would have alone', async () => {
    const files = machine();
    holdLock(files);
    const clock = new FakeClock(0);
    const store = writer(files, clock);
    const order: string[] = [];
    const told = (name: string, result: Promise<unknown>): Promise<void> =>
      result.then(
        () => void order.push(`${name} at ${clock.now() < 5000 ? 'once' : clock.now() < 6100 ? 'last' : 'never'}`),
        (error: TurnstoneError) => void order.push(`${name} ${error.code} after ${Math.floor(clock.now() / 1000)} s`),
      );
    const first = told('first', store.commit(new Map(), [record('first')]));
    while (clock.now() < 2000) await clock.sleep(0).then(() => new Promise(resolve => setImmediate(resolve)));
    const second = told('second', store.commit(contents('second'), [record('second')]));
    await first;
    assert.deepEqual(order, ['first busy after 5 s']);
    const third = told('third', store.commit(new Map(), [record('third')]));
    files.remove(lockPath);
    await Promise.all([second, third]);
    assert.deepEqual(order, ['first busy after 5 s', 'second at last', 'third at last']);
    assert.deepEqual(labels(files), [['second'], ['third']]);
  });

  it('are each there as a whole or not at all when the process dies, and all that was acknowledged is', async () => {
    const total = await (async (): Promise<number> => {
      const watching = faultyFiles(machine());
      const store = writer(watching);
      await Promise.all(['a', 'b', 'c'].map(name => store.commit(contents(name), [record(`${name}1`), record(`${name}2`)])));
      return watching.operations.length;
    })();
    const faults: readonly Fault[] = [{ kind: 'crash' }, { kind: 'crash', written: 200 }, { kind: 'crash', written: 1e9 }];
    for (let index = 0; index < total; index += 1) {
      for (const fault of faults) {
        const files = machine();
        const dying = faultyFiles(files, at(index, fault));
        const store = writer(dying);
        const done = await outcomes(['a', 'b', 'c'].map(name => store.commit(contents(name), [record(`${name}1`), record(`${name}2`)])));
        const where = `${JSON.stringify(fault)} at ${index} (${dying.operations[index]?.method} ${dying.operations[index]?.path})`;
        files.put(boot, 'boot-2');
        await writer(faultyFiles(files)).commit(contents('next'), [record('next')]);
        const found = labels(files);
        const whole = [['a1', 'a2'], ['b1', 'b2'], ['c1', 'c2']];
        assert.deepEqual(found, [...whole.slice(0, found.length - 1), ['next']], where);
        if (done.includes(true)) assert.deepEqual([done, found.length], [[true, true, true], 4], where);
        assert.ok(found.flat().every(label => has(files, label === 'next' ? label : label.slice(0, 1))), where);
      }
    }
  });
});

describe('a journal that is gone beside what was stored after it', () => {
  const log = `${directory}/journal/000001.log`;

  it('is begun before the first content, so that whatever the power leaves, one is not there without the other', async () => {
    for (const begin of [(store: StoreWriter) => store.commit(contents('a'), [record('a')]), (store: StoreWriter) => store.keep(contents('a'))]) {
      for (let index = 0, reached = true; reached; index += 1) {
        for (const fault of [{ kind: 'crash' }, { kind: 'crash', written: 30 }, { kind: 'error', code: 'EIO' }] as const) {
          const files = machine();
          const faulty = faultyFiles(files, at(index, fault));
          await outcomes([begin(writer(faulty))]);
          reached = faulty.operations.length > index;
          const where = `${JSON.stringify(fault)} at ${index} (${faulty.operations[index]?.method} ${faulty.operations[index]?.path})`;
          // All that was stored is there, and of the journal what is certain.
          if (files.stat(`${directory}/blobs`) !== undefined) files.settleBelow(`${directory}/blobs`);
          files.powerFailure();
          files.put(boot, 'boot-2');
          assert.equal(await writer(files).commit(contents('next'), [record('next')]), true, where);
          assert.equal(labels(files).at(-1)?.[0], 'next', where);
        }
      }
    }
  });

  it('has a first line that the first record does not touch', async () => {
    const files = machine();
    const watching = faultyFiles(files);
    await writer(watching).commit(contents('a'), [record('a')]);
    const order = watching.operations.filter(({ method, path }) => (method === 'write' || method === 'syncData') && /(log|pack)$/.test(path)).map(({ method, path }) => `${method} ${path.replace(/^.*\./, '')}`);
    assert.deepEqual(order, ['write log', 'syncData log', 'write pack', 'syncData pack', 'write log', 'syncData log']);
    // A line that was written with others says where that began.
    assert.ok(!files.text(log).includes('"write"'));
    const alone = machine();
    await writer(alone).commit(new Map(), [record('a')]);
    assert.ok(alone.text(log).includes('"write":0'));
  });

  it('is damage, and nothing is appended as if there had been none', async () => {
    const loss: readonly ((files: MemoryFiles) => void)[] = [files => files.remove(log), files => files.put(log, ''), files => files.put(log, files.text(log).slice(0, 40))];
    for (const lose of loss) {
      for (const kept of ['000001.pack', 'index']) {
        const files = machine();
        await writer(files).commit(contents('a'), [record('a')]);
        lose(files);
        for (const name of files.readDirectory(`${directory}/blobs`)) if (name !== kept) files.remove(`${directory}/blobs/${name}`);
        const before = files.fingerprint();
        assert.deepEqual(await outcomes([writer(files).commit(contents('b'), [record('b')]), writer(files).commit(new Map(), [record('c')])]), ['damaged', 'damaged'], kept);
        assert.equal(files.fingerprint(), before, kept);
        assert.deepEqual(await outcomes([writer(files).keep(contents('kept'))]), [undefined]);
        assert.equal(has(files, 'kept'), true);
      }
    }
  });
});

describe('what a process wrote that died before it could sync', () => {
  it('is durable before another one builds on it, its file\'s name too', async () => {
    const faults: readonly Fault[] = [{ kind: 'crash' }, { kind: 'crash', written: 30 }, { kind: 'crash', written: 1e9 }];
    for (const before of [[], ['before']]) {
      for (let index = 0, reached = true; reached; index += 1) {
        reached = false;
        for (const fault of faults) {
          const files = machine();
          for (const name of before) await writer(files).commit(contents(name), [record(name)]);
          const dying = faultyFiles(files, at(index, fault));
          const [done] = await outcomes([writer(dying).commit(contents('dying'), [record('dying')])]);
          if (!dying.crashed) continue;
          reached = true;
          // The machine goes on, only the process is gone; the power fails later.
          files.put(boot, 'boot-2');
          const next = faultyFiles(files);
          assert.equal(await writer(next).commit(contents('dying', 'next'), [record('next')]), true);
          files.powerFailure();
          const where = `after ${before.length}, ${JSON.stringify(fault)} at ${index} (${dying.operations[index]?.method} ${dying.operations[index]?.path})`;
          const found = labels(files).flat();
          assert.deepEqual(found, [...before, ...(done === true || found.includes('dying') ? ['dying'] : []), 'next'], where);
          assert.deepEqual([...before, 'dying', 'next'].filter(text => !has(files, text)), [], where);
        }
      }
    }
  });

  it('and can\'t be synced now keeps its lock, until it can', async () => {
    const files = machine();
    await writer(files).commit(contents('before'), [record('before')]);
    await writer(faultyFiles(files, whenever('syncData', /log$/, { kind: 'crash' }))).commit(new Map(), [record('dying')]).catch(() => undefined);
    files.put(boot, 'boot-2');
    let failing = true;
    const store = writer(faultyFiles(files, ({ method, path }) => (failing && method === 'sync' && path.endsWith('.log') ? { kind: 'error', code: 'EIO' } : undefined)));
    assert.deepEqual(await outcomes([store.commit(new Map(), [record('a')])]), ['readOnly']);
    assert.deepEqual(files.readDirectory(directory).filter(name => name.startsWith('lock')), ['lock']);
    failing = false;
    assert.equal(await store.commit(new Map(), [record('b')]), true);
    assert.deepEqual(labels(files), [['before'], ['dying'], ['b']]);
    assert.deepEqual(files.readDirectory(directory).filter(name => name.startsWith('lock')), []);
  });
});
