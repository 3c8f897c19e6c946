import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFiles } from '../../../../src/core/base/files.ts';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { ignoreRules } from '../../../../src/core/snapshot/ignoreRules.ts';
import { isTooWide, movesIn, scanTree, type ScanOptions, type TreeChange, type TreeScan } from '../../../../src/core/snapshot/scanTree.ts';
import type { State } from '../../../../src/core/snapshot/state.ts';
import type { TreeCache } from '../../../../src/core/snapshot/treeCache.ts';
import { scratchDirectory } from '../../../support/scratch.ts';
import { faultyFiles, whenever, type FaultPlan } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { SteppingFiles } from './scanModel.ts';

const later = 1_000_000;

/** A root in memory, and what its looks keep and read. */
class Ground {
  readonly disk = new MemoryFiles();
  readonly kept: string[] = [];
  reads: string[] = [];
  cache: TreeCache | undefined;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.disk.folder('/r');
    for (const [path, text] of Object.entries(files)) this.disk.put(`/r/${path}`, text);
  }

  look(options: Partial<ScanOptions> = {}, faults?: FaultPlan): TreeScan {
    this.reads = [];
    const files = faultyFiles(this.disk, operation => {
      if (operation.method === 'read' || operation.method === 'readAt') this.reads.push(String(operation.path).slice('/r/'.length));
      return faults?.(operation);
    });
    const scan = scanTree(files, '/r', {
      cache: this.cache,
      rules: ignoreRules({}),
      maxFileSize: 100,
      now: () => later,
      budget: 60_000,
      leavesOut: () => false,
      keep: (_, bytes) => this.kept.push(Buffer.from(bytes).toString()) > 0,
      home: '/home/me',
      ...options,
    });
    this.cache = scan.cache;
    return scan;
  }
}

function content(text: string, mode = 0o644): State {
  return { kind: 'content', hash: sha256(Buffer.from(text)), mode, size: text.length };
}

function told({ changes }: TreeScan): readonly string[] {
  return changes.map(({ path, before, after }) => `${path}: ${before.kind} -> ${after.kind}`);
}

function toldFolders({ folders }: TreeScan): readonly string[] {
  return folders.map(({ path, before, after }) => `${path}: ${before?.toString(8) ?? '-'} -> ${after?.toString(8) ?? '-'}`);
}

function places({ uncovered }: TreeScan): readonly string[] {
  return uncovered.map(({ path, reason }) => `${path}: ${reason}`);
}

