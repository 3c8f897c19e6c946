import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import type { Files } from '../../../../src/core/base/files.ts';
import { BlobStore } from '../../../../src/core/snapshot/blobs.ts';
import { decodeBody, decodeHead } from '../../../../src/core/snapshot/frames.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

const directory = '/blobs';
const pack = `${directory}/000001.pack`;
const index = `${directory}/index`;

function contents(...texts: readonly string[]): ReadonlyMap<string, Uint8Array> {
  return new Map(texts.map(text => [sha256(Buffer.from(text)), Buffer.from(text)]));
}

/** A new process's view of the store. */
function open(files: Files): BlobStore {
  return new BlobStore(files, directory);
}

function text(files: Files, content: string): string {
  return Buffer.from(open(files).read(sha256(Buffer.from(content)))).toString('utf8');
}

/** Three frames, the second of them with two blobs. */
function filled(): MemoryFiles {
  const files = new MemoryFiles();
  open(files).addLocked(contents('one'));
  open(files).addLocked(contents('two', 'three'));
  open(files).addLocked(contents('x'.repeat(50_000)));
  return files;
}

function damage(files: MemoryFiles, path: string, offset: number): void {
  const bytes = Buffer.from(files.read(path));
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 0xff, offset);
  files.put(path, bytes);
}

