import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { globalExcludesFile, readGitConfig } from '../../../../src/core/snapshot/gitConfig.ts';
import { ignoreRules, type IgnoreOptions } from '../../../../src/core/snapshot/ignoreRules.ts';
import { scanTree } from '../../../../src/core/snapshot/scanTree.ts';
import { scratchDirectory } from '../../../support/scratch.ts';
import { faultyFiles, whenever, type FaultPlan } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { GitGround, hasGit, put } from './gitTree.ts';

function diskOf(tree: Readonly<Record<string, string>>): MemoryFiles {
  const files = new MemoryFiles();
  for (const [path, text] of Object.entries(tree)) files.put(path, text);
  return files;
}

/** What of a root is covered, and what is said not to be; ignore files are left away. */
function look(disk: MemoryFiles, root: string, options: IgnoreOptions = {}, plan?: FaultPlan): readonly string[] {
  const files = faultyFiles(disk, plan);
  const { cache, uncovered } = scanTree(files, root, {
    cache: undefined, rules: ignoreRules(options), maxFileSize: 100, now: () => 0, budget: 1, leavesOut: () => false, keep: () => true, home: '/home/me',
  });
  return [...[...cache.entries.keys()].filter(path => !path.endsWith('.gitignore')), ...uncovered.map(({ path, reason }) => `(${path}: ${reason})`)];
}

