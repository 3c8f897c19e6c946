import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

describe('ignore files', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  // G3
  for (const [what, spoil, isUnderstood] of [
    ['is a folder', (project: Project) => mkdirSync(project.path('inner/.gitignore')), false],
    ['is a link', (project: Project) => symlinkSync('../a.txt', project.path('inner/.gitignore')), false],
    ['is no text', (project: Project) => project.write('inner/.gitignore', Uint8Array.of(0xff, 0xfe, 0, 0x80)), true],
    ['has patterns that mean nothing', (project: Project) => project.write('inner/.gitignore', '[\n\\\n!\n'), true],
  ] as const) {
    it(`one that ${what} ${isUnderstood ? 'hides nothing, as in git' : 'is named by the turn, and what it could hide is neither copied nor deleted'}`, () => {
      const project = new Project({ 'a.txt': 'a\n', 'inner/1.txt': '1\n', 'inner/gone.txt': 'gone\n' }).install();
      const agent = new PlayedAgent(project);
      agent.prompt('look');
      agent.shell(() => undefined);
      agent.stop();
      spoil(project);
      const before = project.tree();
      agent.prompt('work');
      agent.shell(() => {
        project.write('a.txt', 'A\n');
        project.write('inner/made.txt', 'made\n');
        project.write('inner/gone.txt', null);
      });
      agent.stop();
      const inner = project.tree(project.path('inner'));
      const { id, coverage, files } = project.turns().at(-1);
      const below = isUnderstood ? ['inner/gone.txt', 'inner/made.txt'] : [];
      assert.deepEqual([coverage.state, coverage.reasons, files.map(({ path }: any) => path)], [isUnderstood ? 'full' : 'partly', isUnderstood ? [] : ['Bash inner: not tracked, its .gitignore is no regular file'], ['a.txt', ...below]]);
      assert.equal(project.cli('rewind', id).exitCode, 0);
      assert.equal(project.text('a.txt'), 'a\n');
      if (isUnderstood) assert.deepEqual(project.tree(), before);
      else assert.deepEqual(project.tree(project.path('inner')), inner);
      // The next turn is recorded as if nothing had been.
      const next = agent.turn('edit', [['a.txt', 'again\n']]);
      assert.equal(project.cli('rewind', next).exitCode, 0);
      assert.equal(project.text('a.txt'), 'a\n');
    });
  }

  // G3
  it('a file of the agent\'s that the user has made ignored and changed since is a conflict, and is not deleted', () => {
    const project = new Project({ 'a.txt': 'a\n', '.gitignore': '[\n' }).install();
    const agent = new PlayedAgent(project);
    const turn = agent.turn('make', [['secret.txt', 'made\n'], ['a.txt', 'A\n']]);
    project.write('.gitignore', 'secret.txt\n');
    project.write('secret.txt', 'mine\n');
    const before = project.tree();
    const { exitCode, json } = project.cli('rewind', turn);
    assert.deepEqual([exitCode, json.plan.find(({ path }: any) => path === 'secret.txt').action, project.tree()], [3, 'conflict', before]);
    assert.equal(project.cli('rewind', turn, '--on-conflict', 'skip').exitCode, 1);
    assert.deepEqual([project.text('secret.txt'), project.text('a.txt')], ['mine\n', 'a\n']);
  });

  it('that begin to hide a file between two checkpoints do not make it a deleted one', () => {
    const project = new Project({ 'kept.txt': '1\n', 'logs/x.log': 'x\n', 'a.txt': '1\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('look');
    agent.shell(() => project.write('kept.txt', '2\n'));
    agent.stop();
    const { id: first } = project.cli('checkpoint').json;
    project.write('.gitignore', 'kept.txt\nlogs/\n');
    agent.prompt('edit');
    agent.shell(() => project.write('a.txt', '2\n'));
    agent.stop();
    const { id: second } = project.cli('checkpoint').json;
    const between = project.cli('diff', first, second).json;
    assert.deepEqual(between.files.map(({ path, status }: any) => [path, status]), [['a.txt', 'modified']]);
    const turns = project.turns();
    assert.deepEqual(turns[1].files.map(({ path, status }: any) => [path, status]), [['a.txt', 'modified']]);
    assert.equal(project.cli('rewind', first).exitCode, 0);
    assert.deepEqual([project.text('kept.txt'), project.text('logs/x.log'), project.text('a.txt')], ['2\n', 'x\n', '1\n']);
  });
});