describe('a look at the covered tree', () => {
  it('knows no changes the first time, keeps all contents and says that it is the first', () => {
    const ground = new Ground({ a: 'one', 'd/e/b': 'two' });
    ground.disk.symbolicLink('nowhere', '/r/l');
    const scan = ground.look();
    assert.deepEqual([...scan.cache.entries].map(([path, { state }]) => [path, state]), [['a', content('one')], ['d/e/b', content('two')], ['l', { kind: 'link', target: 'nowhere' }]]);
    assert.deepEqual([scan.changes, scan.uncovered, scan.isComplete, scan.isFirst, ground.kept], [[], [], true, true, ['one', 'two']]);
  });

  it('reads nothing again that has not changed', () => {
    const ground = new Ground({ a: 'one', 'd/b': 'two' });
    ground.look();
    const scan = ground.look();
    assert.deepEqual([scan.changes, scan.isFirst, ground.reads], [[], false, []]);
  });

  it('tells what was made, changed, removed, and what only has other permissions', () => {
    const ground = new Ground({ a: 'one', b: 'two', c: 'three', d: 'four' });
    ground.look();
    ground.disk.put('/r/a', 'ONE');
    ground.disk.remove('/r/b');
    ground.disk.setMode('/r/c', 0o755);
    ground.disk.put('/r/new/e', 'five');
    const scan = ground.look();
    assert.deepEqual(scan.changes, [
      { path: 'a', before: content('one'), after: content('ONE') },
      { path: 'c', before: content('three'), after: content('three', 0o755) },
      { path: 'new/e', before: { kind: 'absent' }, after: content('five') },
      { path: 'b', before: content('two'), after: { kind: 'absent' } },
    ]);
    assert.deepEqual([ground.kept.slice(4), ground.reads], [['ONE', 'five'], ['a', 'c', 'new/e']]);
  });

  it('tells a file that became a folder, a link, and the other way round', () => {
    const ground = new Ground({ a: 'one', 'b/c': 'two' });
    ground.look();
    ground.disk.remove('/r/a');
    ground.disk.put('/r/a/x', 'three');
    ground.disk.remove('/r/b/c');
    ground.disk.removeDirectory('/r/b');
    ground.disk.symbolicLink('a', '/r/b');
    assert.deepEqual(told(ground.look()).toSorted(), ['a/x: absent -> content', 'a: content -> absent', 'b/c: content -> absent', 'b: absent -> link']);
  });

  it('tells the folders that came, went, and have other permissions, empty ones too', () => {
    const ground = new Ground({ 'd/a': 'one', 'gone/in/b': 'two' });
    ground.disk.folder('/r/empty');
    const first = ground.look();
    assert.deepEqual([first.folders, [...first.cache.folders]], [[], [['d', 0o755], ['empty', 0o755], ['gone/in', 0o755], ['gone', 0o755], ['', 0o755]]]);
    ground.disk.put('/r/empty/x', 'three');
    ground.disk.folder('/r/new/in');
    ground.disk.setMode('/r/d', 0o700);
    ground.disk.setMode('/r', 0o750);
    ground.disk.remove('/r/gone/in/b');
    for (const path of ['/r/gone/in', '/r/gone']) ground.disk.removeDirectory(path);
    assert.deepEqual(toldFolders(ground.look()), ['d: 755 -> 700', 'new/in: - -> 755', 'new: - -> 755', ': 755 -> 750', 'gone/in: 755 -> -', 'gone: 755 -> -']);
    assert.deepEqual(ground.look().folders, []);
  });

  it('calls no folder new or gone that was, or is, not covered', () => {
    const ground = new Ground({ '.gitignore': 'd/\n', 'd/a': 'one', 'e/f/b': 'two' });
    ground.look();
    ground.disk.put('/r/.gitignore', 'e/\n');
    const scan = ground.look();
    assert.deepEqual([scan.folders, [...scan.cache.folders.keys()]], [[], ['d', '']]);
    const hidden = ground.look({}, whenever('readDirectory', /^\/r\/d$/, { kind: 'error', code: 'EACCES' }));
    assert.deepEqual([hidden.folders, [...hidden.cache.folders.keys()]], [[], ['d', '']]);
    ground.disk.folder('/r/d/in');
    assert.deepEqual(toldFolders(ground.look()), []);
  });

  it('still tells what became of the folders that are ignored from now on', () => {
    const ground = new Ground({ 'd/a': 'one', 'd/gone/b': 'two', 'd/closed/c': 'three' });
    ground.look();
    ground.disk.put('/r/.gitignore', 'd/\n');
    ground.disk.setMode('/r/d/closed', 0o700);
    ground.disk.remove('/r/d/gone/b');
    ground.disk.removeDirectory('/r/d/gone');
    const scan = ground.look();
    assert.deepEqual([toldFolders(scan), [...scan.cache.folders.keys()]], [['d/closed: 755 -> 700', 'd/gone: 755 -> -'], ['']]);
    assert.deepEqual(ground.look().folders, []);
  });

  it('tells of a folder that a file, or a link, has replaced that it went, and of one in the place of a file that it came', () => {
    const ground = new Ground({ a: 'one', 'b/c': 'two' });
    ground.look();
    ground.disk.remove('/r/a');
    ground.disk.folder('/r/a');
    ground.disk.remove('/r/b/c');
    ground.disk.removeDirectory('/r/b');
    ground.disk.put('/r/b', 'three');
    assert.deepEqual(toldFolders(ground.look()), ['a: - -> 755', 'b: 755 -> -']);
  });

  it('does not take a file for deleted that is ignored now, and not for new when it is no more', () => {
    const ground = new Ground({ 'd/a.log': 'one', 'd/b': 'two' });
    ground.look();
    ground.disk.put('/r/.gitignore', '*.log\n');
    const ignored = ground.look();
    assert.deepEqual([told(ignored), [...ignored.cache.entries.keys()], ignored.uncovered], [['.gitignore: absent -> content'], ['.gitignore', 'd/b'], []]);
    ground.disk.put('/r/.gitignore', '');
    const back = ground.look();
    assert.deepEqual(told(back), ['.gitignore: content -> content']);
    assert.deepEqual(places(back), ['d/a.log: it was not covered at the last look, so what it was then is not known']);
    assert.deepEqual([told(ground.look()), back.cache.entries.has('d/a.log')], [[], true]);
  });

  it('says of a folder that was not covered once that all in it is not known, and of nothing in it that it is new', () => {
    const ground = new Ground({ '.gitignore': 'd/\n', 'd/a': 'one', 'd/e/b': 'two' });
    ground.look();
    ground.disk.put('/r/.gitignore', '');
    const scan = ground.look();
    assert.deepEqual([told(scan), scan.uncovered.map(({ path }) => path)], [['.gitignore: content -> content'], ['d']]);
  });

  it('does not take for deleted what can\'t be read, and says it', () => {
    for (const [method, place, gone] of [['stat', 'd/a', ['d/a']], ['readDirectory', 'd', ['d/a', 'd/b']], ['read', 'd/a', ['d/a']]] as const) {
      const ground = new Ground({ 'd/a': 'one', 'd/b': 'two', c: 'three' });
      ground.look();
      ground.disk.put('/r/d/a', 'ONE');
      const scan = ground.look({}, whenever(method, new RegExp(`^/r/${place}$`), { kind: 'error', code: 'EACCES' }));
      assert.deepEqual([scan.changes, places(scan)], [[], [`${place}: it can't be read (EACCES)`]], method);
      assert.deepEqual(['c', 'd/a', 'd/b'].filter(path => !scan.cache.entries.has(path)), gone);
      // What was not seen for a while may have changed before it was seen again.
      assert.deepEqual(told(ground.look()), []);
    }
  });

  it('covers nothing below a folder whose .gitignore can\'t be understood', () => {
    const ground = new Ground({ 'd/a': 'one', 'd/e/b': 'two', c: 'three' });
    ground.look();
    ground.disk.symbolicLink('../c', '/r/d/.gitignore');
    const scan = ground.look();
    assert.deepEqual([scan.changes, places(scan), [...scan.cache.entries.keys()]], [[], ['d: its .gitignore is no regular file'], ['c']]);
  });

  it('tells a root that is not there, and does not take all in it for deleted', () => {
    const ground = new Ground({ a: 'one' });
    ground.look();
    ground.disk.rename('/r', '/elsewhere');
    const scan = ground.look();
    assert.deepEqual([scan.changes, places(scan), scan.isComplete], [[], [': the folder is not there'], false]);
    const other = new Ground({ a: 'one' });
    other.look();
    const going = other.look({}, whenever('readDirectory', /^\/r$/, { kind: 'error', code: 'ENOENT' }));
    assert.deepEqual([going.changes, places(going), going.isComplete], [[], [': the folder is not there'], false]);
  });

  it('leaves out .git, and what it is told to leave out', () => {
    const ground = new Ground({ '.git/config': 'x', 'd/.git': 'gitdir: y', 'd/a': 'one', 'other/b': 'two' });
    const scan = ground.look({ leavesOut: path => path === '/r/other' });
    assert.deepEqual([[...scan.cache.entries.keys()], scan.uncovered], [['d/a'], []]);
  });

  it('lists a file over the limit, tells by its hash that it changed, and reads it only then', () => {
    const ground = new Ground({ a: 'x'.repeat(101) });
    assert.deepEqual(places(ground.look()), ['a: its content is not kept: 101 bytes, and the limit for a file is 100']);
    assert.deepEqual([places(ground.look()).length, ground.reads], [1, []]);
    ground.disk.put('/r/a', 'y'.repeat(101));
    assert.deepEqual([told(ground.look()), ground.kept], [['a: oversize -> oversize'], []]);
    assert.deepEqual([told(ground.look({ maxFileSize: 200 })), ground.kept.length, ground.cache?.entries.get('a')?.state.kind], [[], 1, 'content']);
  });

  it('knows a content that was not taken by its hash, lists it, and offers it again until one is refused', () => {
    const ground = new Ground({ a: 'one', b: 'two', c: 'three' });
    const full = ground.look({ keep: () => false });
    assert.deepEqual([full.uncovered.map(({ path }) => path), full.changes], [['a', 'b', 'c'], []]);
    ground.look({ keep: () => false });
    assert.deepEqual(ground.reads, ['a']);
    const scan = ground.look();
    assert.deepEqual([scan.uncovered, scan.changes, ground.kept], [[], [], ['one', 'two', 'three']]);
  });

  it('passes on that a content could not be stored', () => {
    const ground = new Ground({ a: 'one' });
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    assert.throws(() => ground.look({ keep: () => { throw full; } }), full);
  });

  it('reads a file again that is being written, and once more the next time if it never was still', () => {
    const ground = new Ground({ a: 'one' });
    let writes = 0;
    const writer: FaultPlan = ({ method, path }) => {
      if (method === 'stat' && path === '/r/a') ground.disk.put('/r/a', `text ${writes += 1}`);
      return undefined;
    };
    ground.look({}, writer);
    assert.deepEqual([ground.reads, ground.cache?.entries.get('a')?.stamp], [['a', 'a', 'a'], '']);
    ground.look();
    assert.deepEqual(ground.reads, ['a']);
  });

  it('takes names that differ only in case or in how a letter is composed for different ones', () => {
    const ground = new Ground({ a: '1', A: '2', '\u00e9': '3', 'e\u0301': '4' });
    ground.look();
    ground.disk.remove('/r/\u00e9');
    assert.deepEqual(told(ground.look()), ['\u00e9: content -> absent']);
  });
});

