import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, type Answer } from './project.ts';
import { WrappedAgent } from './wrappedAgent.ts';

const names = ['gen/a.txt', 'gen/deep/b.txt', 'gen/文件.txt'];
const files = (text: string): Readonly<Record<string, string>> => Object.fromEntries(names.map(name => [name, text]));

function actions({ json }: Answer): readonly string[] {
  return json.plan.map(({ action, reason }: { action: string; reason?: string }) => (reason === undefined ? action : `${action}: ${reason}`));
}

describe('N4: what the user deleted', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('is not brought back by a restart, by looking, by a new session, nor by going back to before it was made', async () => {
    const project = new Project({ 'other.txt': 'other\n' }).install();
    const before = project.tree();
    const turn = await (await WrappedAgent.in(project)).turn('generate', files('1\n'));
    rmSync(project.path('gen'), { recursive: true });
    new PlayedAgent(project, 'another').send('SessionStart', { source: 'resume' });
    for (const words of [['log'], ['show', turn], ['diff', turn], ['branches'], ['checkpoint']]) assert.equal(project.cli(...words).exitCode, 0);
    assert.deepEqual(project.tree(), before);
    const rewound = project.cli('rewind', turn);
    assert.deepEqual([rewound.exitCode, rewound.json.counts.unchanged, rewound.json.counts.deleted], [0, 3, 0]);
    // Nothing was deleted by it, so there is nothing for its undo to bring.
    for (const command of ['undo', 'redo', 'undo']) {
      assert.equal(project.cli(command).exitCode, 0, command);
      assert.deepEqual(project.tree(), before, command);
    }
  });

  it('stays deleted on every way back to before it was made, also when a folder or a file of his is there instead', async () => {
    const project = new Project();
    const agent = await WrappedAgent.in(project);
    const turn = await agent.turn('generate', files('1\n'));
    const branch: string = project.cli('branches').json.branches[0].id;
    rmSync(project.path('gen'), { recursive: true });
    // The next prompt looks at it, and finds it gone.
    await agent.turn('go on', { 'x.txt': 'x\n' });
    mkdirSync(project.path('gen'));
    project.write('gen/mine.txt', 'mine\n');
    const rewound = project.cli('rewind', turn);
    assert.deepEqual([rewound.exitCode, Object.keys(project.tree())], [0, ['gen', 'gen/mine.txt']]);
    assert.equal(project.cli('switch', branch).exitCode, 0);
    assert.deepEqual(Object.keys(project.tree()), ['gen', 'gen/mine.txt', 'x.txt']);
  });

  for (const wayOf of ['rewind', 'undo', 'redo', 'switch', 'fork'] as const) {
    it(`is brought back by ${wayOf} only when that is decided; else nothing at all is written`, async () => {
      const project = new Project({ 'stays.txt': '0\n' });
      const agent = await WrappedAgent.in(project);
      await agent.turn('generate', files('1\n'));
      const first = project.tree();
      const turn = await agent.turn('regenerate', files('2\n'), { 'stays.txt': '2\n' });
      const branch: string = project.cli('branches').json.branches[0].id;
      const second = project.tree();
      const goBack = (): unknown => project.cli(wayOf === 'switch' ? 'fork' : 'rewind', turn).exitCode;
      if (wayOf === 'undo' || wayOf === 'redo' || wayOf === 'switch') assert.equal(goBack(), 0);
      if (wayOf === 'redo') assert.equal(project.cli('undo').exitCode, 0);
      const goal = wayOf === 'undo' || wayOf === 'switch' ? second : first;
      const words = wayOf === 'undo' || wayOf === 'redo' ? [wayOf] : [wayOf, wayOf === 'switch' ? branch : turn];
      rmSync(project.path('gen'), { recursive: true });
      const before = [project.tree(), project.tree(project.storage)];
      for (const decision of ['stop', 'merge']) {
        const stopped = project.cli(...words, '--on-conflict', decision);
        assert.deepEqual([stopped.exitCode, actions(stopped)], [3, [...names.map(() => 'conflict: it was deleted since'), 'restore']], decision);
        assert.deepEqual([project.tree(), project.tree(project.storage)], before, decision);
      }
      assert.deepEqual([project.cli(...words, '--on-conflict', 'overwrite').exitCode, project.tree()], [0, goal]);
      // An undo that took something of the user's along is taken back by a redo.
      assert.equal(project.cli(wayOf === 'undo' ? 'redo' : 'undo').exitCode, 0);
      assert.deepEqual(project.tree(), before[0]);
    });
  }

  it('is left deleted where conflicts are skipped, and the rest is done', async () => {
    const project = new Project({ 'stays.txt': '0\n' });
    const agent = await WrappedAgent.in(project);
    await agent.turn('generate', files('1\n'));
    const turn = await agent.turn('regenerate', files('2\n'), { 'stays.txt': '2\n' });
    rmSync(project.path('gen'), { recursive: true });
    const { exitCode, json } = project.cli('rewind', turn, '--on-conflict', 'skip');
    assert.deepEqual([exitCode, json.counts.conflict, json.counts.restored, Object.keys(project.tree())], [1, 3, 1, ['stays.txt']]);
    assert.equal(project.text('stays.txt'), '0\n');
  });
});
