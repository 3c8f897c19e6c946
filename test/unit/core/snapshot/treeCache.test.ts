import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { crc32 } from '../../../../src/core/base/checksum.ts';
import { readTreeCache, writeTreeCache, type TreeCache, type TreeEntry } from '../../../../src/core/snapshot/treeCache.ts';
import { isSoundPath } from '../../../../src/core/snapshot/paths.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

const path = '/store/tree';
const hash = 'a'.repeat(64);
const sample: TreeCache = {
  scannedAt: 1_764_590_000_123,
  entries: new Map<string, TreeEntry>([
    ['a', { stamp: '1:2:3:4', state: { kind: 'content', hash, mode: 0o644, size: 1 } }],
    ['d/b c', { stamp: '', state: { kind: 'oversize', hash, mode: 0o755, size: 10 } }],
    ['l', { stamp: '1:2:3:4', state: { kind: 'link', target: '../some "where"' } }],
  ]),
  folders: new Map([['', 0o755], ['d', 0o700]]),
  unknown: new Set(['', 'dist']),
};

function disk(): MemoryFiles {
  const files = new MemoryFiles();
  files.folder('/store');
  return files;
}

/** A file with a sum that fits. */
function summed(body: string): string {
  return `${body}${crc32(Buffer.from(body)).toString(16).padStart(8, '0')}\n`;
}

const header = '{"turnstone":"tree","format":2,"scannedAt":5}\n';
const name = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', ' ', 'é', 'e\u0301', '\u2028', '\ud800', '.', '~'), minLength: 1, maxLength: 5 }));
const anyPath = fc.array(name, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/')).filter(isSoundPath);
const number = fc.nat(2 ** 31);
const stamp = fc.oneof(fc.constant(''), fc.tuple(number, fc.bigInt(0n, 2n ** 63n), fc.bigInt(0n, 2n ** 63n), number).map(parts => parts.join(':')));
const anyHash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const state: fc.Arbitrary<TreeEntry['state']> = fc.oneof(
  fc.record({ kind: fc.constantFrom('content' as const, 'oversize' as const), hash: anyHash, mode: fc.nat(0o7777), size: number }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant('link' as const), target: fc.string({ unit: 'binary' }) }, { noNullPrototype: true }),
);
const anyCache: fc.Arbitrary<TreeCache> = fc.record({
  scannedAt: fc.nat(2 ** 42),
  entries: fc.array(fc.tuple(anyPath, fc.record({ stamp, state }, { noNullPrototype: true }))).map(entries => new Map(entries)),
  folders: fc.array(fc.tuple(fc.oneof(anyPath, fc.constant('')), fc.nat(0o7777))).map(folders => new Map(folders)),
  unknown: fc.array(fc.oneof(anyPath, fc.constant(''))).map(paths => new Set(paths)),
}, { noNullPrototype: true });

describe('what is remembered of a tree', () => {
  it('is read as it was written, whatever the names are', () => {
    fc.assert(fc.property(anyCache, cache => {
      const files = disk();
      writeTreeCache(files, path, cache);
      assert.deepEqual(readTreeCache(files, path), cache);
    }), { numRuns: 300 });
  });

  it('is a text of lines', () => {
    const files = disk();
    writeTreeCache(files, path, sample);
    assert.deepEqual(files.text(path).split('\n').slice(0, 7), [
      '{"turnstone":"tree","format":2,"scannedAt":1764590000123}',
      `"a" c ${hash} 420 1 1:2:3:4`,
      `"d/b c" o ${hash} 493 10 `,
      '"l" l "../some \\"where\\"" 1:2:3:4',
      '"" d 493',
      '"d" d 448',
      '"" u',
    ]);
    assert.deepEqual(files.readDirectory('/store'), ['tree']);
  });

  it('is nothing where nothing is, or a folder, or it can\'t be read', () => {
    const files = disk();
    assert.equal(readTreeCache(files, path), undefined);
    assert.equal(readTreeCache(files, '/store'), undefined);
    assert.equal(readTreeCache(faultyFiles(files, whenever('read', /./, { kind: 'error', code: 'EIO' })), path), undefined);
  });

  it('is nothing where one byte is missing or another one', () => {
    const files = disk();
    writeTreeCache(files, path, sample);
    const whole = files.read(path);
    for (let index = 0; index < whole.length; index += 1) {
      files.put(path, whole.subarray(0, index));
      assert.equal(readTreeCache(files, path), undefined, `cut at ${index}`);
      files.put(path, Buffer.from(whole).fill((whole[index] as number) ^ 1, index, index + 1));
      assert.equal(readTreeCache(files, path), undefined, `another byte at ${index}`);
    }
    files.put(path, Buffer.concat([whole, whole]));
    assert.equal(readTreeCache(files, path), undefined);
  });

  const foreign: readonly (readonly [what: string, body: string | Uint8Array])[] = [
    ['another format', summed('{"turnstone":"tree","format":1,"scannedAt":5}\n')],
    ['something else of ours', summed('{"turnstone":"journal","format":1}\n')],
    ['no header', summed('1\n')],
    ['no JSON', summed('hello\n')],
    ['nothing', ''],
    ['only a sum', summed('')],
    ['other bytes', gzipSync('hello')],
    ['a path that leaves the root', summed(`${header}"../a" c ${hash} 1 1 1:2:3:4\n`)],
    ['an absolute path', summed(`${header}"/a" c ${hash} 1 1 1:2:3:4\n`)],
    ['a path in .git', summed(`${header}"d/.git/config" c ${hash} 1 1 1:2:3:4\n`)],
    ['a root with a content', summed(`${header}"" c ${hash} 1 1 1:2:3:4\n`)],
    ['a kind that is none', summed(`${header}"a" x ${hash} 1 1 1:2:3:4\n`)],
    ['a number that is none', summed(`${header}"a" c ${hash} -1 1 1:2:3:4\n`)],
    ['a folder with a number that is none', summed(`${header}"a" d x\n`)],
    ['a folder without a number', summed(`${header}"a" d \n`)],
    ['a folder that leaves the root', summed(`${header}"../a" d 448\n`)],
    ['a line cut short', summed(`${header}"a" c ${hash} 1\n`)],
    ['a text without an end', summed(`${header}"a\n`)],
  ];
  for (const [what, body] of foreign) {
    it(`is nothing where there is ${what}`, () => {
      const files = disk();
      files.put(path, body);
      assert.equal(readTreeCache(files, path), undefined);
    });
  }

  it('stays as it was when writing fails at any step, and leaves nothing beside it', () => {
    const files = disk();
    writeTreeCache(files, path, sample);
    const before = files.text(path);
    const next = { ...sample, scannedAt: 7 };
    for (const method of ['open', 'write', 'rename']) {
      const full = faultyFiles(files, whenever(method, /tree/, { kind: 'error', code: 'ENOSPC' }));
      assert.throws(() => writeTreeCache(full, path, next), { code: 'ENOSPC' });
      assert.deepEqual([files.text(path), files.readDirectory('/store')], [before, ['tree']], method);
    }
  });

  it('is written over what a killed writer left, which goes when it is old', () => {
    const files = disk();
    files.put('/store/tree.old.tmp', 'x');
    files.put('/store/other.tmp', 'x');
    writeTreeCache(files, path, sample);
    assert.deepEqual(files.readDirectory('/store'), ['other.tmp', 'tree']);
    files.put('/store/tree.young.tmp', 'x');
    writeTreeCache(files, path, { ...sample, scannedAt: 60_000 });
    assert.deepEqual(files.readDirectory('/store'), ['other.tmp', 'tree', 'tree.young.tmp']);
  });
});
