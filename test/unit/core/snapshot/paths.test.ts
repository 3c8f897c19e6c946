import assert from 'node:assert/strict';
import { canonicalPath, liveTarget, locate, missingParents, unsoundPath } from '../../../../src/core/snapshot/paths.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

function tree(): MemoryFiles {
  const files = new MemoryFiles();
  files.put('/root/d/file.txt', 'x');
  files.put('/outside/secret.txt', 's');
  files.symbolicLink('/outside', '/root/way');
  files.symbolicLink('d', '/root/inner');
  files.symbolicLink('/outside/new.txt', '/root/dangling');
  files.symbolicLink('q', '/root/p');
  files.symbolicLink('p', '/root/q');
  return files;
}

describe('recorded paths', () => {
  const unsound = ['', '/', '/etc/passwd', '..', '../x', 'a/../b', 'a/../../b', './a', 'a/./b', 'a//b', 'a/', 'C:\\x', 'C:/x', 'a\0b', '.git', '.git/config', 'a/.git/hooks/x', '.GIT/x', '.Git', 'git~1/x', '.git./x', '.git /x'];
  for (const path of unsound) it(`refuse ${JSON.stringify(path)}`, () => assert.notEqual(unsoundPath(path), undefined));

  const sound = ['a', 'a/b', '.gitignore', '.github/x', 'git', '..a', 'a..b/c', '...', 'with space', 'ü/漢', 'a\\b'];
  for (const path of sound) it(`take ${JSON.stringify(path)}`, () => assert.equal(unsoundPath(path), undefined));
});

describe('a path that a tool names', () => {
  const places = {
    '/root/d/file.txt': 'd/file.txt',
    '/root/inner/file.txt': 'd/file.txt',
    '/root/new/deep.txt': 'new/deep.txt',
    '/root/d/../d/file.txt': 'd/file.txt',
    '/root': undefined,
    '/outside/secret.txt': undefined,
    '/root/way/secret.txt': undefined,
    '/root/dangling': undefined,
    '/root/p': undefined,
    '/rooted/x': undefined,
    '/root/.git/config': undefined,
    '/root/d/file.txt/below': 'd/file.txt/below',
  };
  for (const [named, expected] of Object.entries(places)) {
    it(`${named} is ${expected ?? 'not recorded'}`, () => {
      const located = locate(tree(), '/root', named);
      assert.equal(located.kind === 'inside' ? located.path : undefined, expected);
    });
  }

  it('that can\'t be followed is not recorded, with the reason', () => {
    const files = faultyFiles(tree(), whenever('realPath', /./, { kind: 'error', code: 'EACCES' }));
    assert.deepEqual(locate(files, '/root', '/root/d/file.txt'), { kind: 'outside', reason: "it can't be followed (EACCES)" });
  });

  it('follows links as far as they go', () => {
    assert.equal(canonicalPath(tree(), '/root/dangling'), '/outside/new.txt');
    assert.equal(canonicalPath(tree(), '/root/way/a/b'), '/outside/a/b');
    assert.throws(() => canonicalPath(tree(), '/root/p'));
  });
});

describe('a path that is about to be written', () => {
  it('is refused where a folder on its way is a link, a file or unreadable, or where it is unsound', () => {
    const files = tree();
    const kinds = ['way/secret.txt', 'inner/file.txt', 'd/file.txt/x', '../outside/secret.txt', 'd/file.txt', 'new/x'].map(path => liveTarget(files, '/root', path).kind);
    assert.deepEqual(kinds, ['refused', 'refused', 'refused', 'refused', 'target', 'target']);
    const unreadable = faultyFiles(files, whenever('stat', /./, { kind: 'error', code: 'EIO' }));
    assert.equal(liveTarget(unreadable, '/root', 'd/file.txt').kind, 'refused');
  });

  it('knows which folders above it are missing, outermost first', () => {
    assert.deepEqual(missingParents(tree(), '/root', 'd/e/f/x.txt'), ['d/e', 'd/e/f']);
    assert.deepEqual(missingParents(tree(), '/root', 'd/file.txt/x'), ['d/file.txt'], 'a file is no folder yet');
  });
});