describe('a look that takes too long', () => {
  const slow = (step: number): (() => number) => {
    let time = later;
    return () => (time += step);
  };

  it('keeps what it knew of what it did not see, and says how much that is', () => {
    const ground = new Ground({ a: 'one', 'b/c': 'two', 'b/d': 'three', e: 'four' });
    ground.look();
    for (const path of ['a', 'b/d', 'e']) ground.disk.put(`/r/${path}`, 'changed');
    const scan = ground.look({ now: slow(10), budget: 25 });
    assert.deepEqual([told(scan), scan.isComplete], [['a: content -> content'], false]);
    assert.deepEqual(places(scan), [': the look took longer than 25 ms: 3 files and folders were not looked at, in which 3 files are known from before']);
    assert.deepEqual([...scan.cache.entries.keys()].toSorted(), ['a', 'b/c', 'b/d', 'e']);
    assert.deepEqual(told(ground.look()), ['b/d: content -> content', 'e: content -> content']);
  });

  it('keeps the folders that it did not see', () => {
    const ground = new Ground({ a: 'one', 'b/c/d': 'two' });
    ground.look();
    ground.disk.setMode('/r/b', 0o700);
    const scan = ground.look({ now: slow(10), budget: 15 });
    assert.deepEqual([scan.folders, [...scan.cache.folders.keys()].toSorted()], [[], ['', 'b', 'b/c']]);
    assert.deepEqual(toldFolders(ground.look()), ['b: 755 -> 700']);
  });

  it('does not call new what the first look did not come to, but what was made in a place that an earlier look knew', () => {
    const first = new Ground({ a: 'one', 'b/c': 'two', e: 'four' });
    first.look({ now: slow(10), budget: 15 });
    const next = first.look();
    assert.deepEqual([told(next), next.uncovered.map(({ path }) => path)], [[], ['b', 'e']]);
    first.disk.put('/r/b/new', 'x');
    first.look({ now: slow(10), budget: 15 });
    assert.deepEqual(told(first.look()), ['b/new: absent -> content']);
  });
});

