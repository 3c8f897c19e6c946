import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, giveTo, hashOf } from './project.ts';

function latin2(text: string): Buffer {
  // Windows-1250 for the letters that are used here.
  const codes: Readonly<Record<string, number>> = { á: 0xe1, é: 0xe9, ő: 0xf5, ű: 0xfb };
  return Buffer.from([...text].map(letter => codes[letter] ?? letter.charCodeAt(0)));
}

describe('files of every kind', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('N1: what the agent created goes, what the user put beside it stays', () => {
    const project = new Project().install();
    const turn = new PlayedAgent(project).turn('create', [['a/b/c/x.txt', 'x\n']]);
    project.write('a/keep.txt', 'mine\n');
    const { exitCode, json } = project.cli('rewind', turn);
    assert.deepEqual([exitCode, json.counts.deleted, Object.keys(project.tree())], [0, 1, ['a', 'a/keep.txt']]);
  });

  for (const command of ['rewind', 'rollback'] as const) {
    it(`N2: ${command} of a turn that deletes and creates again brings the state before its first touch`, () => {
      const project = new Project({ 'f.txt': 'ORIG\n' }).install();
      const turn = new PlayedAgent(project).turn('again', [['f.txt', null], ['f.txt', 'NEW\n'], ['f.txt', 'NEW2\n']]);
      const extra = command === 'rollback' ? ['--path', 'f.txt'] : [];
      assert.equal(project.cli(command, turn, ...extra).exitCode, 0);
      assert.equal(project.text('f.txt'), 'ORIG\n');
    });
  }

  it('E1: encodings, marks and line ends come back byte for byte', () => {
    const text = 'Név: é ő ű\r\nname\r\n';
    const contents = {
      'form.vb': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
      'legacy.txt': latin2(text),
      'u16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
    };
    const project = new Project(contents).install();
    const before = project.tree();
    const edited = (bytes: Buffer, unit: number): Buffer => Buffer.from(bytes).fill('N'.charCodeAt(0), bytes.length - 6 * unit, bytes.length - 6 * unit + 1);
    const turn = new PlayedAgent(project).turn('edit', Object.entries(contents).map(([path, bytes]) => [path, edited(bytes, path === 'u16.txt' ? 2 : 1)] as const));
    assert.equal(project.cli('rollback', turn).exitCode, 0);
    assert.deepEqual(project.tree(), before);
  });

  it('E3: a binary file that is overwritten and then deleted comes back, and its diff has no hunks', () => {
    const logo = Buffer.concat([Buffer.from([0x00, 0xff, 0xfe, 0x00]), randomBytes(4092)]);
    const project = new Project({ 'logo.png': logo }).install();
    const agent = new PlayedAgent(project);
    const first = agent.turn('overwrite', [['logo.png', randomBytes(4096)]]);
    agent.turn('delete', [['logo.png', null]]);
    const [file] = project.cli('show', first).json.files;
    assert.deepEqual([file.status, file.hunks, file.added], ['modified', [], 0]);
    assert.equal(project.cli('rewind', first).exitCode, 0);
    assert.equal(hashOf(readFileSync(project.path('logo.png'))), hashOf(logo));
  });

  it('F1: permissions come back, and git sees no change of mode', function () {
    if (process.platform === 'win32') this.skip();
    const project = new Project();
    project.write('run.sh', '#!/bin/sh\n', 0o755);
    project.write('key.pem', 'key\n', 0o600);
    project.install();
    git(project, 'init', '-q');
    git(project, 'add', '.');
    git(project, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'start');
    const agent = new PlayedAgent(project);
    const first = agent.turn('edit', [['run.sh', '#!/bin/sh\nexit\n'], ['key.pem', 'other\n']]);
    agent.turn('delete', [['run.sh', null]]);
    assert.equal(project.cli('rewind', first).exitCode, 0);
    assert.deepEqual([project.mode('run.sh'), project.mode('key.pem'), git(project, 'status', '--porcelain')], [0o755, 0o600, '']);
  });

  it('F2: an edit through a link is one entry, the file it points to; the link stays a link', () => {
    const project = new Project({ 'real.txt': 'v0', 'deep/in/target.txt': 't0' });
    symlinkSync('real.txt', project.path('link.txt'));
    mkdirSync(project.path('linked'));
    symlinkSync('../deep/in/target.txt', project.path('linked/up.txt'));
    project.install();
    const before = project.tree();
    const turn = new PlayedAgent(project).turn('edit', [['link.txt', 'v1'], ['linked/up.txt', 't1']]);
    assert.deepEqual(project.turns()[0].files.map((file: { path: string }) => file.path), ['deep/in/target.txt', 'real.txt']);
    assert.equal(project.cli('rollback', turn).exitCode, 0);
    assert.deepEqual(project.tree(), before);
  });

  it('F2: both names of a file show the restored bytes', () => {
    const project = new Project({ 'a.txt': 'v0 of both' });
    linkSync(project.path('a.txt'), project.path('b.txt'));
    project.install();
    const turn = new PlayedAgent(project).turn('edit', [['b.txt', 'v1']]);
    assert.equal(project.cli('rewind', turn).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('b.txt'), statSync(project.path('a.txt')).nlink], ['v0 of both', 'v0 of both', 2]);
  });

  it('F1: a file stays its owner\'s and its group\'s, whoever restores it', function () {
    // Only the superuser can give files to others.
    if (process.getuid?.() !== 0) this.skip();
    const project = new Project({ 'owner.txt': 'v0', 'group.txt': 'v0', 'mine.txt': 'v0' });
    project.write('owner.txt', 'v0', 0o600);
    chownSync(project.path('owner.txt'), 65534, 65534);
    chownSync(project.path('group.txt'), 0, 65534);
    project.install();
    const look = (): readonly unknown[] => ['owner.txt', 'group.txt', 'mine.txt'].map(name => [project.text(name), statSync(project.path(name))] as const).map(([text, { uid, gid, mode }]) => [text, uid, gid, mode]);
    const before = look();
    const turn = new PlayedAgent(project).turn('edit', [['owner.txt', 'v1'], ['group.txt', 'v1'], ['mine.txt', 'v1']]);
    const edited = look();
    for (const [command, expected] of [[['rewind', turn], before], [['undo'], edited], [['redo'], before]] as const) {
      assert.equal(project.cli(...command).exitCode, 0);
      assert.deepEqual(look(), expected, command[0]);
    }
  });

  it('F1: a file of another owner that the group may write is restored by one of the group', function () {
    // Only the superuser can give files to others.
    if (process.getuid?.() !== 0) this.skip();
    const project = new Project();
    project.write('a.txt', 'v0', 0o664);
    project.install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'v1']]);
    giveTo(65534, dirname(project.folder));
    chownSync(project.path('a.txt'), 0, 65534);
    assert.equal(project.run(['--json', 'rewind', turn], { user: 65534 }).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), statSync(project.path('a.txt')).uid, project.mode('a.txt')], ['v0', 0, 0o664]);
  });

  it('F6: of a thousand files exactly the three that differ are written, and none the second time', () => {
    const project = new Project(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f/${index}.txt`, `${index}\n`]))).install();
    const turn = new PlayedAgent(project).turn('edit', [['f/1.txt', 'x\n'], ['f/500.txt', 'x\n'], ['f/999.txt', 'x\n']]);
    const stamps = (): readonly string[] => Array.from({ length: 1000 }, (_, index) => statSync(project.path(`f/${index}.txt`), { bigint: true })).map(stat => `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}`);
    const written = (before: readonly string[]): readonly number[] => stamps().flatMap((stamp, index) => (stamp === before[index] ? [] : [index]));
    const first = stamps();
    assert.equal(project.cli('rewind', turn).exitCode, 0);
    assert.deepEqual(written(first), [1, 500, 999]);
    const second = stamps();
    const again = project.cli('rewind', turn);
    assert.deepEqual([again.exitCode, again.json.counts.unchanged, written(second)], [0, 3, []]);
  });

  it('names of every kind come back', () => {
    const names = ['with space.txt', '😀.txt', '文件.txt', 'файл.txt', '.hidden', `${'n'.repeat(200)}.txt`, `${'é'.repeat(120)}.txt`, "quote'\".txt", 'new\nline.txt', `${'m'.repeat(255)}`];
    const project = new Project(Object.fromEntries(names.map(name => [name, 'v0']))).install();
    const before = project.tree();
    const turn = new PlayedAgent(project).turn('edit', names.map(name => [name, 'v1'] as const));
    assert.equal(project.cli('rewind', turn).exitCode, 0);
    assert.deepEqual(project.tree(), before);
    assert.ok(names.every(name => existsSync(project.path(name))));
  });

  it('links in a circle crash nothing', () => {
    const project = new Project();
    symlinkSync('q', project.path('p'));
    symlinkSync('p', project.path('q'));
    project.install();
    const agent = new PlayedAgent(project);
    agent.prompt('write to a circle');
    const tool = agent.tool('p', 'x');
    agent.send('PreToolUse', tool);
    agent.send('PostToolUseFailure', tool);
    agent.stop();
    // Everything else of the turn is recorded, and the hook had nothing to complain of.
    assert.deepEqual([project.turns()[0].state, existsSync(join(project.storage, 'logs'))], ['closed', false]);
  });
});

function git(project: Project, ...parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', parameters, { cwd: project.folder, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: project.home } });
  assert.equal(status, 0, stderr);
  return stdout;
}
