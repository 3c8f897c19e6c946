import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { currentProcess } from '../../../src/core/base/processes.ts';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

function logOf(project: Project): string {
  const path = join(project.storage, 'logs', 'hook.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

describe('bad input', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  // `hook` throws when a hook is noticed: any other exit code than 0, or any output.
  it('of a hook that is no JSON is kept and logged', () => {
    const project = new Project().install();
    project.hook('PreToolUse', '{"session_id":"s","cwd":"/x","tool_na');
    const [kept] = readdirSync(join(project.storage, 'logs')).filter(name => name.startsWith('unread-'));
    assert.equal(readFileSync(join(project.storage, 'logs', kept as string), 'utf8'), '{"session_id":"s","cwd":"/x","tool_na');
    assert.match(logOf(project), /could not be read/);
  });

  const payloads = ['', 'null', '[]', '{}', '{"session_id":1,"cwd":2}', '{"session_id":"s"}', '\0'.repeat(100), '{"session_id":"s","cwd":"relative","tool_name":"Write","tool_use_id":"t","tool_input":{"file_path":7}}'];
  it('of a hook of any other kind goes unnoticed and breaks nothing', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    for (const payload of payloads) for (const event of ['UserPromptSubmit', 'PreToolUse', 'PostToolBatch']) project.hook(event, payload);
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', '1\n']]);
    assert.equal(project.cli('rewind', turn).exitCode, 0);
    assert.equal(project.text('a.txt'), '0\n');
  });

  it('of an unknown event or agent goes unnoticed', () => {
    const project = new Project().install();
    const agent = new PlayedAgent(project);
    agent.send('SomethingNew');
    agent.send('PreToolUse', { tool_name: '__proto__', tool_use_id: 'constructor', tool_input: null });
    const other = project.run(['hook', 'other-agent', 'Stop'], { input: '{}' });
    assert.deepEqual([other.exitCode, other.output], [0, '']);
    assert.match(logOf(project), /no agent other-agent/);
  });

  it('of an unknown tool is no harm: what it changes is found by looking', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('use something');
    const tool = { tool_name: 'mcp__nb__set_cell', tool_use_id: 'toolu_x', tool_input: { cell: 1 } };
    agent.send('PreToolUse', tool);
    project.write('nb.json', '{}');
    agent.send('PostToolUse', { ...tool, tool_response: {} });
    agent.change('a.txt', '1\n');
    agent.stop();
    const [turn] = project.turns();
    assert.deepEqual([turn.coverage.state, turn.files.length, turn.state], ['full', 2, 'closed']);
  });

  it('of a path outside the root, through a link or in another place is said on the turn, and never touched', () => {
    const project = new Project({ 'a.txt': '0\n' });
    const outside = join(dirname(project.folder), 'outside');
    project.write('../outside/secret.txt', 'secret\n');
    symlinkSync(outside, project.path('way'));
    project.install();
    const turn = new PlayedAgent(project).turn('leave', [['../outside/secret.txt', 'changed\n'], ['way/secret.txt', 'again\n']]);
    const [shown] = project.turns();
    assert.deepEqual([shown.files, shown.coverage.state], [[], 'partly']);
    assert.match(shown.coverage.reasons.join(), /outside the root/);
    assert.deepEqual([project.cli('rewind', turn).exitCode, readFileSync(join(outside, 'secret.txt'), 'utf8')], [0, 'again\n']);
  });

  it('nothing is written where nobody has consented', () => {
    const project = new Project({ 'a.txt': '0\n' });
    project.hook('UserPromptSubmit', new PlayedAgent(project).payload('UserPromptSubmit', { prompt: 'x' }));
    assert.equal(existsSync(project.storage), false);
    for (const command of ['log', 'undo']) assert.equal(project.cli(command).exitCode, 4);
    assert.equal(existsSync(project.storage), false);
  });

  it('a store that can\'t be written does not stop the agent, and the turn says so afterwards', function () {
    if (process.platform === 'win32') this.skip();
    const user = process.getuid?.() === 0 ? 65534 : undefined;
    const options = user === undefined ? {} : { user };
    const project = new Project({ 'a.txt': '0\n' }).install();
    if (user !== undefined) giveTo(user, dirname(project.folder));
    const agent = new PlayedAgent(project, 'session-1', options);
    agent.prompt('edit');
    const folders = ['', 'journal', 'blobs'].map(name => join(project.storeDirectory, name)).filter(existsSync);
    for (const folder of folders) chmodSync(folder, 0o500);
    agent.change('a.txt', '1\n');
    const refused = project.run(['--json', 'rewind', project.run(['--json', 'log'], options).json.turns[0].id], options);
    for (const folder of folders) chmodSync(folder, 0o700);
    agent.change('a.txt', '2\n');
    const [turn] = project.run(['--json', 'log'], options).json.turns;
    assert.deepEqual([refused.exitCode, refused.json.error?.code ?? 'already'], [5, 'readOnly']);
    assert.match(turn.coverage.reasons.join('\n'), /Write: not recorded, .*EACCES/);
  });

  it('a damaged history stops no agent, and the status of the hooks says that nothing is recorded, and why', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.turn('edit', [['a.txt', '1\n']]);
    const segment = join(project.storeDirectory, 'journal', '000001.log');
    const bytes = readFileSync(segment);
    bytes[300] = (bytes[300] ?? 0) ^ 1;
    writeFileSync(segment, bytes);
    agent.turn('edit again', [['a.txt', '2\n']]);
    const status = project.cli('hooks', 'status', 'claude-code');
    assert.equal(status.exitCode, 5);
    const problems: readonly string[] = status.json.problems;
    assert.match(problems[0] ?? '', /^The history is damaged/);
    assert.match(problems.slice(1).join('\n'), /^Not recorded: an event\. The history is damaged/m);
    assert.equal(project.text('a.txt'), '2\n');
  });

  it('a lock that is held by a live process does not stop the agent, and the turn says so afterwards', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('edit');
    const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const lock = join(project.storeDirectory, 'lock');
    try {
      writeFileSync(lock, JSON.stringify({ token: 'x', ...currentProcess(nodeFiles), pid: holder.pid, started: '' }));
      const tool = agent.tool('a.txt', '1\n');
      agent.send('PreToolUse', tool);
      assert.equal(existsSync(lock), true);
    } finally {
      holder.kill('SIGKILL');
    }
    agent.change('a.txt', '2\n');
    const [turn] = project.turns();
    assert.match(turn.coverage.reasons.join('\n'), /Write: not recorded, The store is locked by process/);
    assert.equal(turn.files.length, 1);
  });
});

function giveTo(user: number, folder: string): void {
  const { status, stderr } = spawnSync('chown', ['-R', `${user}:${user}`, folder], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  for (let at = dirname(folder); at.includes('turnstone-cases'); at = dirname(at)) chmodSync(at, 0o755);
}