describe('a file that changes within one step of the disk\'s time', () => {
  const options = (disk: SteppingFiles, cache: TreeCache | undefined, budget = 60_000): ScanOptions => ({
    cache, rules: ignoreRules({}), maxFileSize: 100, now: () => disk.now(), budget, leavesOut: () => false, keep: () => true, home: '/nobody',
  });

  it('is read once more, and then no more', () => {
    const disk = new SteppingFiles(new MemoryFiles());
    disk.put('a', 'one');
    const first = scanTree(disk.files, disk.root, options(disk, undefined));
    disk.put('a', 'two');
    assert.equal(disk.files.stat('/r/a')?.stamp, first.cache.entries.get('a')?.stamp);
    disk.later();
    const second = scanTree(disk.files, disk.root, options(disk, first.cache));
    assert.deepEqual(told(second), ['a: content -> content']);
    const counting = faultyFiles(disk.files);
    assert.deepEqual(scanTree(counting, disk.root, options(disk, second.cache)).changes, []);
    assert.deepEqual(counting.operations.filter(({ method }) => method === 'read'), []);
  });

  it('is read once more also where a look in between did not come to it', () => {
    const disk = new SteppingFiles(new MemoryFiles());
    disk.put('a', 'one');
    const first = scanTree(disk.files, disk.root, options(disk, undefined));
    disk.put('a', 'two');
    disk.later();
    const hasty = scanTree(disk.files, disk.root, options(disk, first.cache, -1));
    assert.deepEqual([hasty.changes, hasty.isComplete], [[], false]);
    disk.later();
    assert.deepEqual(told(scanTree(disk.files, disk.root, options(disk, hasty.cache))), ['a: content -> content']);
  });
});

