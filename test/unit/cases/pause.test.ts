import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

const nothing = 'what it did: not recorded, recording was paused';

/** Whether anything in the storage holds a text; small contents are stored as they are. */
function isStored(project: Project, text: string): boolean {
  const names = readdirSync(project.storage, { recursive: true, encoding: 'utf8' }).map(name => join(project.storage, name));
  return names.some(name => statSync(name).isFile() && readFileSync(name).includes(text));
}

/** Prompt, whether anything is missing, and the files of each turn, oldest first. */
function turns(project: Project): readonly unknown[] {
  return project.turns('--all').map(({ prompt, state, coverage, files }) => [prompt, state, coverage.gaps ?? coverage, files.map(({ path }: { path: string }) => path).join(' ')]);
}

describe('pause', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  for (const all of [[], ['--all']]) {
    it(`${all.join(' ')} keeps prompts and contents out of the store; the turns that were made meanwhile say so, and those after are whole`, () => {
      const project = new Project({ 'a.txt': '0\n' }).install();
      const agent = new PlayedAgent(project);
      agent.turn('before', [['a.txt', '1\n']]);
      assert.equal(project.cli('pause', ...all).json.paused, true);
      agent.turn('a secret prompt', [['a.txt', 'a secret text\n'], ['new.txt', 'another secret\n']]);
      agent.shell(() => project.write('made.txt', 'a third secret\n'));
      for (const secret of ['secret prompt', 'secret text', 'another secret', 'third secret']) assert.equal(isStored(project, secret), false, secret);
      assert.equal(project.cli('resume', ...all).json.paused, false);
      agent.turn('after', [['b.txt', 'b\n']]);
      const told = JSON.stringify(turns(project));
      assert.match(told, /"before","closed".*"a\.txt"/);
      assert.equal(told.split(nothing).length, 2, told);
      assert.match(told, /"after","closed".*"b\.txt"\]\]$/);
      // What the agent did meanwhile is nobody's on record: it is guarded as the user's.
      const [first] = project.turns('--all');
      assert.equal(project.cli('rewind', first.id).exitCode, 3);
      assert.equal(project.text('a.txt'), 'a secret text\n');
    });
  }

  it('lets a call end that had begun, and a turn that goes on says what is missing', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('work');
    const tool = agent.tool('a.txt', '1\n');
    agent.send('PreToolUse', tool);
    project.cli('pause');
    agent.apply('a.txt', '1\n');
    agent.send('PostToolUse', { ...tool, tool_response: {} });
    agent.change('b.txt', 'secret\n');
    agent.change('c.txt', 'secret\n');
    project.cli('resume');
    agent.change('d.txt', 'd\n');
    agent.stop();
    assert.equal(JSON.stringify(turns(project)).split(nothing).length, 2, 'it is said once');
    const [turn] = project.turns();
    assert.deepEqual([turn.prompt, turn.state, turn.files.map(({ path }: { path: string }) => path)], ['work', 'closed', ['a.txt', 'd.txt']]);
    project.cli('rewind', turn.id);
    assert.deepEqual([project.text('a.txt'), project.text('b.txt'), project.text('d.txt')], ['0\n', 'secret\n', undefined]);
  });

  it('of one folder leaves another one recorded', () => {
    const project = new Project().install();
    const library = join(project.folder, '..', 'library');
    mkdirSync(library);
    project.cli('--root', library, 'checkpoint');
    project.cli('--root', library, 'pause');
    const agent = new PlayedAgent(project);
    agent.prompt('both');
    agent.change('a.txt', 'a\n');
    agent.change('../library/b.txt', 'secret\n');
    agent.stop();
    assert.deepEqual(project.turns().map(({ prompt, files }) => [prompt, files.length]), [['both', 1]]);
    const { turns: there } = project.cli('--root', library, 'log').json;
    assert.deepEqual(there.map(({ files, state }: any) => [files.length, state]), [[0, 'closed']]);
    assert.match(JSON.stringify(there), new RegExp(nothing));
  });

  it('says what is the matter, and takes no words', () => {
    const project = new Project();
    assert.deepEqual([project.cli('pause').exitCode, project.cli('pause', 'here').exitCode, project.cli('resume', '--dry-run').exitCode], [4, 2, 2]);
    project.install();
    project.cli('pause', '--all');
    project.cli('pause');
    const { exitCode, json } = project.cli('resume');
    assert.deepEqual([exitCode, json.paused], [1, true]);
    assert.deepEqual([project.cli('pause').exitCode, project.cli('resume', '--all').json], [0, { root: null, paused: false }]);
    assert.deepEqual(project.cli('resume').json, { root: project.folder, paused: false });
  });
});