describe('ignore rules', () => {
  it('of a folder count below it, the inner ones more, and nothing comes back below a folder that is ignored', () => {
    const disk = diskOf({ '/r/.gitignore': '*.log\nout/\n', '/r/a.log': '', '/r/d/.gitignore': '!a.log\n', '/r/d/a.log': '', '/r/d/b.log': '', '/r/out/.gitignore': '!x\n', '/r/out/x': '' });
    assert.deepEqual(look(disk, '/r'), ['d/a.log']);
  });

  it('of an inner folder bring back a folder with all that is in it', () => {
    const disk = diskOf({ '/r/.gitignore': 'out/\n', '/r/d/.gitignore': '!out/\n', '/r/d/out/deep/x': '', '/r/out/y': '' });
    assert.deepEqual(look(disk, '/r'), ['d/out/deep/x']);
  });

  it('of the repository and of the user count less than those of folders', () => {
    const disk = diskOf({ '/r/.git/HEAD': '', '/r/.git/info/exclude': 'a\n!b\n', '/user': 'b\nc\n', '/r/.gitignore': '!a\n', '/r/a': '', '/r/b': '', '/r/c': '', '/r/d/c': '' });
    assert.deepEqual(look(disk, '/r', { globalExcludes: '/user' }), ['a', 'b']);
  });

  it('of the user count also where there is no repository', () => {
    assert.deepEqual(look(diskOf({ '/user': 'c\n', '/r/a': '', '/r/d/c': '' }), '/r', { globalExcludes: '/user' }), ['a']);
  });

  it('of the settings hide what no ignore file brings back, in repositories inside too', () => {
    const disk = diskOf({ '/r/.gitignore': '!*.key\n', '/r/a.key': '', '/r/sub/.git/HEAD': '', '/r/sub/a.key': '', '/r/sub/b': '', '/r/keys/c': '', '/r/sub/keys/d': '' });
    assert.deepEqual(look(disk, '/r', { exclude: ['*.key', '/keys/'] }), ['sub/b', 'sub/keys/d']);
  });

  it('of a repository inside another are its own', () => {
    const disk = diskOf({
      '/r/.git/HEAD': '', '/r/.gitignore': '*.log\n', '/r/.git/info/exclude': 'x\n', '/r/sub/.git/HEAD': '', '/r/sub/.git/info/exclude': '/y\n', '/r/sub/a.log': '', '/r/sub/x': '', '/r/sub/y': '', '/r/sub/d/y': '', '/r/b.log': '', '/r/x': '',
      '/r/none/.git/config': '', '/r/none/c.log': '',
    });
    assert.deepEqual(look(disk, '/r'), ['sub/a.log', 'sub/d/y', 'sub/x']);
  });

  it('of a work tree elsewhere are those of its main repository', () => {
    const disk = diskOf({ '/main/.git/HEAD': '', '/main/.git/info/exclude': 'x\n', '/main/.git/worktrees/w/HEAD': '', '/main/.git/worktrees/w/commondir': '../..\n', '/w/.git': 'gitdir: /main/.git/worktrees/w\n', '/w/x': '', '/w/a': '' });
    assert.deepEqual(look(disk, '/w'), ['a']);
  });

  it('of a submodule are in its own folder', () => {
    const disk = diskOf({ '/r/.git/HEAD': '', '/r/.git/modules/s/HEAD': '', '/r/.git/modules/s/info/exclude': 'x\n', '/r/s/.git': 'gitdir: ../.git/modules/s\n', '/r/s/x': '', '/r/s/a': '', '/r/x': '' });
    assert.deepEqual(look(disk, '/r'), ['s/a', 'x']);
  });

  it('above the root count as far as the repository goes', () => {
    const disk = diskOf({ '/.gitignore': 'a\n', '/r/.git/HEAD': '', '/r/.gitignore': '/p/q/x\n*.log\n', '/r/.git/info/exclude': '/p/q/d/\n', '/r/p/.gitignore': '!b.log\n/q/y\n', '/r/p/q/x': '', '/r/p/q/y': '', '/r/p/q/d/z': '', '/r/p/q/e/x': '', '/r/p/q/a': '', '/r/p/q/a.log': '', '/r/p/q/b.log': '' });
    assert.deepEqual(look(disk, '/r/p/q'), ['a', 'b.log', 'e/x']);
  });

  it('that hide the root itself are not for it', () => {
    const disk = diskOf({ '/r/.git/HEAD': '', '/r/.gitignore': 'scratch/\n*.log\n', '/r/scratch/p/a': '', '/r/scratch/p/b.log': '' });
    assert.deepEqual(look(disk, '/r/scratch/p'), ['a', 'b.log']);
  });

  it('take no account of case where the repository says so', () => {
    const disk = diskOf({ '/r/.git/HEAD': '', '/r/.git/config': '[core]\n\tignoreCase = true\n', '/r/.gitignore': '*.LOG\n', '/r/a.log': '', '/s/.gitignore': '*.LOG\n', '/s/a.log': '' });
    assert.deepEqual([look(disk, '/r'), look(disk, '/s')], [[], ['a.log']]);
  });

  it('that can\'t be known uncover what they could speak of, and say so', () => {
    const tree = { '/r/.git/HEAD': '', '/r/.git/info/exclude': 'x\n', '/user': 'y\n', '/r/d/.gitignore': 'z\n', '/r/d/a': '', '/r/b': '', '/r/s/.git': 'gitdir: /nowhere', '/r/s/c': '' };
    const cases: readonly (readonly [method: string, path: RegExp, said: readonly string[]])[] = [
      ['read', /^\/r\/d\/\.gitignore$/, ['b', 's/c', "(d: its .gitignore can't be read (EACCES))"]],
      ['stat', /^\/r\/d\/\.gitignore$/, ['b', 's/c', "(d: its .gitignore can't be read (EACCES))"]],
      ['read', /exclude$/, ["(: .git/info/exclude can't be read (EACCES))"]],
      ['read', /^\/user$/, ["(: /user can't be read (EACCES))"]],
      ['read', /^\/r\/s\/\.git$/, ['b', 'd/a', "(s: .git can't be read (EACCES))"]],
    ];
    for (const [method, path, said] of cases) {
      assert.deepEqual(look(diskOf(tree), '/r', { globalExcludes: '/user' }, whenever(method, path, { kind: 'error', code: 'EACCES' })), said);
    }
    const odd = diskOf({ '/r/d/a': '', '/r/b': '' });
    odd.folder('/r/d/.gitignore');
    assert.deepEqual(look(odd, '/r'), ['b', '(d: its .gitignore is no regular file)']);
  });
});