describe('on a real disk', () => {
  it('pipes are not covered, and names that are no text are said', function () {
    if (process.platform !== 'linux') this.skip();
    const root = scratchDirectory('scan');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]), 'x');
    symlinkSync(Buffer.from([0x61, 0xff]), join(root, 'link'));
    if (spawnSync('mkfifo', [join(root, 'pipe')]).status !== 0) this.skip();
    const scan = scanTree(nodeFiles, root, { cache: undefined, rules: ignoreRules({}), maxFileSize: 100, now: () => 0, budget: 1, leavesOut: () => false, keep: () => true, home: '/nobody' });
    assert.deepEqual(places(scan), ['bad\ufffd: its name is not valid UTF-8', 'link: what it points to is not valid UTF-8', 'pipe: it is neither a file, a folder nor a link']);
    assert.deepEqual([...scan.cache.entries.keys()], []);
  });
});

describe('what is never looked through', () => {
  const cases: readonly (readonly [root: string, home: string, tooWide: boolean])[] = [
    ['/', '/home/me', true],
    ['/home', '/home/me', true],
    ['/home/me', '/home/me', true],
    ['/home/me/', '/home/me', true],
    ['/home/me/project', '/home/me', false],
    ['/home/m', '/home/me', false],
    ['/work', '/root', false],
    ['C:\\', 'C:\\Users\\me', true],
    ['d:\\', 'C:\\Users\\me', true],
    ['c:\\users\\ME', 'C:\\Users\\me', true],
    ['C:\\Users', 'C:\\Users\\me', true],
    ['C:\\Users\\me\\project', 'C:\\Users\\me', false],
    ['\\\\server\\share\\', 'C:\\Users\\me', true],
    ['\\\\server\\share\\project', 'C:\\Users\\me', false],
  ];
  for (const [root, home, tooWide] of cases) it(`${root} for ${home}: ${tooWide}`, () => assert.equal(isTooWide(root, home), tooWide));

  it('is said, and what was known stays', () => {
    const ground = new Ground({ a: 'one' });
    const known = ground.look().cache;
    const scan = ground.look({ home: '/r/me' });
    assert.deepEqual([scan.cache, scan.uncovered.map(({ path }) => path), scan.changes, scan.isComplete, ground.reads], [known, [''], [], false, []]);
  });
});

describe('moves', () => {
  const gone = (path: string, text: string): TreeChange => ({ path, before: content(text), after: { kind: 'absent' } });
  const made = (path: string, text: string): TreeChange => ({ path, before: { kind: 'absent' }, after: content(text) });

  it('are a path that is gone and a new one with the same content', () => {
    assert.deepEqual(movesIn([gone('a', '1'), made('d/b', '1'), gone('c', '2'), made('e', '3')]), [{ from: 'a', to: 'd/b' }]);
  });

  it('are told by the name where several have that content, and not at all where that does not help', () => {
    assert.deepEqual(movesIn([gone('a', ''), gone('b', ''), made('d/b', ''), made('d/c', '')]), [{ from: 'b', to: 'd/b' }]);
    assert.deepEqual(movesIn([gone('a/x', ''), gone('b/x', ''), made('c/x', ''), made('d/x', '')]), []);
  });

  it('are no copies and no changes', () => assert.deepEqual(movesIn([made('b', '1'), { path: 'a', before: content('1'), after: content('2') }]), []));
});