describe('blobs', () => {
  it('come back byte for byte, the empty one too, and equal ones are stored once', () => {
    const files = filled();
    for (const content of ['one', 'two', 'three', 'x'.repeat(50_000), '']) assert.equal(text(files, content), content);
    const size = files.read(pack).length;
    assert.equal(open(files).addLocked(contents('one', 'three', '', 'x'.repeat(50_000))), 0);
    assert.equal(files.read(pack).length, size);
  });

  it('come back when there are more than a frame can hold', () => {
    const files = new MemoryFiles();
    const many = Array.from({ length: 600 }, (_, number) => `blob ${number}`);
    assert.equal(open(files).addLocked(contents(...many)), 600);
    assert.deepEqual(many.filter(content => text(files, content) !== content), []);
  });

  it('are never served wrong: a damaged byte anywhere in a frame is an error, or the right bytes', () => {
    const whole = filled();
    for (let offset = 0; offset < 120; offset += 1) {
      const files = new MemoryFiles();
      for (const path of [pack, index]) files.put(path, whole.read(path));
      damage(files, pack, offset);
      for (const content of ['one', 'two', 'three']) {
        try {
          assert.equal(text(files, content), content, `byte ${offset}`);
        } catch (error) {
          assert.ok(TurnstoneError.is(error, 'damaged'), `byte ${offset}: ${String(error)}`);
        }
      }
    }
  });

  it('that are damaged are stored anew when they come again, and served from there', () => {
    const files = filled();
    damage(files, pack, Buffer.from(files.read(pack)).indexOf('one'));
    assert.throws(() => text(files, 'one'), error => TurnstoneError.is(error, 'damaged'));
    assert.equal(open(files).addLocked(contents('one')), 1);
    assert.equal(text(files, 'one'), 'one');
    files.remove(index);
    assert.equal(text(files, 'one'), 'one');
  });

  it('are served without an index, with a torn one, with rubbish in it, and with one that lies', () => {
    const good = Buffer.from(filled().read(index));
    const lying = Buffer.concat([good.subarray(64, 128), good.subarray(0, 64)]);
    for (const [what, bytes] of [['none', undefined], ['empty', Buffer.alloc(0)], ['torn', good.subarray(0, 100)], ['rubbish', Buffer.alloc(256, 7)], ['a hole', Buffer.concat([good.subarray(0, 64), good.subarray(192)])], ['another order', lying]] as const) {
      const files = filled();
      if (bytes === undefined) files.remove(index);
      else files.put(index, bytes);
      for (const content of ['one', 'two', 'three', 'x'.repeat(50_000)]) {
        assert.equal(open(files).has(sha256(Buffer.from(content))), true, what);
        assert.equal(text(files, content), content, what);
      }
      open(files).addLocked(contents('four'));
      assert.equal(text(files, 'four'), 'four', what);
    }
  });

  it('never overwrite what follows the last whole frame', () => {
    for (const tail of ['TSF1', 'rubbish', '\0'.repeat(20)]) {
      const files = filled();
      const before = Buffer.concat([files.read(pack), Buffer.from(tail)]);
      files.put(pack, before);
      open(files).addLocked(contents('after'));
      assert.deepEqual(Buffer.from(files.read(pack)), before);
      assert.equal(text(files, 'after'), 'after');
      assert.equal(text(files, 'one'), 'one');
    }
  });

  it('are missed where their pack is gone, cut short or without a head, without being read; those in the other packs are served', () => {
    const hash = (content: string): string => sha256(Buffer.from(content));
    const late = `${directory}/000003.pack`;
    const all = ['one', 'two', 'three', 'x'.repeat(50_000), 'second', 'late'];
    const loss: readonly (readonly [what: string, lose: (files: MemoryFiles) => void, missing: readonly string[]])[] = [
      ['nothing', () => undefined, []],
      ['the first pack', files => files.remove(pack), all.slice(0, 4)],
      ['the second pack', files => files.remove(`${directory}/000002.pack`), ['second']],
      ['the newest pack', files => files.remove(late), ['late']],
      ['the end of the newest pack', files => files.put(late, files.read(late).subarray(0, -1)), ['late']],
      ['all', files => files.readDirectory(directory).forEach(name => files.remove(`${directory}/${name}`)), all],
    ];
    for (const [what, lose, missing] of loss) {
      for (const withIndex of [true, false]) {
        const files = filled();
        for (const [name, content] of [[pack, 'second'], [`${directory}/000002.pack`, 'late']] as const) {
          files.put(name, Buffer.concat([files.read(name), Buffer.from('torn')]));
          open(files).addLocked(contents(content));
        }
        assert.equal(files.stat(late)?.kind, 'file');
        lose(files);
        if (!withIndex && files.stat(index) !== undefined) files.remove(index);
        const watching = faultyFiles(files);
        assert.deepEqual(open(watching).missingAmong(['', ...all].map(hash)), missing.map(hash), `${what}, ${String(withIndex)}`);
        for (const content of all) assert.equal(open(files).has(hash(content)), !missing.includes(content), `${what}, ${String(withIndex)}: ${content}`);
        open(files).addLocked(contents('after', ...missing));
        assert.deepEqual([...all, 'after'].filter(content => text(files, content) !== content), [], what);
        assert.deepEqual(open(files).missingAmong(all.map(hash)), []);
      }
    }
  });

  it('that could not be synced are not found later', () => {
    const files = filled();
    const size = files.read(pack).length;
    const failing = open(faultyFiles(files, whenever('syncData', /pack$/, { kind: 'error', code: 'EIO' })));
    assert.throws(() => failing.addLocked(contents('lost')), error => TurnstoneError.is(error, 'readOnly'));
    assert.equal(files.read(pack).length, size);
    assert.equal(open(files).has(sha256(Buffer.from('lost'))), false);
  });

  it('in a pack whose name could not be synced are stored anew', () => {
    for (const forgets of ['shown', 'dropped'] as const) {
      const files = new MemoryFiles();
      const failing = open(faultyFiles(files, whenever('syncDirectory', /blobs$/, { kind: 'error', code: 'EIO', forgets })));
      assert.throws(() => failing.addLocked(contents('one', 'two')), error => TurnstoneError.is(error, 'readOnly'));
      assert.equal(open(files).addLocked(contents('one')), 1);
      files.syncDirectory('/');
      files.powerFailure();
      assert.equal(text(files, 'one'), 'one');
    }
  });

  it('are one append and one sync, in frames small enough to unpack for one of them', () => {
    const files = filled();
    const size = files.read(pack).length;
    const large = 'abcdefgh'.repeat(10_000);
    const all = [...Array.from({ length: 300 }, (_, number) => `small ${number}`), large, 'after', ...Array.from({ length: 20 }, (_, number) => `${number}`.repeat(10_000))];
    const watching = faultyFiles(files);
    assert.equal(open(watching).addLocked(contents(...all)), all.length);
    assert.deepEqual(all.filter(content => text(files, content) !== content), []);
    const done = (method: string): number => watching.operations.filter(one => one.method === method && one.path === pack).length;
    assert.deepEqual([done('open'), done('syncData'), done('close')], [1, 1, 1]);
    let offset = size;
    const lengths: number[] = [];
    for (let head; (head = decodeHead(Buffer.from(files.read(pack)).subarray(offset))) !== undefined; offset += head.length + head.stored) lengths.push(head.unpacked);
    assert.deepEqual([offset, Math.max(...lengths), lengths.filter(length => length > 64 * 1024).length], [files.read(pack).length, large.length, 1]);
  });

  it('that a dead process wrote without a sync are synced before they are relied on', () => {
    const files = filled();
    const crashing = faultyFiles(files, whenever('syncData', /pack$/, { kind: 'crash' }));
    assert.throws(() => open(crashing).addLocked(contents('unsynced')));
    const watching = faultyFiles(files);
    assert.equal(open(watching).addLocked(contents('unsynced')), 0);
    assert.deepEqual(watching.operations.filter(({ method }) => method === 'syncData').map(({ path }) => path), [pack]);
  });

  it('are found by a process that looked before another one added them', () => {
    const files = filled();
    const early = open(files);
    early.read(sha256(Buffer.from('one')));
    open(files).addLocked(contents('late'));
    assert.equal(early.has(sha256(Buffer.from('late'))), true);
  });

  it('that were deflated are read, and those of an unknown codec are not', () => {
    const body = Buffer.from('deflated '.repeat(100));
    assert.deepEqual(Buffer.from(decodeBody({ codec: 1, unpacked: body.length }, deflateRawSync(body))), body);
    assert.throws(() => decodeBody({ codec: 9, unpacked: 1 }, body));
    assert.throws(() => decodeBody({ codec: 1, unpacked: 10 }, deflateRawSync(body)));
  });
});
