import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { faultIn } from './faultIn.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

/** An agent that works in one folder and also changes files of another known one. */
function workedInTwo(): { readonly project: Project; readonly library: string; readonly trees: () => unknown } {
  const project = new Project({ 'app.txt': 'app 0\n', '../library/lib.txt': 'lib 0\n' }).install();
  const library = join(project.folder, '../library');
  assert.equal(project.cli('--root', library, 'checkpoint').exitCode, 0);
  const agent = new PlayedAgent(project);
  for (const [prompt, changes] of [['first', { 'app.txt': 'app 1\n' }], ['both', { 'app.txt': 'app 2\n', '../library/lib.txt': 'lib 2\n', '../library/new/made.txt': 'made\n' }], ['library only', { '../library/lib.txt': 'lib 3\n' }]] as const) {
    agent.prompt(prompt);
    for (const [path, text] of Object.entries(changes)) agent.change(path, text);
    agent.stop();
  }
  return { project, library, trees: () => [project.tree(), project.tree(library)] };
}

describe('a session that works in two recorded folders', () => {
  before(buildCliOnce);

  it('is rewound in both by one operation, which is undone and redone in both', () => {
    const { project, library, trees } = workedInTwo();
    const [, both] = project.turns();
    const before = trees();
    const dry = project.cli('rewind', both.id, '--dry-run');
    assert.deepEqual(dry.json.plan.map((item: any) => [item.root, item.path, item.action]), [
      [project.folder, 'app.txt', 'restore'],
      [library, 'lib.txt', 'restore'],
      [library, 'new/made.txt', 'delete'],
    ]);
    assert.deepEqual(trees(), before);
    const done = project.cli('rewind', both.id);
    assert.deepEqual([done.exitCode, done.json.counts.restored, done.json.counts.deleted], [0, 2, 1], done.output);
    assert.deepEqual([project.text('app.txt'), project.text('../library/lib.txt'), project.text('../library/new/made.txt')], ['app 1\n', 'lib 0\n', undefined]);
    const rewound = trees();
    // From whichever folder it is asked for.
    assert.equal(project.cli('--root', library, 'undo').exitCode, 0);
    assert.deepEqual(trees(), before);
    assert.equal(project.cli('redo').exitCode, 0);
    assert.deepEqual(trees(), rewound);
    assert.equal(project.cli('undo', done.json.id).exitCode, 0);
    assert.deepEqual(trees(), before);
  });

  it('is rewound in both with the whole workspace and to a checkpoint too, and a folder that can\'t be read is named', () => {
    const { project, library, trees } = workedInTwo();
    const whole = trees();
    const done = project.cli('rewind', project.turns()[1].id, '--reach', 'workspace');
    assert.deepEqual([done.exitCode, done.json.counts.restored, done.json.counts.deleted], [0, 2, 1], done.output);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(trees(), whole);
    const { id } = project.cli('checkpoint').json;
    const agent = new PlayedAgent(project, 'session-2');
    agent.prompt('more');
    for (const path of ['app.txt', '../library/lib.txt']) agent.change(path, 'more\n');
    agent.stop();
    const back = project.cli('rewind', id);
    assert.deepEqual([back.exitCode, trees()], [0, whole], back.output);
    assert.equal(project.cli('undo').exitCode, 0);
    project.write(`../store/roots/${rootOf(project, library)}/root.json`, 'rubbish');
    const half = project.run(['rewind', id]);
    assert.equal(half.exitCode, 1);
    assert.match(half.output, /history of .*library can't be read/);
  });

  it('is a branch in both, and switching there brings both back', () => {
    const { project, trees } = workedInTwo();
    const [, both] = project.turns();
    const before = trees();
    project.cli('rewind', both.id);
    const left = project.cli('branches').json.branches.find((branch: any) => !branch.current);
    assert.deepEqual([left.name, left.turns.length], ['both', 2]);
    assert.equal(project.cli('switch', left.id).exitCode, 0);
    assert.deepEqual(trees(), before);
  });

  it('is left as it is in both where one file of one holds the user\'s own work', () => {
    const { project, trees } = workedInTwo();
    project.write('../library/lib.txt', 'mine\n');
    const before = trees();
    const refused = project.cli('rewind', project.turns()[1].id);
    assert.deepEqual([refused.exitCode, refused.json.counts.conflict, trees()], [3, 1, before]);
  });

  it('says which folder it could not look into', () => {
    const { project, library } = workedInTwo();
    project.write(`../store/roots/${rootOf(project, library)}/root.json`, 'rubbish');
    const done = project.run(['rewind', project.turns()[1].id]);
    assert.equal(done.exitCode, 1);
    assert.match(done.output, /history of .*library can't be read/);
    assert.deepEqual([project.text('app.txt'), project.text('../library/lib.txt')], ['app 1\n', 'lib 3\n']);
  });

  it('says with --json, too, what could not be looked into', () => {
    const { project, library } = workedInTwo();
    project.write(`../store/roots/${rootOf(project, library)}/root.json`, 'rubbish');
    for (const more of [['--dry-run'], []]) {
      const { exitCode, json } = project.cli('rewind', project.turns()[1].id, ...more);
      assert.deepEqual([exitCode, json.warnings], [1, [`The history of ${library} can't be read. What was done there is left as it is.`]], more.join());
    }
  });

  it('killed in the second folder is finished by the next restore in the first, which says so; a dry run says that it will be', () => {
    const { project, library, trees } = workedInTwo();
    const whole = trees();
    const [first, both] = project.turns();
    const isHalf = (): boolean => readdirSync(library).some(name => name.endsWith('.tmp'));
    for (let nth = 1; !isHalf(); nth += 1) {
      assert.equal(project.cli('undo').exitCode, nth === 1 ? 4 : 0);
      assert.deepEqual(trees(), whole);
      const killed = project.run(['rewind', both.id], { environment: faultIn({ call: 'renameSync', nth, then: 'die' }) });
      assert.equal(killed.exitCode, null, `rename ${nth}: ${killed.output}`);
    }
    assert.equal(project.text('app.txt'), 'app 1\n');
    const half = trees();
    const dry = project.cli('rollback', first.id, '--dry-run');
    assert.deepEqual([dry.exitCode, dry.json.warnings, trees()], [0, ['A restore that was cut short is finished first. What that does is not in this plan.'], half]);
    const wrong = project.cli('redo');
    assert.equal(wrong.exitCode, 4);
    assert.match(wrong.json.error.message, /^A restore that was cut short \(o-\w+\) was finished first: 2 files were written\. After that: There is nothing to redo\. /);
    assert.deepEqual([project.text('../library/lib.txt'), project.text('../library/new/made.txt'), isHalf()], ['lib 0\n', undefined, false]);
    const after = project.cli('rollback', first.id);
    assert.deepEqual([after.exitCode, after.json.warnings, project.text('app.txt')], [0, [], 'app 0\n']);
  });

  it('a folder that is known but was not worked in costs nothing and is not named', () => {
    const { project } = workedInTwo();
    mkdirSync(join(project.folder, '../third'));
    project.cli('--root', join(project.folder, '../third'), 'checkpoint');
    const { json } = project.cli('rewind', project.turns()[0].id, '--dry-run');
    assert.equal(json.plan.some((item: any) => item.root.endsWith('third')), false);
  });
});

function rootOf(project: Project, folder: string): string {
  const known = JSON.parse(project.text('../store/roots.json') as string).roots.find((root: any) => root.path === folder);
  return known.key;
}