describe('where the user\'s own ignore file is', () => {
  const at = (tree: Readonly<Record<string, string>>, configHome?: string): string | undefined => globalExcludesFile(diskOf({ '/home/me/x': '', ...tree }), { home: '/home/me', configHome });
  it('is told by the settings, else it is where it usually is', () => {
    assert.equal(at({}), '/home/me/.config/git/ignore');
    assert.equal(at({}, '/xdg'), '/xdg/git/ignore');
    assert.equal(at({ '/xdg/git/config': '[core]\nexcludesFile = /x\n' }, '/xdg'), '/x');
    assert.equal(at({ '/xdg/git/config': '[core]\nexcludesFile = /x\n', '/home/me/.gitconfig': '[Core]\n  excludesfile = "~/my ignore" ; mine\n' }, '/xdg'), '/home/me/my ignore');
    assert.equal(at({ '/home/me/.gitconfig': '[include]\n path = more\n', '/home/me/more': '[core]\n excludesFile=~/z\n' }), '/home/me/z');
    assert.equal(at({ '/home/me/.gitconfig': '[core]\nexcludesFile =\n' }), undefined);
    assert.equal(at({ '/home/me/.gitconfig': '[include]\n path = .gitconfig\n' }), '/home/me/.config/git/ignore');
  });

  it('is read as git reads settings', () => {
    const text = '\ufeff# c\n[a "S \\" b"] x = 1\n[core] ; c\n\tflag\n\tlong = a\\\nb # c\n\tquoted = " a ; b " c\\t\\n\n[other]\nflag = no\n';
    const settings = readGitConfig(diskOf({ '/c': text }), '/c', '/home/me');
    assert.deepEqual([...settings], [['a.S \\" b.x', '1'], ['core.flag', 'true'], ['core.long', 'ab'], ['core.quoted', ' a ; b  c\t\n'], ['other.flag', 'no']]);
  });
});

describe('ignore rules of real repositories, beside git', function () {
  this.timeout(60_000);

  before(function () {
    if (hasGit()) return;
    console.error('Skipped, because there is no git on this machine to compare with.');
    this.skip();
  });

  it('are the same in a work tree elsewhere, in a repository inside, and with the user\'s settings', () => {
    const scratch = scratchDirectory('ignore');
    const ground = new GitGround(join(scratch, 'home'));
    const main = join(scratch, 'main');
    mkdirSync(main);
    ground.git(main, 'init', '-q');
    ground.git(main, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
    ground.git(main, 'worktree', 'add', '-q', join(scratch, 'tree'));
    put(main, '.git/info/exclude', 'x\n');
    put(ground.home, '.gitconfig', '[core]\n\texcludesFile = ~/mine\n');
    put(ground.home, 'mine', '*.swp\n');
    const inner = join(main, 'inner');
    mkdirSync(inner);
    ground.git(inner, 'init', '-q');
    for (const folder of [main, inner, join(scratch, 'tree')]) for (const path of ['x', 'y', 'a.swp', 'd/x', 'd/z']) put(folder, path);
    assert.deepEqual(ground.covered(join(scratch, 'tree')), ground.listed(join(scratch, 'tree')));
    assert.deepEqual(ground.covered(inner), ground.listed(inner));
    assert.deepEqual(ground.covered(main), [...ground.listed(main), ...ground.listed(inner).map(path => `inner/${path}`)].toSorted());
    assert.deepEqual([ground.covered(inner).includes('x'), ground.covered(main).includes('x')], [true, false]);
    rmSync(scratch, { recursive: true, force: true });
  });

  it('of a prefix with two stars right after it are as odd as git\'s', () => {
    const scratch = scratchDirectory('ignore');
    const ground = new GitGround(join(scratch, 'home'));
    ground.git(scratch, 'init', '-q', 'r');
    const root = join(scratch, 'r');
    put(root, '.gitignore', 'a**/b\n/c/d**/*.e\nf/**\n!f/g**\n');
    for (const path of ['ab', 'a/b', 'axy/b', 'ax/y/z/b', 'x/ab', 'a/c', 'c/d.e', 'c/dx/y.e', 'c/x.e', 'f/g', 'f/gh/i', 'f/h']) put(root, path);
    assert.deepEqual(ground.covered(root), ground.listed(root));
  });
});
