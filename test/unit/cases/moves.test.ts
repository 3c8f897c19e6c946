import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

describe('a file that a command moves', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  // T3
  it('is back at its old path with what the turn before left there, and its new folder is gone; a turn without edits brings nothing back', () => {
    const project = new Project({ 'old.ts': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.turn('edit', [['old.ts', '1\n']]);
    const edited = project.tree();
    agent.prompt('move');
    agent.shell(() => {
      mkdirSync(project.path('lib'));
      renameSync(project.path('old.ts'), project.path('lib/new.ts'));
    });
    agent.stop();
    const moved = project.tree();
    agent.turn('nothing', []);
    project.cli('status');
    assert.deepEqual(project.tree(), moved);
    const [, move] = project.turns();
    assert.equal(project.cli('rewind', move.id).exitCode, 0);
    assert.deepEqual([project.tree(), existsSync(project.path('lib'))], [edited, false]);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), moved);
    assert.equal(project.cli('redo').exitCode, 0);
    assert.deepEqual(project.tree(), edited);
  });
});
