import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { buildCliOnce } from './builtCli.ts';
import { rewriteJournal } from './journalFile.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';
import { WrappedAgent, type Changes } from './wrappedAgent.ts';

interface Travelled {
  readonly project: Project;
  readonly agent: WrappedAgent;
  readonly turns: readonly string[];
  /** The trees before each turn, and after the last one. */
  readonly trees: readonly ReturnType<Project['tree']>[];
}

/** Four turns over three files, one of them created and one deleted. */
async function travelled(): Promise<Travelled> {
  const project = new Project({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' });
  const agent = await WrappedAgent.in(project);
  const steps: readonly Changes[] = [{ 'a.txt': 'a1\n', 'c/new.txt': 'c1\n' }, { 'a.txt': 'a2\n' }, { 'b.txt': null }, { 'c/new.txt': 'c4\n', 'a.txt': 'a4\n' }];
  const trees = [project.tree()];
  const turns: string[] = [];
  for (const changes of steps) {
    turns.push(await agent.turn(`turn ${turns.length + 1}`, changes));
    trees.push(project.tree());
  }
  return { project, agent, turns, trees };
}

describe('X1: going back and forth', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('to the first turn and back again gives the same tree, and the restore is in the history', async () => {
    const { project, turns, trees } = await travelled();
    const rewound = project.cli('rewind', turns[0] as string);
    assert.deepEqual(project.tree(), trees[0]);
    assert.equal(project.cli('show', rewound.json.id).json.operation, 'rewind');
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[4]);
  });

  it('undoing what is undone already does nothing, and is not recorded', async () => {
    const { project, turns, trees } = await travelled();
    const rewound = project.cli('rewind', turns[1] as string);
    assert.equal(project.cli('undo').exitCode, 0);
    const again = project.cli('undo', rewound.json.id);
    assert.deepEqual([again.exitCode, again.json.id], [0, null]);
    assert.deepEqual(project.tree(), trees[4]);
    assert.equal(project.cli('redo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[1]);
  });

  it('redo of a named restore redoes its undo, and never undoes', async () => {
    const { project, turns, trees } = await travelled();
    const rewound = project.cli('rewind', turns[1] as string).json.id;
    const refused = (): void => {
      const before = project.tree(project.storage);
      const { exitCode, json } = project.cli('redo', rewound);
      assert.deepEqual([exitCode, json.error.code], [4, 'notFound']);
      assert.match(json.error.message, /is in force; there is nothing to redo/);
      assert.deepEqual([project.tree(), project.tree(project.storage)], [trees[1], before]);
    };
    refused();
    const undone = project.cli('undo').json.id;
    assert.equal(project.cli('redo', rewound).exitCode, 0);
    refused();
    const again = project.cli('redo', undone);
    assert.deepEqual([again.exitCode, again.json.id], [0, null]);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[4]);
  });

  it('step by step, every step can be undone and redone', async () => {
    const { project, turns, trees } = await travelled();
    const [first, second, , fourth] = turns as readonly [string, string, string, string];
    const visited = [trees[4], trees[3], trees[1], trees[0]];
    for (const [index, turn] of [fourth, second, first].entries()) {
      assert.equal(project.cli('rewind', turn).exitCode, 0);
      assert.deepEqual(project.tree(), visited[index + 1]);
    }
    const walk = (command: string, order: readonly number[]): void => {
      for (const index of order) {
        assert.equal(project.cli(command).exitCode, 0);
        assert.deepEqual(project.tree(), visited[index], `${command} to ${index}`);
      }
      assert.equal(project.cli(command).exitCode, 4, `no more ${command}`);
    };
    walk('undo', [2, 1, 0]);
    walk('redo', [1, 2, 3]);
    walk('undo', [2, 1, 0]);
  });

  it('takes restores of the stretch along, and a new turn ends what can be redone', async () => {
    const { project, turns, trees } = await travelled();
    project.cli('rewind', turns[3] as string);
    project.cli('undo');
    const next = new PlayedAgent(project, 'session-1');
    next.prompt('unused');
    assert.equal(project.cli('rewind', turns[2] as string).exitCode, 0);
    assert.deepEqual(project.tree(), trees[2]);
    assert.equal(project.cli('redo').exitCode, 4);
  });

  it('a rolled back turn in the middle leaves the later ones, and its undo brings it back', async () => {
    const { project, turns, trees } = await travelled();
    const stopped = project.cli('rollback', turns[1] as string);
    assert.deepEqual([stopped.exitCode, stopped.json.plan[0].reason], [3, 'a call that stays changed it too']);
    assert.equal(project.cli('rollback', turns[2] as string).exitCode, 0);
    assert.deepEqual([project.text('b.txt'), project.text('a.txt')], ['b0\n', 'a4\n']);
    const states = project.turns('--all').map((turn: any) => turn.files.map((file: any) => file.state).join());
    assert.deepEqual(states, ['active,active', 'active', 'rolledBack', 'active,active']);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[4]);
  });

  it('an undo after a crash takes back the restore that the crash cut short, not the one before it', async () => {
    const { project, turns, trees } = await travelled();
    project.cli('rewind', turns[3] as string);
    const cut = project.cli('rewind', turns[1] as string).json.id;
    // As if the process had died when all was written and before it could say so.
    rewriteJournal(project.storeDirectory, record => {
      if (record.operation !== cut) return record;
      return record.type === 'restore.done' ? { type: 'never written' } : { ...record, owner: { ...record.owner, pid: 2 ** 22 + 1 } };
    });
    const undone = project.cli('undo');
    assert.deepEqual([undone.exitCode, undone.json.warnings], [0, [`A restore that was cut short (${cut}) was finished first: 0 files were written.`]]);
    assert.deepEqual(project.tree(), trees[3]);
  });

  it('the log shows the active path, and all of it when asked', async () => {
    const { project, turns } = await travelled();
    project.cli('rewind', turns[2] as string);
    assert.deepEqual(project.turns().map((turn: any) => turn.id), turns.slice(0, 2));
    assert.deepEqual(project.turns('--all').map((turn: any) => turn.id), turns);
  });

  it('undo and redo walk over restores of every kind, past all that was undone and redone in between; at the ends they are an error, and write nothing', async () => {
    const { project, turns } = await travelled();
    const visited = [project.tree()];
    const restores = [['rollback', turns[2]], ['rewind', turns[3]], ['fork', turns[1]]] as const;
    for (const [command, turn] of restores) {
      assert.equal(project.cli(command, turn as string).exitCode, 0);
      visited.push(project.tree());
    }
    const left = project.cli('branches').json.branches.find(({ current }: { current: boolean }) => !current).id;
    assert.equal(project.cli('switch', left).exitCode, 0);
    visited.push(project.tree());
    let at = visited.length - 1;
    for (const command of 'redo! undo redo undo undo redo redo undo undo undo undo undo! redo undo redo redo redo redo redo! undo'.split(' ')) {
      const [word, isEnd] = [command.replace('!', ''), command.endsWith('!')];
      const { exitCode, json } = project.cli(word);
      if (!isEnd) at += word === 'undo' ? -1 : 1;
      assert.deepEqual([exitCode, json.error?.code], isEnd ? [4, 'notFound'] : [0, undefined], `${command} at ${at}`);
      assert.deepEqual(project.tree(), visited[at], `${command} to ${at}`);
    }
  });

  for (const [what, change] of [['text', (project: Project) => project.write('a.txt', 'mine\n')], ['deletion', (project: Project) => project.write('a.txt', null)], ['permissions and text', (project: Project) => project.write('a.txt', 'mine\n', 0o755)]] as const) {
    for (const [command, back] of [['undo', 'redo'], ['redo', 'undo']] as const) {
      it(`${what} of the user's that ${command} replaced comes back with ${back}`, async () => {
        const { project, turns } = await travelled();
        project.cli('rewind', turns[1] as string);
        if (command === 'redo') project.cli('undo');
        change(project);
        const mine = project.tree();
        assert.equal(project.cli(command).exitCode, 3);
        const forced = project.cli(command, '--on-conflict', 'overwrite');
        assert.equal(forced.exitCode, 0);
        assert.ok(project.cli('show', forced.json.id).json.files.some(({ path }: { path: string }) => path === 'a.txt'));
        assert.equal(project.cli(back).exitCode, 0);
        assert.deepEqual(project.tree(), mine);
      });
    }
  }

  it('a session gets to a place that the whole workspace was taken back from, and leaves the others where they are', async () => {
    const { project, agent, turns, trees } = await travelled();
    const other = await WrappedAgent.in(project, 'other');
    const { id } = project.cli('checkpoint').json;
    const at = project.tree();
    await agent.turn('turn 5', { 'a.txt': 'a5\n' });
    const between = project.tree();
    const sixth = await agent.turn('turn 6', { 'a.txt': 'a6\n', 'c/six.txt': '6\n' });
    await other.turn('of another session', { 'b.txt': 'other\n' });
    const tip = project.tree();
    const branch = project.cli('branches').json.branches[0].id;
    assert.deepEqual([project.cli('rewind', id).exitCode, project.tree()], [0, at]);
    // As the workspace was then: the other session had not begun.
    assert.deepEqual([project.cli('rewind', sixth).exitCode, project.tree()], [0, between]);
    assert.deepEqual([project.cli('switch', branch).exitCode, project.tree()], [0, tip]);
    assert.equal(project.cli('rewind', id).exitCode, 0);
    await other.turn('of another session again', { 'b.txt': 'other again\n' });
    assert.equal(project.cli('rewind', turns[3] as string).exitCode, 0);
    assert.deepEqual(project.tree(), { ...trees[3], 'b.txt': project.tree()['b.txt'] });
    assert.equal(project.text('b.txt'), 'other again\n');
  });

  it('through steps, checkpoints, turns and branches, over files of every kind and after every restart, each way back gives the tree of then', async () => {
    const project = new Project({ 'text.txt': 'v0\n', 'with space 😀.bin': Buffer.from([0, 1, 255]), 'becomes-link': 'file\n', [`${'n'.repeat(200)}.txt`]: 'long\n' });
    project.write('tool.sh', '#!/bin/sh\n', 0o755);
    const agent = await WrappedAgent.in(project);
    const places = new Map([[await agent.prompt('every kind'), project.tree()]]);
    await agent.call(['becomes-link', 'tool.sh', 'with space 😀.bin'], () => {
      project.write('becomes-link', null);
      symlinkSync('text.txt', project.path('becomes-link'));
      project.write('tool.sh', '#!/bin/sh\nexit\n', 0o700);
      project.write('with space 😀.bin', Buffer.from([255, 0]));
    });
    places.set(await agent.step('links'), project.tree());
    await agent.change({ 'text.txt': 'v1\n', 'folder/文件.txt': '点\n', [`${'n'.repeat(200)}.txt`]: null });
    await agent.close();
    places.set(project.cli('checkpoint').json.id, project.tree());
    places.set(await agent.turn('once more', { 'text.txt': 'v2\n', 'folder/文件.txt': null }), project.tree());
    const tip = project.tree();
    const [start, step, checkpoint, last] = [...places.keys()] as [string, string, string, string];
    places.set(last, places.get(checkpoint) as typeof tip);
    const seen = [tip];
    for (const place of [last, step, checkpoint, start, step]) {
      const { exitCode, json } = project.cli('rewind', place);
      assert.deepEqual([exitCode, project.tree()], [0, places.get(place)], place);
      assert.equal(json.id === null ? 'already there' : project.cli('show', json.id).json.target, json.id === null ? 'already there' : place);
      if (json.id !== null) seen.push(project.tree());
    }
    const branch = project.cli('branches').json.branches.find(({ current }: { current: boolean }) => !current).id;
    assert.deepEqual([project.cli('switch', branch).exitCode, project.tree()], [0, tip]);
    for (const tree of seen.toReversed()) assert.deepEqual([project.cli('undo').exitCode, project.tree()], [0, tree]);
    assert.equal(project.cli('undo').exitCode, 4);
    for (const tree of [...seen.slice(1), tip]) assert.deepEqual([project.cli('redo').exitCode, project.tree()], [0, tree]);
  });
});
