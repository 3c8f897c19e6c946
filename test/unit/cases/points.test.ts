import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { derivedId } from '../../../src/core/base/ids.ts';
import { buildCliOnce } from './builtCli.ts';
import { recordsIn } from './journalFile.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';
import { WrappedAgent } from './wrappedAgent.ts';

type Tree = ReturnType<Project['tree']>;

/** Goes to a place, and expects exactly one tree there. */
function expectAt(project: Project, tree: Tree | undefined, ...command: string[]): void {
  const { exitCode, output } = project.cli(...command);
  assert.equal(exitCode, 0, `${command.join(' ')}: ${output}`);
  assert.deepEqual(project.tree(), tree, command.join(' '));
}

describe('points to go back to', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('a prompt, a stop, a step and a checkpoint that come twice count once, with their first words and at their first place', async () => {
    const project = new Project({ 'a.txt': '0\n' });
    const agent = await WrappedAgent.in(project);
    await agent.prompt('work');
    await agent.change({ 'a.txt': '1\n' });
    const step = await agent.step('first words');
    await agent.change({ 'a.txt': '2\n' });
    await agent.step('second words', step);
    await agent.checkpoint('k-twice', 'first label');
    await agent.change({ 'a.txt': '3\n' });
    await agent.checkpoint('k-twice', 'second label');
    await agent.close();
    assert.deepEqual([project.cli('show', step).json.label, project.cli('show', 'k-twice').json.label], ['first words', 'first label']);
    project.cli('rewind', 'k-twice');
    assert.equal(project.text('a.txt'), '2\n');
    project.cli('rewind', step);
    assert.equal(project.text('a.txt'), '1\n');
  });

  it('a prompt and a stop that a hook reports twice are one turn, with the first text', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('the first text');
    agent.change('a.txt', '1\n');
    agent.send('UserPromptSubmit', { prompt: 'another text' });
    for (let times = 0; times < 2; times += 1) agent.stop();
    const turns = project.turns();
    assert.deepEqual(turns.map(({ prompt, state }) => [prompt, state]), [['the first text', 'closed']]);
    assert.equal(recordsIn(project.storeDirectory).filter(({ type }) => type === 'turn.close').length, 1);
  });

  it('the steps of one turn, gone to in any order, hold exactly what they held', async () => {
    const project = new Project({ 'edited.txt': '0\n', 'touched.txt': '0\n' });
    const agent = await WrappedAgent.in(project);
    const start = await agent.prompt('several steps');
    const trees = new Map([[start, project.tree()]]);
    const works: readonly Parameters<WrappedAgent['change']>[0][] = [{ 'edited.txt': '1\n', 'created.txt': 'c1\n' }, { 'edited.txt': '2\n', 'created.txt': 'c2\n' }, { 'edited.txt': '3\n', 'created.txt': null }, { 'touched.txt': '4\n' }];
    for (const work of works) {
      await agent.change(work);
      trees.set(await agent.step(`after ${Object.keys(work).join()}`), project.tree());
    }
    // What comes after the last step has no point of its own.
    await agent.change({ 'edited.txt': '5\n', 'folder/last.txt': 'last\n' });
    const tip = project.tree();
    const [, first, second, deleted, last] = [...trees.keys()];
    const order = [second, start, deleted, first, last].filter(point => point !== undefined);
    for (const point of order) expectAt(project, trees.get(point), 'rewind', point);
    // Every one of them can be taken back, back to the work that no point follows, and done again.
    const back = order.map(point => trees.get(point)).slice(0, -1).reverse();
    for (const tree of [...back, tip]) expectAt(project, tree, 'undo');
    for (const point of order) expectAt(project, trees.get(point), 'redo');
  });

  it('a moved file is edited at its new path; going back brings the old path and takes the new one away, whatever kind of file it is', async () => {
    const project = new Project({ 'old/text.txt': 'text\n', 'old/logo.png': randomBytes(300), 'taken/over.txt': 'taken\n', 'old/linked.txt': 'linked\n' });
    project.write('old/run.sh', '#!/bin/sh\n', 0o755);
    const agent = await WrappedAgent.in(project);
    const start = project.tree();
    const turn = await agent.prompt('edit and move');
    await agent.change({ 'old/text.txt': 'edited\n' });
    const edited = project.tree();
    const names = [['old/text.txt', 'new/deep/文件 😀.txt'], ['old/logo.png', 'new/logo.png'], ['old/run.sh', 'new/run'], ['old/linked.txt', 'new/linked.txt'], ['taken/over.txt', 'old/text.txt']] as const;
    const move = await agent.call(names.flat(), () => {
      mkdirSync(project.path('new/deep'), { recursive: true });
      for (const [from, to] of names) renameSync(project.path(from), project.path(to));
      symlinkSync('../new/linked.txt', project.path('old/linked.txt'));
    });
    await agent.close();
    const moved = project.tree();
    assert.equal(project.text('new/deep/文件 😀.txt'), 'edited\n');
    expectAt(project, edited, 'rewind', move);
    expectAt(project, start, 'rewind', turn);
    expectAt(project, edited, 'undo');
    expectAt(project, moved, 'undo');
    expectAt(project, start, 'rollback', turn);
  });

  it('a turn starts from what the user left, not from what the turn before left', async () => {
    const names = ['edited.txt', 'deleted.txt', 'tool.sh', 'again.txt'];
    const project = new Project(Object.fromEntries(names.map(name => [name, '0\n'])));
    const all = (text: string): Readonly<Record<string, string>> => Object.fromEntries([...names, 'made.txt'].map(name => [name, text]));
    const agent = await WrappedAgent.in(project);
    const first = await agent.turn('first', all('1\n'));
    project.write('edited.txt', '1\nmine\n');
    project.write('again.txt', '0\n');
    for (const name of ['deleted.txt', 'made.txt']) project.write(name, null);
    chmodSync(project.path('tool.sh'), 0o755);
    const left = project.tree();
    const second = await agent.turn('second', all('2\n'));
    expectAt(project, left, 'rewind', second);
    // None of it is the first turn's: where it would be lost nothing is written, and the files that nobody but the user changed are left.
    const { exitCode, json } = project.cli('rewind', first);
    const actions = Object.fromEntries(json.plan.map(({ path, action }: { path: string; action: string }) => [path, action]));
    assert.deepEqual([exitCode, actions], [3, { 'again.txt': 'unchanged', 'deleted.txt': 'conflict', 'edited.txt': 'conflict', 'made.txt': 'unchanged', 'tool.sh': 'restore' }]);
    assert.deepEqual(project.tree(), left);
  });

  it('the first look at a file in a turn is what comes back, however often it is looked at and reported again', () => {
    const project = new Project({ 'a.txt': 'first\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('edit twice');
    const tool = agent.tool('a.txt', 'second\n');
    agent.send('PreToolUse', tool);
    agent.apply('a.txt', 'second\n');
    // The same beginning is heard of again when the tool has written already.
    agent.send('PreToolUse', tool);
    agent.send('PostToolUse', tool);
    agent.change('a.txt', 'third\n');
    agent.stop();
    const turn = derivedId('turn', 'claude-code', 'session-1', 'session-1-prompt-1');
    assert.deepEqual(project.cli('diff', turn).json.files[0].hunks[0].lines, ['-first', '+third']);
    assert.equal(project.cli('rewind', turn).exitCode, 0);
    assert.equal(project.text('a.txt'), 'first\n');
  });

  it('each turn goes back to the first look at or after it of every path; what was created later is deleted', async () => {
    const project = new Project(Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`old/${index}.txt`, 'v0\n'])));
    const agent = await WrappedAgent.in(project);
    const trees: Tree[] = [];
    const turns: string[] = [];
    // Every turn changes other files than its neighbours: a path's first look after a turn is often many turns later.
    for (let turn = 0; turn < 8; turn += 1) {
      trees.push(project.tree());
      const old = `old/${(turn * 5) % 6}.txt`;
      const fresh = `new/${turn % 3}/${turn >> 1}.txt`;
      const gone = turn % 4 === 3 ? { [`old/${(turn * 5 + 3) % 6}.txt`]: project.text(`old/${(turn * 5 + 3) % 6}.txt`) === undefined ? 'back\n' : null } : {};
      turns.push(await agent.turn(`turn ${turn}`, { [old]: `v${turn}\n` }, { [fresh]: `n${turn}\n`, ...gone }, { [old]: `v${turn} again\n` }));
    }
    for (const turn of [7, 5, 4, 1, 6, 0, 3, 2]) expectAt(project, trees[turn], 'rewind', turns[turn] as string);
  });
});
