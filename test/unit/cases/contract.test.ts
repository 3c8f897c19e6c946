import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { currentProcess } from '../../../src/core/base/processes.ts';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, giveTo } from './project.ts';
import { diffShape, errorShape, logShape, restoreShape, showTurnShape } from './shapes.ts';

const edits = [['a.txt', '1\nagent\n'], ['new/b.txt', 'b\n']] as const;

function edited(): { readonly project: Project; readonly turn: string } {
  const project = new Project({ 'a.txt': '1\n2\n', 'c.txt': 'c\n' }).install();
  return { project, turn: new PlayedAgent(project).turn('edit', [...edits, ['c.txt', null]]) };
}

describe('the command line\'s promises', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('documents have exactly the promised shapes', () => {
    const { project, turn } = edited();
    z.parse(logShape, project.cli('log').json);
    const shown = z.parse(showTurnShape, project.cli('show', turn).json);
    assert.deepEqual(shown.files.map(({ path, status, added, removed }) => ({ path, status, added, removed })), [
      { path: 'a.txt', status: 'modified', added: 1, removed: 1 },
      { path: 'c.txt', status: 'deleted', added: 0, removed: 1 },
      { path: 'new/b.txt', status: 'added', added: 1, removed: 0 },
    ]);
    z.parse(diffShape, project.cli('diff', turn).json);
    z.parse(errorShape, project.cli('show', 't-zzz').json);
    for (const command of [['rewind', turn, '--dry-run'], ['rewind', turn], ['undo'], ['redo'], ['rollback', turn]]) z.parse(restoreShape, project.cli(...command).json);
  });

  it('counts say what was done', () => {
    const { project, turn } = edited();
    const none = { restored: 0, created: 0, deleted: 0, merged: 0, unchanged: 0, conflict: 0, skipped: 0, failed: 0 };
    assert.deepEqual(project.cli('rewind', turn).json.counts, { ...none, restored: 1, created: 1, deleted: 1 });
    assert.deepEqual(project.cli('rewind', turn).json.counts, { ...none, unchanged: 3 });
    assert.deepEqual(project.cli('undo').json.counts, { ...none, restored: 1, created: 1, deleted: 1 });
  });

  it('a dry run exits as the real run does, tells the same plan, and writes nothing', () => {
    const { project, turn } = edited();
    project.write('../store/editors/1.json', JSON.stringify({ owner: { ...currentProcess(nodeFiles), pid: 2 ** 22 + 1 }, unsaved: [] }));
    const steps: readonly (readonly string[])[] = [
      ['rewind', turn],
      ['undo'],
      ['redo'],
      ['undo'],
      ['rollback', turn, '--path', 'a.txt'],
      ['rewind', 't-zzz'],
    ];
    const compare = (step: readonly string[]): void => {
      const before = [project.tree(), project.tree(project.storage)];
      const dry = project.cli(...step, '--dry-run');
      assert.deepEqual([project.tree(), project.tree(project.storage)], before, step.join(' '));
      const real = project.cli(...step);
      const actions = (answer: typeof dry): unknown => answer.json.plan?.map((item: { path: string; action: string }) => [item.path, item.action]);
      assert.deepEqual([dry.exitCode, actions(dry)], [real.exitCode, actions(real)], step.join(' '));
    };
    for (const step of steps) compare(step);
    project.write('a.txt', 'mine\n');
    for (const decision of ['stop', 'skip', 'merge', 'overwrite']) compare(['rewind', turn, '--on-conflict', decision]);
  });

  it('a dry run exits as the real run does where that could not begin, and writes nothing', function () {
    if (process.platform === 'win32') this.skip();
    const { project, turn } = edited();
    const user = process.getuid?.() === 0 ? 65534 : undefined;
    if (user !== undefined) giveTo(user, dirname(project.folder));
    const compare = (code: string): void => {
      const before = [project.tree(), project.tree(project.storage)];
      for (const more of [['--dry-run'], []]) {
        const { exitCode, json } = project.run(['--json', 'rewind', turn, ...more], user === undefined ? {} : { user });
        assert.deepEqual([exitCode, json.error?.code], [5, code], `${code} ${more.join()}`);
        assert.deepEqual([project.tree(), project.tree(project.storage)], before);
      }
    };
    const lock = join(project.storeDirectory, 'restore');
    writeFileSync(lock, JSON.stringify({ ...currentProcess(nodeFiles), token: 'alive' }));
    chmodSync(lock, 0o644);
    compare('busy');
    rmSync(lock);
    chmodSync(project.storeDirectory, 0o555);
    compare('readOnly');
    chmodSync(project.storeDirectory, 0o755);
  });

  it('the order of on-conflict: stop writes nothing at all, an unmergeable merge neither', () => {
    const { project, turn } = edited();
    project.write('a.txt', 'all mine\n');
    const before = project.tree();
    for (const decision of ['stop', 'merge']) {
      assert.equal(project.cli('rewind', turn, '--on-conflict', decision).exitCode, 3, decision);
      assert.deepEqual(project.tree(), before, decision);
    }
  });

  it('usage errors exit 2 and touch nothing', () => {
    const { project, turn } = edited();
    const before = [project.tree(), project.tree(project.storage)];
    const wrong: readonly (readonly string[])[] = [
      ['rewind'],
      ['rewind', turn, turn],
      ['rewind', turn, '--on-conflict', 'maybe'],
      ['rewind', turn, '--path', 'a.txt'],
      ['rewind', turn, '--unknown'],
      ['undo', '--path', 'a.txt'],
      ['rollback', turn, '--scope', 'code'],
      ['log', '--dry-run'],
      ['nonsense'],
      ['show'],
      ['show', 'hook', 'hook'],
      ['hooks', 'install', 'nobody'],
    ];
    for (const parameters of wrong) {
      const { exitCode, json } = project.cli(...parameters);
      assert.deepEqual([exitCode, json?.error?.code], [2, 'usage'], parameters.join(' '));
    }
    assert.deepEqual([project.tree(), project.tree(project.storage)], before);
  });

  it('words and options are checked before anything is looked up: a wrong one is told as such where nothing is known, found or readable', () => {
    const unknown = new Project();
    const damaged = edited().project;
    damaged.write('../store/roots.json', 'rubbish');
    const wrong: readonly (readonly string[])[] = [
      ['log', 'x'],
      ['log', '--path', 'a'],
      ['show'],
      ['show', 'NOPE', '--all'],
      ['diff'],
      ['diff', 'a', 'b', 'c'],
      ['branches', 'x'],
      ['rewind'],
      ['rewind', 'NOPE', '--reach', 'foo'],
      ['rewind', 'NOPE', '--scope', 'conversation'],
      ['rewind', 'NOPE', '--on-conflict', 'foo'],
      ['rollback', 'NOPE', '--hunk', 'x'],
      ['rollback', 'NOPE', 'NOPE'],
      ['undo', 'NOPE', 'NOPE'],
      ['redo', '--all'],
      ['fork'],
      ['fork', 'NOPE', '--reach', 'foo'],
      ['switch'],
      ['checkpoint', 'label'],
      ['hooks', 'install', 'claude-code', '--scope', 'foo'],
      ['hooks', 'dance', 'claude-code'],
      ['hooks', 'status'],
      ['constructor'],
      ['log', '--path'],
      [],
    ];
    for (const project of [unknown, damaged]) {
      for (const parameters of wrong) {
        const { exitCode, json } = project.cli(...parameters);
        assert.deepEqual([exitCode, Object.keys(json), json.error?.code], [2, ['error'], 'usage'], parameters.join(' '));
      }
    }
    assert.deepEqual(Object.keys(unknown.cli('--help').json), ['help']);
  });

  it('values and words that begin with a dash can be given, and who gives one wrongly is told how', () => {
    const project = new Project({ '-dash': 'old\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['-dash', 'new\n']]);
    assert.deepEqual(project.cli('diff', turn, '--path=-dash').json.files.map((file: { path: string }) => file.path), ['-dash']);
    assert.equal(project.cli('rollback', '--path=-dash', '--', turn).exitCode, 0);
    assert.equal(project.text('-dash'), 'old\n');
    assert.deepEqual([project.cli('show', '--', '-dash').json.error.code, project.cli('show', '-dash').json.error.code], ['notFound', 'usage']);
    const { exitCode, json } = project.cli('diff', turn, '--path', '-dash');
    assert.equal(exitCode, 2);
    assert.match(json.error.message, /--path=-/);
  });

  it('an id is any unique beginning; an ambiguous one exits 2, an unknown one 4', () => {
    const { project, turn } = edited();
    new PlayedAgent(project, 'session-2').turn('more', [['a.txt', 'x\n']]);
    assert.equal(project.cli('show', 't-').exitCode, 2);
    assert.equal(project.cli('show', turn.slice(0, 12)).json.id, turn);
    assert.equal(project.cli('show', 'hook').exitCode, 4);
    assert.equal(project.cli('rewind', 'hook').exitCode, 4);
  });

  it('people get words, on standard output, and errors on standard error', () => {
    const { project, turn } = edited();
    assert.match(project.run(['rewind', turn]).output, /1 restored, 1 re-created, 1 deleted\. Undo it with: turnstone undo\./);
    assert.match(project.run(['log', '--all']).output, /edit \(rewound\)/);
    assert.match(project.run(['--help']).output, /rewind <turn\|call\|step\|checkpoint>/);
    assert.equal(project.run([]).exitCode, 2);
  });

  it('people\'s terminals get nothing but text, whatever prompts, names and contents hold; documents get all of it', function () {
    if (process.platform === 'win32') this.skip();
    const names = ['\u001b[31mred', 'a\u202etxt.exe', 'x\n t-aaaaaaaaaaaaaaaa  forged'];
    const project = new Project().install();
    const turn = new PlayedAgent(project).turn('\u001b]0;title\u0007 of it', names.map(name => [name, 'one\r\n\u001b[2J\n'] as const));
    const operation = project.cli('rewind', turn).json.id;
    project.cli('undo');
    project.write(names[0] as string, 'mine');
    const looks = [['log', '--all'], ['show', turn], ['diff', turn], ['show', operation], ['rewind', turn, '--dry-run'], ['show', '\u001b[2J'], ['\u001b[2J'], ['hooks', 'status', 'claude-code']];
    for (const look of looks) {
      const { output } = project.run(look);
      assert.doesNotMatch(output.replaceAll('\r\n', '\n').replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u, JSON.stringify(look));
      assert.doesNotMatch(output, /^ t-a/mu, JSON.stringify(look));
    }
    assert.deepEqual(project.turns()[0].files.map((file: { path: string }) => file.path), [...names].sort());
  });

  it('the root is the known one that holds the working directory, or the one that is named', () => {
    const { project, turn } = edited();
    assert.equal(project.run(['--json', 'show', turn], { directory: project.path('new') }).json.id, turn);
    assert.equal(project.run(['--json', '--root', project.folder, 'show', turn], { directory: project.home }).json.id, turn);
    assert.equal(project.run(['--json', 'show', turn], { directory: project.home }).exitCode, 4);
  });
});
