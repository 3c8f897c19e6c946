import assert from 'node:assert/strict';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

const pathsOf = (turn: any): readonly string[] => turn.files.map(({ path }: any) => path);

describe('whose a change is, and which turn it is in', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  // C3
  it('each of two turns that are open at once has its own writes only, with their diffs; what no tool did is in neither', () => {
    const project = new Project({ 'a.ts': 'a\n', 'b.ts': 'b\n', 'by-hand.ts': 'h\n' }).install();
    const [one, two] = [new PlayedAgent(project, 'session-1'), new PlayedAgent(project, 'session-2')];
    one.prompt('one');
    two.prompt('two');
    const [first, second] = [one.tool('a.ts', 'A\n'), two.tool('b.ts', 'B\n')];
    one.send('PreToolUse', first);
    two.send('PreToolUse', second);
    one.apply('a.ts', 'A\n');
    two.apply('b.ts', 'B\n');
    project.write('by-hand.ts', 'mine\n');
    two.send('PostToolUse', second);
    one.send('PostToolUse', first);
    one.stop();
    two.stop();
    const turns = project.turns();
    assert.deepEqual(turns.map(pathsOf), [['a.ts'], ['b.ts']]);
    const lines = turns.map(({ id }) => project.cli('diff', id).json.files.map((file: any) => [file.path, file.hunks[0].lines]));
    assert.deepEqual(lines, [[['a.ts', ['-a', '+A']]], [['b.ts', ['-b', '+B']]]]);
    assert.equal(project.cli('rewind', turns[0].id).exitCode, 0);
    assert.deepEqual([project.text('a.ts'), project.text('b.ts'), project.text('by-hand.ts')], ['a\n', 'B\n', 'mine\n']);
  });

  // T7
  it('a turn is found by its id before and after retries, a compaction and restarts of the program, and goes back to the same place', () => {
    const project = new Project({ 'a.txt': '0\n', 'b.txt': '0\n' }).install();
    const before = project.tree();
    const agent = new PlayedAgent(project);
    agent.prompt('one');
    agent.change('a.txt', '1\n');
    // The program begins its run again, twice, within the one turn of the user.
    for (const text of ['2\n', '3\n']) {
      agent.send('UserPromptSubmit', { prompt: 'one' });
      agent.change('a.txt', text);
    }
    agent.stop();
    agent.turn('two', [['b.txt', '1\n']]);
    const turns = project.turns();
    assert.deepEqual(turns.map(({ prompt }) => prompt), ['one', 'two']);
    agent.send('PreCompact', { trigger: 'auto', custom_instructions: '' });
    agent.send('SessionStart', { source: 'compact' });
    agent.send('SessionEnd', { reason: 'other' });
    agent.send('SessionStart', { source: 'resume' });
    assert.deepEqual(project.turns().map(({ id, prompt, files }) => [id, prompt, files]), turns.map(({ id, prompt, files }) => [id, prompt, files]));
    const after = project.tree();
    assert.equal(project.cli('rewind', turns[0].id).exitCode, 0);
    assert.deepEqual(project.tree(), before);
    assert.equal(project.cli('undo').exitCode, 0);
    assert.deepEqual(project.tree(), after);
  });

  it('a session that is resumed without a new prompt keeps the state of before its turn', () => {
    const project = new Project({ 'a.txt': 'before\n' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('work');
    agent.change('a.txt', 'first run\n');
    agent.send('SessionEnd', { reason: 'other' });
    agent.send('SessionStart', { source: 'resume' });
    agent.change('a.txt', 'second run\n');
    agent.change('b.txt', 'second run\n');
    agent.stop();
    const [turn, ...more] = project.turns();
    assert.deepEqual([more, pathsOf(turn)], [[], ['a.txt', 'b.txt']]);
    assert.equal(project.cli('rewind', turn.id).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('b.txt')], ['before\n', undefined]);
  });

  it('what a sub-agent does is in the turn that sent it, which stays one turn among the others', () => {
    const project = new Project({ 'a.txt': '0\n', 'b.txt': '0\n' }).install();
    const agent = new PlayedAgent(project);
    agent.turn('one', [['a.txt', '1\n']]);
    agent.prompt('two');
    const task = { tool_name: 'Agent', tool_use_id: 'toolu_task', tool_input: { description: 'd', prompt: 'p', subagent_type: 'general-purpose' } };
    agent.send('PreToolUse', task);
    agent.send('SubagentStart', { agent_id: 'sub-1', agent_type: 'general-purpose' });
    const tool = agent.tool('b.txt', 'sub\n');
    agent.send('PreToolUse', { ...tool, agent_id: 'sub-1', agent_type: 'general-purpose' });
    agent.apply('b.txt', 'sub\n');
    agent.send('PostToolUse', { ...tool, agent_id: 'sub-1', agent_type: 'general-purpose', tool_response: {} });
    agent.send('SubagentStop', { agent_id: 'sub-1', stop_hook_active: false });
    agent.send('PostToolUse', { ...task, tool_response: {} });
    agent.change('a.txt', '2\n');
    agent.stop();
    agent.turn('three', [['a.txt', '3\n']]);
    const turns = project.turns();
    assert.deepEqual(turns.map(turn => [turn.prompt, turn.state, [...pathsOf(turn)].toSorted()]), [['one', 'closed', ['a.txt']], ['two', 'closed', ['a.txt', 'b.txt']], ['three', 'closed', ['a.txt']]]);
    assert.equal(project.cli('rewind', turns[1].id).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('b.txt')], ['1\n', '0\n']);
  });

  it('calls that nobody was asked about are recorded like the others', () => {
    for (const mode of ['acceptEdits', 'bypassPermissions', 'auto']) {
      const project = new Project({ 'a.txt': '0\n' }).install();
      const agent = new PlayedAgent(project);
      const send = agent.send.bind(agent);
      agent.send = (event, more, environment) => send(event, { ...more, permission_mode: mode }, environment);
      const turn = agent.turn('work', [['a.txt', '1\n'], ['b.bin', Uint8Array.of(0, 255, 254, 0)]]);
      assert.deepEqual(project.turns().map(pathsOf), [['a.txt', 'b.bin']], mode);
      // The binary file that the agent made is listed, and goes.
      const file = project.cli('diff', turn).json.files.find(({ path }: any) => path === 'b.bin');
      assert.deepEqual([file.status, file.hunks], ['added', []], mode);
      assert.equal(project.cli('rewind', turn).exitCode, 0, mode);
      assert.deepEqual(Object.keys(project.tree()).filter(path => !path.startsWith('.claude')), ['a.txt'], mode);
      assert.equal(project.text('a.txt'), '0\n', mode);
    }
  });
});
