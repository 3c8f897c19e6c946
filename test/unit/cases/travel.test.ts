import assert from 'node:assert/strict';
import { buildCliOnce } from './builtCli.ts';
import { rewriteJournal } from './journalFile.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

/** Four turns over three files, one of them created and one deleted. */
function travelled(): { readonly project: Project; readonly turns: readonly string[]; readonly trees: readonly ReturnType<Project['tree']>[] } {
  const project = new Project({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' }).install();
  const agent = new PlayedAgent(project);
  const steps = [[['a.txt', 'a1\n'], ['c/new.txt', 'c1\n']], [['a.txt', 'a2\n']], [['b.txt', null]], [['c/new.txt', 'c4\n'], ['a.txt', 'a4\n']]] as const;
  const trees = [project.tree()];
  const turns = steps.map((changes, index) => {
    const turn = agent.turn(`turn ${index + 1}`, changes);
    trees.push(project.tree());
    return turn;
  });
  return { project, turns, trees };
}

describe('X1: going back and forth', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('to the first turn and back again gives the same tree, and the restore is in the history', () => {
    const { project, turns, trees } = travelled();
    const rewound = project.cli('rewind', turns[0] as string);
    assert.deepEqual(project.tree(), trees[0]);
    assert.equal(project.cli('show', rewound.json.id).json.operation, 'rewind');
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[4]);
  });

  it('undoing what is undone already does nothing, and is not recorded', () => {
    const { project, turns, trees } = travelled();
    const rewound = project.cli('rewind', turns[1] as string);
    assert.equal(project.cli('undo').exitCode, 0);
    const again = project.cli('undo', rewound.json.id);
    assert.deepEqual([again.exitCode, again.json.id], [0, null]);
    assert.deepEqual(project.tree(), trees[4]);
    assert.equal(project.cli('redo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[1]);
  });

  it('redo of a named restore redoes its undo, and never undoes', () => {
    const { project, turns, trees } = travelled();
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

  it('step by step, every step can be undone and redone', () => {
    const { project, turns, trees } = travelled();
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

  it('takes restores of the stretch along, and a new turn ends what can be redone', () => {
    const { project, turns, trees } = travelled();
    project.cli('rewind', turns[3] as string);
    project.cli('undo');
    const next = new PlayedAgent(project, 'session-1');
    next.prompt('unused');
    assert.equal(project.cli('rewind', turns[2] as string).exitCode, 0);
    assert.deepEqual(project.tree(), trees[2]);
    assert.equal(project.cli('redo').exitCode, 4);
  });

  it('a rolled back turn in the middle leaves the later ones, and its undo brings it back', () => {
    const { project, turns, trees } = travelled();
    const stopped = project.cli('rollback', turns[1] as string);
    assert.deepEqual([stopped.exitCode, stopped.json.plan[0].reason], [3, 'a call that stays changed it too']);
    assert.equal(project.cli('rollback', turns[2] as string).exitCode, 0);
    assert.deepEqual([project.text('b.txt'), project.text('a.txt')], ['b0\n', 'a4\n']);
    const states = project.turns('--all').map((turn: any) => turn.files.map((file: any) => file.state).join());
    assert.deepEqual(states, ['active,active', 'active', 'rolledBack', 'active,active']);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[4]);
  });

  it('an undo after a crash takes back the restore that the crash cut short, not the one before it', () => {
    const { project, turns, trees } = travelled();
    project.cli('rewind', turns[3] as string);
    const cut = project.cli('rewind', turns[1] as string).json.id;
    // As if the process had died when all was written and before it could say so.
    rewriteJournal(project.storeDirectory, record => {
      if (record.operation !== cut) return record;
      return record.type === 'restore.done' ? { type: 'never written' } : { ...record, owner: { ...record.owner, pid: 2 ** 22 + 1 } };
    });
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), trees[3]);
  });

  it('the log shows the active path, and all of it when asked', () => {
    const { project, turns } = travelled();
    project.cli('rewind', turns[2] as string);
    assert.deepEqual(project.turns().map((turn: any) => turn.id), turns.slice(0, 2));
    assert.deepEqual(project.turns('--all').map((turn: any) => turn.id), turns);
  });
});
