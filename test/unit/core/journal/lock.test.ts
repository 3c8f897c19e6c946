import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { nodeFiles, type Files } from '../../../../src/core/base/files.ts';
import { currentProcess, isGone } from '../../../../src/core/base/processes.ts';
import { Lock } from '../../../../src/core/journal/lock.ts';
import { scratchDirectory } from '../../../support/scratch.ts';
import { until } from '../../../support/until.ts';
import { FakeClock } from '../../../twins/fakeClock.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { systemError } from '../../../twins/systemError.ts';

const path = '/store/lock';

function machine(): MemoryFiles {
  const files = new MemoryFiles();
  files.folder('/store');
  files.put('/proc/sys/kernel/random/boot_id', 'boot-2');
  return files;
}

function owner(token: string, boot: string): string {
  const { host, pid } = currentProcess(machine());
  return JSON.stringify({ token, host, boot, pid, started: '' });
}

function lock(files: Files): Lock {
  return new Lock(files, new FakeClock(), path);
}

describe('lock', () => {
  it('is there while work is done, names its owner, and is gone afterwards, whatever the work did', async () => {
    const files = machine();
    await lock(files).exclusively(() => assert.equal(JSON.parse(files.text(path)).pid, process.pid));
    await assert.rejects(lock(files).exclusively(() => Promise.reject(new Error('work'))), /work/);
    assert.deepEqual(files.readDirectory('/store'), []);
  });

  it('of an owner that could not tell its boot is taken when no process has its number', async () => {
    const files = machine();
    const { host, pid } = currentProcess(files);
    const nameless = { host, boot: '', started: '' };
    assert.deepEqual([isGone(files, { ...nameless, pid: 2 ** 30 }), isGone(files, { ...nameless, pid })], [true, false]);
  });

  it('of an owner of an earlier boot is taken', async () => {
    const files = machine();
    files.put(path, owner('dead', 'boot-1'));
    assert.equal(await lock(files).exclusively(() => 'done'), 'done');
    assert.deepEqual(files.readDirectory('/store'), []);
  });

  for (const [what, text] of [['of a live owner', owner('alive', 'boot-2')], ['of another machine', JSON.stringify({ token: 'x', host: 'elsewhere', boot: 'b', pid: 1, started: '' })]] as const) {
    it(`${what} is never taken, however long one waits`, async () => {
      const files = machine();
      files.put(path, text);
      await assert.rejects(lock(files).exclusively(() => 'done', 60_000), error => TurnstoneError.is(error, 'busy'));
      assert.equal(files.text(path), text);
    });
  }

  it('says who holds it', async () => {
    const files = machine();
    files.put(path, JSON.stringify({ token: 'x', host: 'elsewhere', boot: 'b', pid: 7, started: '' }));
    for (const wait of [lock(files).exclusively(() => 'done'), lock(files).wouldBeTaken()]) {
      await assert.rejects(wait, (error: Error) => error.message.includes('process 7 on elsewhere') && error.message.includes(path));
    }
  });

  it('of a dead owner is taken only when what that one wrote is settled', async () => {
    const files = machine();
    files.put(path, owner('dead', 'boot-1'));
    files.put(`${path}.heir-dead`, owner('heir', 'boot-1'));
    const settled: string[] = [];
    const heir = new Lock(files, new FakeClock(), path, () => {
      settled.push(files.text(path));
      if (settled.length === 1) throw systemError('EIO', 'fdatasync', path);
    });
    await assert.rejects(heir.exclusively(() => 'done'), error => TurnstoneError.is(error, 'readOnly'));
    assert.deepEqual(files.readDirectory('/store'), ['lock', 'lock.heir-dead']);
    assert.equal(await heir.exclusively(() => 'done'), 'done');
    assert.equal(await heir.exclusively(() => 'again'), 'again');
    assert.deepEqual(settled, [owner('dead', 'boot-1'), owner('dead', 'boot-1')]);
    assert.deepEqual(files.readDirectory('/store'), []);
  });

  it('is only looked at while somebody has it: no file is made for each look', async () => {
    const files = machine();
    files.put(path, owner('alive', 'boot-2'));
    const watching = faultyFiles(files);
    await assert.rejects(lock(watching).exclusively(() => 'done', 1000), error => TurnstoneError.is(error, 'busy'));
    assert.equal(watching.operations.filter(({ method }) => method === 'open').length, 1);
  });

  it('is asked for without writing: free, or of a dead owner, or of a live one', async () => {
    const files = machine();
    const ask = async (text?: string): Promise<unknown> => {
      if (text !== undefined) files.put(path, text);
      const before = files.readDirectory('/store');
      const answer = await lock(files).wouldBeTaken(60_000).catch((error: TurnstoneError) => error.code);
      assert.deepEqual(files.readDirectory('/store'), before);
      return answer;
    };
    assert.deepEqual([await ask(), await ask(owner('dead', 'boot-1')), await ask('')], [undefined, undefined, undefined]);
    assert.equal(await ask(owner('alive', 'boot-2')), 'busy');
    const readOnly = faultyFiles(files, whenever('mustBeWritable', /^\/store$/, { kind: 'error', code: 'EROFS' }));
    await assert.rejects(lock(readOnly).wouldBeTaken(), error => TurnstoneError.is(error, 'readOnly'));
  });

  it('passes from a dead owner whose heirs died too', async () => {
    const files = machine();
    files.put(path, owner('dead', 'boot-1'));
    files.put(`${path}.heir-dead`, owner('heir', 'boot-1'));
    files.put(`${path}.heir-heir`, owner('heir of heir', 'boot-1'));
    assert.equal(await lock(files).exclusively(() => 'done'), 'done');
    assert.deepEqual(files.readDirectory('/store'), []);
  });

  it('is left to a live heir', async () => {
    const files = machine();
    files.put(path, owner('dead', 'boot-1'));
    files.put(`${path}.heir-dead`, owner('heir', 'boot-2'));
    await assert.rejects(lock(files).exclusively(() => 'done'), error => TurnstoneError.is(error, 'busy'));
  });

  it('whose bytes a power failure took is taken, its heirs\' too; but not where it may be half-written', async () => {
    for (const heir of [undefined, '']) {
      const files = machine();
      files.put(path, heir === undefined ? '' : owner('dead', 'boot-1'));
      if (heir !== undefined) files.put(`${path}.heir-dead`, heir);
      assert.equal(await lock(files).exclusively(() => 'done'), 'done');
      assert.deepEqual(files.readDirectory('/store'), []);
    }
    const files = machine();
    files.put(path, '{"tok');
    const poor = faultyFiles(files, whenever('hardLink', /./, { kind: 'error', code: 'EPERM' }));
    await assert.rejects(lock(poor).exclusively(() => 'done', 60_000), error => TurnstoneError.is(error, 'busy'));
    assert.deepEqual(files.readDirectory('/store'), ['lock']);
  });

  it('works where there are no hard links', async () => {
    const files = machine();
    const poor = faultyFiles(files, whenever('hardLink', /./, { kind: 'error', code: 'EPERM' }));
    await lock(poor).exclusively(() => assert.equal(JSON.parse(files.text(path)).pid, process.pid));
    files.put(path, owner('alive', 'boot-2'));
    await assert.rejects(lock(poor).exclusively(() => 'done'), error => TurnstoneError.is(error, 'busy'));
  });

  it('that could not be released is taken back by the same process', async () => {
    const files = machine();
    let failures = 1;
    const shaky = faultyFiles(files, operation => (operation.method === 'remove' && operation.path === path && failures-- > 0 ? { kind: 'error', code: 'EIO' } : undefined));
    const own = lock(shaky);
    assert.equal(await own.exclusively(() => 'first'), 'first');
    assert.equal(await own.exclusively(() => 'second'), 'second');
  });

  it('tidies up what dead processes left, and nothing of live ones', () => {
    const files = machine();
    files.put(`${path}.a.tmp`, owner('a', 'boot-1'));
    files.put(`${path}.b.tmp`, '');
    files.put(`${path}.c.tmp`, owner('c', 'boot-2'));
    files.put(`${path}.heir-x`, owner('d', 'boot-1'));
    files.put(`${path}.heir-y`, owner('e', 'boot-2'));
    lock(files).tidy();
    assert.deepEqual(files.readDirectory('/store'), ['lock.c.tmp', 'lock.heir-y']);
  });

  it('keeps the right of inheritance while the dead owner\'s lock is there', () => {
    const files = machine();
    files.put(path, owner('dead', 'boot-1'));
    files.put(`${path}.heir-dead`, owner('heir', 'boot-1'));
    lock(files).tidy();
    assert.deepEqual(files.readDirectory('/store'), ['lock', 'lock.heir-dead']);
  });

  it('keeps real processes apart', async function () {
    this.timeout(30_000);
    const directory = scratchDirectory('lock');
    const counter = join(directory, 'counter');
    writeFileSync(counter, '0');
    const href = (name: string): string => new URL(`../../../../src/core/${name}`, import.meta.url).href;
    const script = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { Lock } from ${JSON.stringify(href('journal/lock.ts'))};
      import { nodeFiles } from ${JSON.stringify(href('base/files.ts'))};
      import { systemClock } from ${JSON.stringify(href('base/clock.ts'))};
      const lock = new Lock(nodeFiles, systemClock, ${JSON.stringify(join(directory, 'lock'))});
      for (let n = 0; n < 50; n += 1) await lock.exclusively(async () => {
        const value = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'));
        await new Promise(resolve => setImmediate(resolve));
        writeFileSync(${JSON.stringify(counter)}, String(value + 1));
      }, 20000);`;
    const children = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }));
    await Promise.all(children.map(child => once(child, 'exit')));
    assert.equal(readFileSync(counter, 'utf8'), '150');
  });

  it('of a process that was killed is taken at once, buried or not', async function () {
    if (process.platform !== 'linux') this.skip();
    const file = join(scratchDirectory('lock'), 'lock');
    // The shell never waits for its child: it stays a zombie.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(String(line).trim());
      const zombie = { ...currentProcess(nodeFiles), pid, started: '' };
      await until('the child is a zombie', () => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z '));
      assert.equal(isGone(nodeFiles, zombie), true);
      writeFileSync(file, JSON.stringify({ token: 'x', ...zombie }));
      assert.equal(await new Lock(nodeFiles, systemClock, file).exclusively(() => 'done', 0), 'done');
    } finally {
      parent.kill('SIGKILL');
    }
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    assert.equal(isGone(nodeFiles, { ...currentProcess(nodeFiles), pid: gone, started: '' }), true);
  });
});
