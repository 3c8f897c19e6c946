import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, type Content } from './project.ts';

/** Of a turn, the newest by default. */
function filesOf(project: Project, turn = -1): unknown {
  const { coverage, files } = project.turns().at(turn);
  return { coverage: coverage.state, files: files.map((file: any) => `${file.status} ${file.path}`) };
}

function start(contents: Readonly<Record<string, Content>>): { readonly project: Project; readonly agent: PlayedAgent } {
  const project = new Project(contents).install();
  return { project, agent: new PlayedAgent(project) };
}

/** Rewinds to before the newest turn and back again, and tells whether both trees are right. */
function thereAndBack(project: Project, before: unknown): void {
  const after = project.tree();
  const newest = project.turns().at(-1);
  const rewound = project.cli('rewind', newest.id);
  assert.equal(rewound.exitCode, 0, rewound.output);
  assert.deepEqual(project.tree(), before);
  assert.equal(project.cli('undo').exitCode, 0);
  assert.deepEqual(project.tree(), after);
}

describe('what a shell command does', () => {
  before(buildCliOnce);

  it('is on record, file by file, and goes and comes back like an edit', () => {
    const { project, agent } = start({ 'a.txt': 'a\n', 'gone.txt': 'gone\n', 'old.txt': 'old\n', 'kept.txt': 'kept\n', 'run.sh': '#!/bin/sh\n' });
    const before = project.tree();
    agent.prompt('work');
    agent.shell(() => {
      project.write('a.txt', 'b\n');
      project.write('gen/deep/new.txt', 'x');
      rmSync(project.path('gone.txt'));
      mkdirSync(project.path('lib'));
      renameSync(project.path('old.txt'), project.path('lib/new.txt'));
      symlinkSync('a.txt', project.path('link'));
      chmodSync(project.path('run.sh'), 0o755);
    });
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['modified a.txt', 'added gen/deep/new.txt', 'deleted gone.txt', 'added lib/new.txt', 'added link', 'deleted old.txt', 'modified run.sh'] });
    thereAndBack(project, before);
  });

  it('with folders goes and comes back too: private ones stay private, and the user\'s empty ones stay', () => {
    const { project, agent } = start({ 'private/key': 'k\n', 'closed/x': 'x\n' });
    for (const folder of ['out', 'gone/in']) mkdirSync(project.path(folder), { recursive: true });
    for (const [folder, mode] of [['private', 0o700], ['gone', 0o750]] as const) chmodSync(project.path(folder), mode);
    const before = project.tree();
    agent.prompt('work');
    agent.shell(() => {
      project.write('out/x', '1');
      for (const folder of ['private', 'gone']) rmSync(project.path(folder), { recursive: true });
      chmodSync(project.path('closed'), 0o777);
      mkdirSync(project.path('made/in'), { recursive: true });
    });
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['added out/x', 'deleted private/key'] });
    thereAndBack(project, before);
    agent.prompt('only folders');
    const between = project.tree();
    agent.shell(() => {
      chmodSync(project.path('made'), 0o700);
      mkdirSync(project.path('empty'));
    });
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: [] });
    thereAndBack(project, between);
  });

  it('is not the agent\'s where the user had done it between two of its calls', () => {
    const { project, agent } = start({ 'a.txt': 'a\n', 'user.txt': 'u\n' });
    agent.prompt('work');
    agent.shell(() => project.write('a.txt', 'b\n'));
    project.write('user.txt', 'mine\n');
    project.write('mine.txt', 'mine\n');
    agent.shell(() => project.write('a.txt', 'c\n'));
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['modified a.txt'] });
    assert.equal(project.cli('rewind', project.turns()[0].id).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('user.txt'), project.text('mine.txt')], ['a\n', 'mine\n', 'mine\n']);
  });

  it('on a file that the agent also edits belongs to the call that did it', () => {
    const { project, agent } = start({ 'a.txt': 'a\n' });
    const before = project.tree();
    agent.prompt('work');
    agent.change('a.txt', 'edited\n');
    agent.shell(() => project.write('a.txt', 'formatted\n'));
    agent.change('a.txt', 'edited again\n');
    agent.shell(() => undefined);
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['modified a.txt'] });
    thereAndBack(project, before);
  });

  it('is recorded also where it failed, was interrupted, or is another tool that nobody knows', () => {
    const { project, agent } = start({ 'a.txt': 'a\n' });
    agent.prompt('fails');
    agent.shell(() => project.write('failed.txt', '1'), 'PostToolUseFailure');
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['added failed.txt'] });
    agent.prompt('is interrupted');
    agent.shell(() => project.write('half.txt', '1'), undefined);
    agent.prompt('unknown tool');
    agent.shell(() => project.write('nb.ipynb', '{}'), 'PostToolUse', 'mcp__nb__set_cell');
    agent.stop();
    assert.deepEqual([filesOf(project, -2), filesOf(project)], [{ coverage: 'full', files: ['added half.txt'] }, { coverage: 'full', files: ['added nb.ipynb'] }]);
  });

  it('leaves out what git ignores, and never removes it', () => {
    const { project, agent } = start({ '.gitignore': 'node_modules/\n*.log\n', 'node_modules/x/index.js': '1', 'a.txt': 'a\n' });
    agent.prompt('install');
    agent.shell(() => {
      project.write('node_modules/y/index.js', '2');
      project.write('debug.log', 'log');
      project.write('a.txt', 'b\n');
    });
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['modified a.txt'] });
    project.cli('rewind', project.turns()[0].id);
    assert.deepEqual([project.text('node_modules/y/index.js'), project.text('debug.log'), project.text('a.txt')], ['2', 'log', 'a\n']);
  });

  it('of two sessions at once belongs to neither where it can\'t be told', () => {
    const { project, agent } = start({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const other = new PlayedAgent(project, 'session-2');
    agent.prompt('one');
    other.prompt('two');
    agent.shell(() => {
      project.write('a.txt', 'one\n');
      other.shell(() => project.write('b.txt', 'either\n'));
    });
    agent.stop();
    other.stop();
    const [one, two] = project.turns();
    assert.deepEqual([one.files.map(({ path }: any) => path), two.files], [['a.txt'], []]);
    for (const turn of [one, two]) assert.match(turn.coverage.reasons.join('\n'), /b\.txt: changed while several calls were open/);
    assert.equal(project.cli('rewind', one.id).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('b.txt')], ['a\n', 'either\n']);
  });

  it('is taken back also while it runs, or where its agent was killed', () => {
    const { project, agent } = start({ 'a.txt': 'a\n' });
    const before = project.tree();
    agent.prompt('never ends');
    agent.shell(() => {
      project.write('a.txt', 'b\n');
      project.write('half.txt', '1');
    }, undefined);
    assert.equal(project.cli('rewind', project.turns()[0].id).exitCode, 0);
    assert.deepEqual(project.tree(), before);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('half.txt')], ['b\n', '1']);
  });

  it('in the background is named when it has ended, and is nobody\'s', () => {
    const { project, agent } = start({ 'a.txt': 'a\n' });
    agent.prompt('starts something');
    agent.shell(() => undefined, 'PostToolUse', 'Bash', { backgroundTaskId: 'b1' });
    agent.shell(() => project.write('a.txt', 'b\n'));
    project.write('late.txt', '1');
    agent.send('UserPromptSubmit', { prompt: `<task-notification>\n<tool-use-id>toolu_${agent.session}_1</tool-use-id>\n</task-notification>` });
    agent.stop();
    const { coverage, files } = project.turns()[0];
    assert.deepEqual([files.map(({ path }: any) => path), coverage.reasons], [['a.txt'], ['late.txt: changed while Bash was running in the background, and not provably by it']]);
    assert.equal(project.cli('rewind', project.turns()[0].id).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('late.txt')], ['a\n', '1']);
  });

  it('gives back what the user had done before it, also where it puts a file back to what is on record', () => {
    const { project, agent } = start({ 'a.txt': '0\n' });
    agent.prompt('first');
    agent.change('a.txt', 'v1\n');
    agent.shell(() => project.write('notes.txt', 'a\n'));
    agent.shell(() => rmSync(project.path('notes.txt')));
    agent.stop();
    agent.prompt('second');
    // As `git checkout a.txt` and `git clean` do it, while the user works.
    for (const [path, text, restored] of [['a.txt', 'USER\n', 'v1\n'], ['notes.txt', 'mine\n', null]] as const) {
      project.write(path, text);
      const before = project.tree();
      agent.prompt(`command on ${path}`);
      project.write(path, `${text}more\n`);
      const meant = project.tree();
      assert.notDeepEqual(meant, before);
      agent.shell(() => agent.apply(path, restored));
      agent.stop();
      assert.deepEqual(filesOf(project), { coverage: 'full', files: [`${restored === null ? 'deleted' : 'modified'} ${path}`] });
      thereAndBack(project, meant);
    }
  });

  it('to the permissions of files that are on record goes and comes back, whoever wrote them last', () => {
    const { project, agent } = start({ 'known.sh': '#!/bin/sh\n' });
    agent.prompt('first');
    agent.change('known.sh', '#!/bin/sh\necho\n');
    agent.shell(() => project.write('looked.sh', '#!/bin/sh\n'));
    agent.stop();
    const before = project.tree();
    agent.prompt('permissions');
    agent.shell(() => {
      for (const path of ['known.sh', 'looked.sh']) chmodSync(project.path(path), 0o755);
    });
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['modified known.sh', 'modified looked.sh'] });
    thereAndBack(project, before);
  });

  it('to files that it also makes ignored is on record', () => {
    const { project, agent } = start({ 'a.txt': '1\n', 'b/o.txt': 'o\n', 'c/kept.txt': 'kept\n' });
    agent.prompt('look');
    agent.shell(() => undefined);
    agent.stop();
    const before = project.tree();
    agent.prompt('ignore');
    agent.shell(() => {
      project.write('.gitignore', 'a.txt\nb/\nc/\n');
      project.write('a.txt', '2\n');
      rmSync(project.path('b/o.txt'));
    });
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['added .gitignore', 'modified a.txt', 'deleted b/o.txt'] });
    thereAndBack(project, before);
    // What is ignored from then on is the user's own matter.
    agent.prompt('later');
    agent.shell(() => project.write('a.txt', '3\n'));
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: [] });
  });

  it('is on record beside a folder that must not be touched, which is said', () => {
    const { project, agent } = start({ 'a.txt': '1\n', '.GIT/HEAD': 'ref: refs/heads/main\n' });
    agent.prompt('work');
    agent.shell(() => project.write('a.txt', '2\n'));
    agent.stop();
    const { coverage, files } = project.turns().at(-1);
    assert.deepEqual([files.map((file: any) => file.path), coverage.reasons], [['a.txt'], ['Bash: not tracked, .GIT: it is in .git']]);
    assert.equal(project.cli('rewind', project.turns().at(-1).id).exitCode, 0);
    assert.equal(project.text('a.txt'), '1\n');
  });

  it('is on record, and so is an edit, where the agent gives its calls no ids', () => {
    const { project, agent } = start({ 'a.txt': '1\n' });
    const before = project.tree();
    agent.prompt('work');
    const calls = [{ tool_name: 'Write', tool_input: { file_path: project.path('a.txt'), content: '2\n' } }, { tool_name: 'Bash', tool_input: { command: 'a command' } }];
    for (const call of calls) {
      agent.send('PreToolUse', call);
      project.write(call.tool_name === 'Write' ? 'a.txt' : 'b.txt', '2\n');
      agent.send('PostToolUse', call);
    }
    agent.stop();
    assert.deepEqual(filesOf(project), { coverage: 'full', files: ['modified a.txt', 'added b.txt'] });
    thereAndBack(project, before);
  });
});
