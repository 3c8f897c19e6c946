import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { currentProcess } from '../../../src/core/base/processes.ts';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

describe('work that is not the agent\'s', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('U1: a line of the user stops the rewind; when overwritten it is stored first and comes back', () => {
    const project = new Project({ 'a.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'v1\n']]);
    project.write('a.txt', 'v1\nmine\n');

    const stopped = project.cli('rewind', turn);
    assert.equal(stopped.exitCode, 3);
    assert.deepEqual(stopped.json.plan, [{ root: project.folder, path: 'a.txt', action: 'conflict', reason: 'it was changed since' }]);
    assert.equal(project.text('a.txt'), 'v1\nmine\n');

    assert.equal(project.cli('rewind', turn, '--on-conflict', 'overwrite').exitCode, 0);
    assert.equal(project.text('a.txt'), 'v0\n');
    assert.equal(project.cli('undo').exitCode, 0);
    assert.equal(project.text('a.txt'), 'v1\nmine\n');
    assert.equal(project.cli('rewind', turn).exitCode, 3);
    assert.equal(project.text('a.txt'), 'v1\nmine\n');
  });

  it('U1: skipping does the rest, merging keeps both', () => {
    const project = new Project({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'agent\n2\n3\n'], ['b.txt', 'B\n']]);
    project.write('a.txt', 'agent\n2\n3\nmine\n');
    const skipped = project.cli('rewind', turn, '--on-conflict', 'skip');
    assert.deepEqual([skipped.exitCode, skipped.json.counts.conflict, skipped.json.counts.restored], [1, 1, 1]);
    assert.deepEqual([project.text('a.txt'), project.text('b.txt')], ['agent\n2\n3\nmine\n', 'b\n']);
    const merged = project.cli('rewind', turn, '--on-conflict', 'merge');
    assert.deepEqual([merged.exitCode, merged.json.counts.merged, project.text('a.txt')], [0, 1, '1\n2\n3\nmine\n']);
  });

  it('a folder in a file\'s place stops every decision but to skip it, which does the rest; and that is what is said', () => {
    const project = new Project({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'A\n'], ['b.txt', 'B\n'], ['c.txt', 'C\n']]);
    project.write('a.txt', null);
    project.write('a.txt/mine', 'mine\n');
    project.write('b.txt', 'mine\n');
    const before = project.tree();
    for (const decision of ['stop', 'merge', 'overwrite']) {
      const { exitCode, output } = project.run(['rewind', turn, '--on-conflict', decision]);
      assert.equal(exitCode, 3, decision);
      assert.match(output, /Nothing was written\. Only --on-conflict skip gets past a\.txt, /, decision);
      assert.deepEqual(project.tree(), before, decision);
    }
    const skipped = project.cli('rewind', turn, '--on-conflict', 'skip');
    assert.deepEqual([skipped.exitCode, skipped.json.counts.conflict, skipped.json.counts.restored], [1, 2, 1]);
    assert.deepEqual([project.text('a.txt/mine'), project.text('b.txt'), project.text('c.txt')], ['mine\n', 'mine\n', 'c\n']);
  });

  it('another window\'s unsaved text stops every decision but to skip it', () => {
    const project = new Project({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'agent\n2\n3\n'], ['b.txt', 'B\n']]);
    project.write('../store/editors/1.json', JSON.stringify({ owner: currentProcess(nodeFiles), unsaved: [project.path('a.txt')] }));
    const before = project.tree();
    for (const decision of ['stop', 'merge', 'overwrite']) {
      assert.equal(project.cli('rewind', turn, '--on-conflict', decision).exitCode, 3, decision);
      assert.deepEqual(project.tree(), before, decision);
    }
    assert.equal(project.cli('rewind', turn, '--on-conflict', 'skip').exitCode, 1);
    assert.equal(project.text('b.txt'), 'b\n');
  });

  it('G1: only what the agent changed is written, whatever else lies in the folder', () => {
    const project = new Project({ 'run.py': 'run\n', 'other.py': 'other\n', '.gitignore': '*.jsonl\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('edit run.py');
    for (let index = 0; index < 200; index += 1) project.write(`output/${index}.jsonl`, `${index}\n`);
    agent.change('run.py', 'changed\n');
    agent.stop();
    project.write('other.py', 'mine\n');
    const before = project.tree();
    const { exitCode, json } = project.cli('rewind', project.turns()[0].id);
    assert.deepEqual([exitCode, json.plan.map((item: { path: string }) => item.path), project.text('run.py')], [0, ['run.py'], 'run\n']);
    const { ['run.py']: _, ...rest } = before;
    const { ['run.py']: __, ...now } = project.tree();
    assert.deepEqual(now, rest);
  });

  it('C1: a rewind of a session without edits touches nothing of another session', () => {
    const project = new Project({ 'x.ts': 'x\n' }).install();
    const [a, b] = [new PlayedAgent(project, 'session-a'), new PlayedAgent(project, 'session-b')];
    const mine = b.turn('only look', []);
    const theirs = a.turn('edit', [['x.ts', 'X\n'], ['y.ts', 'y\n']]);
    b.turn('look again', []);
    const before = project.tree();
    const rewound = project.cli('rewind', mine);
    assert.deepEqual([rewound.exitCode, rewound.json.plan, project.tree()], [0, [], before]);
    assert.equal(project.cli('rewind', theirs).exitCode, 0);
    assert.deepEqual([project.text('x.ts'), project.text('y.ts')], ['x\n', undefined]);
  });

  it('C1: where another session changed the same file after it, nothing is written', () => {
    const project = new Project({ 'x.ts': 'x\n' }).install();
    const first = new PlayedAgent(project, 'session-a').turn('edit', [['x.ts', 'A\n']]);
    new PlayedAgent(project, 'session-b').turn('edit too', [['x.ts', 'A\nB\n']]);
    const { exitCode, json } = project.cli('rewind', first);
    assert.deepEqual([exitCode, json.plan[0].reason, project.text('x.ts')], [3, 'another session (claude-code) changed it', 'A\nB\n']);
  });

  it('a document that another live editor holds unsaved is a conflict that overwriting does not solve', () => {
    const project = new Project({ 'a.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'v1\n']]);
    const editor = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      writeUnsaved(project, editor.pid as number, [project.path('a.txt')]);
      const { exitCode, json } = project.cli('rewind', turn, '--on-conflict', 'overwrite');
      assert.deepEqual([exitCode, json.plan[0].reason, project.text('a.txt')], [3, 'it has unsaved changes in another window', 'v1\n']);
    } finally {
      editor.kill('SIGKILL');
    }
  });

  it('a document that only a dead editor held unsaved is no conflict', () => {
    const project = new Project({ 'a.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'v1\n']]);
    writeUnsaved(project, 2 ** 22 + 1, [project.path('a.txt')]);
    assert.equal(project.cli('rewind', turn).exitCode, 0);
  });
});

/** What an editor's process says about its unsaved documents. */
function writeUnsaved(project: Project, pid: number, unsaved: readonly string[]): void {
  const owner = { ...currentProcess(nodeFiles), pid, started: '' };
  project.write('../store/editors/1.json', JSON.stringify({ owner, unsaved }));
}
