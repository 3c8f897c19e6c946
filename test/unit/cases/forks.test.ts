import assert from 'node:assert/strict';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { buildCliOnce } from './builtCli.ts';
import { recordsIn } from './journalFile.ts';
import { Project } from './project.ts';
import { WrappedAgent } from './wrappedAgent.ts';

type Tree = ReturnType<Project['tree']>;

function current(project: Project): string {
  return project.cli('branches').json.branches.find((branch: { current: boolean }) => branch.current).id;
}

function goTo(project: Project, tree: Tree, ...words: string[]): any {
  const { exitCode, json, output } = project.cli(...words);
  assert.equal(exitCode, 0, `${words.join(' ')}: ${output}`);
  assert.deepEqual(project.tree(), tree, words.join(' '));
  return json;
}

describe('lines of work', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('two forks of one point do not affect each other, whatever is done on each and however often one goes over', async () => {
    const project = new Project({ 'both.txt': 'start\n', 'gone.txt': 'here\n' });
    project.write('tool.sh', '#!/bin/sh\n', 0o755);
    const agent = await WrappedAgent.in(project);
    await agent.turn('common', { 'both.txt': 'common\n' });
    const common = project.tree();
    const point = await agent.turn('original', { 'both.txt': 'original\n', '原文.txt': 'o\n' });
    const lines = new Map([[current(project), project.tree()]]);
    // Both change the same file, each deletes, creates, links and sets permissions in its own way.
    const works: readonly (() => Promise<unknown>)[] = [
      async () => {
        await agent.turn('left', { 'both.txt': 'left\n', 'gone.txt': null }, { '😀 dir/left.bin': randomBytes(500) });
        await agent.turn('left again', { 'both.txt': 'left again\n' });
      },
      async () => {
        await agent.prompt('right');
        await agent.call(['tool.sh', 'gone.txt'], () => {
          chmodSync(project.path('tool.sh'), 0o700);
          rmSync(project.path('gone.txt'));
          symlinkSync('both.txt', project.path('gone.txt'));
        });
        await agent.change({ 'both.txt': 'right\n', '原文.txt': 'right\n' });
        await agent.close();
      },
    ];
    for (const work of works) {
      goTo(project, common, 'fork', point);
      await work();
      lines.set(current(project), project.tree());
    }
    assert.equal(lines.size, 3);
    const [original, left, right] = [...lines.keys()] as [string, string, string];
    for (const line of [left, right, original, left]) {
      goTo(project, lines.get(line) as Tree, 'switch', line);
      assert.equal(current(project), line);
    }
    // Going on with one of them changes that one only.
    await agent.turn('left once more', { 'both.txt': 'left once more\n' });
    lines.set(left, project.tree());
    for (const line of [right, left, original]) goTo(project, lines.get(line) as Tree, 'switch', line);
    assert.deepEqual(new Set(project.cli('branches').json.branches.map(({ id }: { id: string }) => id)), new Set(lines.keys()));
  });

  it('going to where one stands is no record and no write: the tip, a checkpoint, a step, a redo that is not there', async () => {
    const project = new Project({ 'a.txt': '0\n' });
    const agent = await WrappedAgent.in(project);
    const turn = await agent.prompt('work');
    await agent.change({ 'a.txt': '1\n' });
    const step = await agent.step('done');
    await agent.close();
    const { id } = project.cli('checkpoint').json;
    const before = [project.tree(), recordsIn(project.storeDirectory).length];
    for (const words of [['switch', current(project)], ['rewind', id], ['rewind', step], ['rewind', step, '--reach', 'workspace']]) {
      const { exitCode, json } = project.cli(...words);
      assert.deepEqual([exitCode, json.id], [0, null], words.join(' '));
    }
    assert.equal(project.cli('redo').exitCode, 4);
    assert.deepEqual([project.tree(), recordsIn(project.storeDirectory).length], before);
    // At the other end, too.
    assert.equal(project.cli('rewind', turn).json.counts.restored, 1);
    const again = project.cli('rewind', turn);
    assert.deepEqual([again.exitCode, again.json.id, again.json.counts.unchanged], [0, null, 1]);
  });

  it('a fork takes its own session along, and leaves the others where they are', async () => {
    const project = new Project({ 'one.txt': '0\n', 'two.txt': '0\n' });
    const [one, two] = [await WrappedAgent.in(project), await WrappedAgent.in(project, 'two')];
    const first = await one.turn('of one', { 'one.txt': '1\n' });
    await two.turn('of two', { 'two.txt': '2\n' });
    const before = project.tree();
    project.cli('fork', first);
    assert.deepEqual([project.text('one.txt'), project.text('two.txt')], ['0\n', '2\n']);
    await two.turn('of two again', { 'two.txt': '3\n' });
    const [, left] = project.cli('branches').json.branches;
    assert.equal(project.cli('switch', left.id).exitCode, 0);
    // Two's later work was never on that line, and is nobody's to take.
    assert.deepEqual([project.text('one.txt'), project.text('two.txt')], ['1\n', '3\n']);
    assert.equal(project.tree()['one.txt'], before['one.txt']);
  });

  it('the whole workspace goes back as one cut over all sessions; what the user changed goes only when that is decided, and his own files stay', async () => {
    const project = new Project({ 'one.txt': '0\n', 'two.txt': '0\n', 'user.txt': '0\n' });
    const [one, two] = [await WrappedAgent.in(project), await WrappedAgent.in(project, 'two')];
    await two.turn('before', { 'two.txt': '1\n' });
    await one.turn('before too', { 'user.txt': '1\n' });
    const cut = project.tree();
    const target = await one.turn('from here', { 'one.txt': '1\n', 'made.txt': 'made\n' });
    await two.turn('of another session', { 'two.txt': '2\n', 'one.txt': '2\n' });
    project.write('user.txt', '1\nmine\n');
    project.write('mine.txt', 'mine\n');
    const tip = project.tree();
    const alone = project.cli('rewind', target, '--dry-run');
    assert.deepEqual([alone.exitCode, alone.json.plan.map(({ path }: { path: string }) => path)], [3, ['made.txt', 'one.txt']]);
    const stopped = project.cli('rewind', target, '--reach', 'workspace');
    const conflicts = stopped.json.plan.filter(({ action }: { action: string }) => action === 'conflict').map(({ path, reason }: { path: string; reason: string }) => [path, reason]);
    assert.deepEqual([stopped.exitCode, conflicts, project.tree()], [3, [['user.txt', 'it was changed outside the recorded calls']], tip]);
    goTo(project, { ...cut, 'mine.txt': tip['mine.txt'] as string }, 'rewind', target, '--reach', 'workspace', '--on-conflict', 'overwrite');
    assert.deepEqual(project.turns().map(({ prompt }) => prompt), ['before', 'before too']);
    goTo(project, tip, 'undo');
  });
});
