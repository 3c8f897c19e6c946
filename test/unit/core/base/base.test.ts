import assert from 'node:assert/strict';
import { crc32 as reference } from 'node:zlib';
import { createHash } from 'node:crypto';
import { lstatSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { crc32 } from '../../../../src/core/base/checksum.ts';
import { nextTime } from '../../../../src/core/base/clock.ts';
import { manySha256, sha256, uniqueName } from '../../../../src/core/base/digest.ts';
import { DisposableStore } from '../../../../src/core/base/disposable.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import { nodeFiles, timesOf } from '../../../../src/core/base/files.ts';
import { makeDirectories, replaceFile, syncNameOf } from '../../../../src/core/base/fileTools.ts';
import { derivedId, randomId } from '../../../../src/core/base/ids.ts';
import { scratchDirectory } from '../../../support/scratch.ts';
import { at, faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

describe('checksums and digests', () => {
  it('are those of zlib and of node:crypto, for bytes of any length', () => {
    const bytes = fc.uint8Array({ maxLength: 5000 });
    fc.assert(fc.property(bytes, content => crc32(content) === reference(content) && sha256(content) === createHash('sha256').update(content).digest('hex') && manySha256(content) === sha256(content)));
    const large = Buffer.alloc(100_000, 'large');
    assert.equal(sha256(large), createHash('sha256').update(large).digest('hex'));
  });
});

describe('ids', () => {
  it('are the same for the same names only, and otherwise random', () => {
    assert.equal(derivedId('turn', 'a', 'b'), derivedId('turn', 'a', 'b'));
    const others = [derivedId('turn', 'a', 'b'), derivedId('turn', 'ab'), derivedId('turn', 'a', '', 'b'), derivedId('call', 'a', 'b'), derivedId('turn', 'b', 'a'), randomId('turn'), randomId('turn')];
    assert.equal(new Set(others).size, others.length);
    assert.ok(others.every(id => /^[tc]-[2-9b-z]{16}$/.test(id)));
    assert.equal(new Set(Array.from({ length: 1000 }, uniqueName)).size, 1000);
  });
});

describe('hybrid time', () => {
  it('never runs backwards', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), walls => {
        let last = nextTime(undefined, 10);
        for (const wall of walls) {
          const next = nextTime(last, wall);
          assert.ok(next.at > last.at || (next.at === last.at && next.tick > last.tick));
          last = next;
        }
      }),
    );
  });
});

describe('disposables and events', () => {
  it('end once, in reverse order, and at once when they come too late', () => {
    const ended: number[] = [];
    const store = new DisposableStore();
    for (const number of [1, 2, 3]) store.add({ dispose: () => void ended.push(number) });
    store.dispose();
    store.dispose();
    store.add({ dispose: () => void ended.push(4) });
    assert.deepEqual(ended, [3, 2, 1, 4]);
  });

  it('reach all listeners, also when one of them fails', () => {
    const heard: string[] = [];
    const emitter = new Emitter<string>();
    emitter.event(() => {
      throw new Error('deaf');
    });
    const second = emitter.event(fact => void heard.push(fact));
    assert.throws(() => emitter.fire('one'), /deaf/);
    second.dispose();
    assert.throws(() => emitter.fire('two'));
    assert.deepEqual(heard, ['one']);
  });
});

describe('something new whose name can\'t be made durable', () => {
  it('goes again, so that nobody takes it for durable', () => {
    for (const forgets of [undefined, 'shown', 'dropped'] as const) {
      const memory = new MemoryFiles();
      const files = faultyFiles(memory, whenever('syncDirectory', /./, { kind: 'error', code: 'EIO', ...(forgets === undefined ? {} : { forgets }) }));
      assert.throws(() => makeDirectories(files, '/one/two', 0o700), /EIO/);
      memory.put('/file', 'text');
      assert.throws(() => syncNameOf(files, '/file'), /EIO/);
      assert.deepEqual(memory.readDirectory('/'), []);
    }
  });
});

describe('replacing a small file', () => {
  it('leaves the old one or the new one whole, and nothing else, whatever fails', () => {
    const count = (() => {
      const files = faultyFiles(new MemoryFiles());
      replaceFile(files, '/a', Buffer.from('new'), 0o600);
      return files.operations.length;
    })();
    for (let index = 0; index < count; index += 1) {
      const memory = new MemoryFiles();
      memory.put('/a', 'old');
      const files = faultyFiles(memory, at(index, { kind: 'error', code: 'EIO', written: 1 }));
      try {
        replaceFile(files, '/a', Buffer.from('new'), 0o600);
      } catch {
        // Told by the error; what matters is what is left.
      }
      assert.ok(['old', 'new'].includes(memory.text('/a')), `operation ${index}`);
      assert.deepEqual(memory.readDirectory('/'), ['a'], `operation ${index}`);
    }
  });
});

describe('a stamp', () => {
  it('tells when a file was written and changed, as the disk does', () => {
    const path = join(scratchDirectory('stamp'), 'a');
    writeFileSync(path, 'text');
    for (const time of [1_234_567_890.123, -5, 4_000_000_000]) {
      utimesSync(path, time, time);
      const { mtimeMs, ctimeMs } = lstatSync(path);
      const times = timesOf(nodeFiles.stat(path)?.stamp ?? '');
      assert.ok(times !== undefined && Math.abs(times.written - mtimeMs) < 1 && Math.abs(times.changed - ctimeMs) < 1, `${time}`);
    }
  });

  it('of another kind tells nothing', () => {
    for (const stamp of ['', '1:2:3', '1:a:3:4', '1:2::4:5']) assert.equal(timesOf(stamp), undefined);
    const files = new MemoryFiles();
    files.put('/a', 'x');
    assert.notEqual(timesOf(files.stat('/a')?.stamp ?? ''), undefined);
  });
});
