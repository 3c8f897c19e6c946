import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

interface Place {
  readonly project: Project;
  readonly library: string;
  readonly agent: PlayedAgent;
  /** What the other folder's own log tells, oldest first. */
  readonly there: (...parameters: string[]) => readonly any[];
}

function place(): Place {
  const project = new Project({ 'app.txt': 'app 0\n', '../library/lib.txt': 'lib 0\n' }).install();
  const library = join(project.folder, '../library');
  assert.equal(project.cli('--root', library, 'checkpoint').exitCode, 0);
  return { project, library, agent: new PlayedAgent(project), there: (...parameters) => project.turns('--root', library, ...parameters) };
}

const lib = '../library/lib.txt';

/** What a turn is in a log, apart from its files. */
function head({ prompt, state, agent, coverage }: any): unknown {
  return [prompt, state, agent, coverage.state];
}

describe('a turn in a recorded folder in which its agent was not asked', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('has its prompt, its agent and its end there, whenever it comes there and whatever else it does', () => {
    const { project, agent, there } = place();
    agent.turn('elsewhere only', [[lib, 'lib 1\n']]);
    agent.turn('at home first', [['app.txt', 'app 2\n'], [lib, 'lib 2\n'], ['../library/new.txt', 'new\n']]);
    agent.turn('at home only', [['app.txt', 'app 3\n']]);
    assert.deepEqual(there().map(head), [['elsewhere only', 'closed', 'claude-code', 'full'], ['at home first', 'closed', 'claude-code', 'full']]);
    assert.deepEqual(project.turns().map(({ id }) => id).slice(0, 2), there().map(({ id }) => id));
  });

  it('is open there while it is open, and interrupted with the next prompt or the end of the program', () => {
    const { agent, there } = place();
    agent.prompt('interrupted');
    agent.change(lib, 'lib 1\n');
    agent.send('PreToolUse', agent.tool(lib, 'lib 2\n'));
    assert.deepEqual(there().map(head), [['interrupted', 'open', 'claude-code', 'full']]);
    agent.prompt('next');
    assert.deepEqual(there().map(head), [['interrupted', 'interrupted', 'claude-code', 'full']]);
    agent.change(lib, 'lib 3\n');
    agent.send('SessionEnd', { reason: 'exit' });
    assert.deepEqual(there().map(head)[1], ['next', 'interrupted', 'claude-code', 'full']);
  });

  it('ends in all folders also where the agent has moved to another one meanwhile', () => {
    const { project, library, agent, there } = place();
    agent.prompt('on the move');
    agent.change('app.txt', 'app 1\n');
    agent.directory = library;
    agent.change(lib, 'lib 1\n');
    agent.stop();
    for (const turns of [project.turns(), there()]) assert.deepEqual(turns.map(head), [['on the move', 'closed', 'claude-code', 'full']]);
  });

  it('goes on there under another id when something that it had left running has ended', () => {
    const { project, agent, there } = place();
    const turn = agent.turn('go', [[lib, 'lib 1\n']]);
    agent.prompt('<task-notification>done</task-notification>');
    agent.change(lib, 'lib 2\n');
    agent.change('app.txt', 'app 1\n');
    agent.stop();
    for (const turns of [project.turns(), there()]) assert.deepEqual(turns.map(({ id, prompt, state }) => [id, prompt, state]), [[turn, 'go', 'closed']]);
  });

  it('goes on under another id in a folder in which it has not been', () => {
    const { agent, there } = place();
    const turn = agent.turn('go', [['app.txt', 'app 1\n']]);
    agent.prompt('<task-notification>done</task-notification>');
    agent.change(lib, 'lib 1\n');
    agent.stop();
    assert.deepEqual(there().map(({ id, prompt, state }) => [id, prompt, state]), [[turn, 'go', 'closed']]);
  });

  it('is one of its own for each prompt where the agent gives no ids, and the same in both folders', () => {
    const { project, agent, there } = place();
    agent.givesPromptIds = false;
    for (const prompt of ['one', 'two', 'three']) {
      agent.prompt(prompt);
      agent.change(lib, `lib ${prompt}\n`);
      agent.change('app.txt', `app ${prompt}\n`);
      if (prompt !== 'two') agent.stop();
    }
    const expected = ['one', 'two', 'three'].map(prompt => [prompt, prompt === 'two' ? 'interrupted' : 'closed', 'claude-code', 'full']);
    assert.deepEqual([project.turns().map(head), there().map(head)], [expected, expected]);
    assert.deepEqual(project.turns().map(({ id }) => id), there().map(({ id }) => id));
    assert.deepEqual(there().map(({ files }) => files.map(({ path }: any) => path)), [['lib.txt'], ['lib.txt'], ['lib.txt']]);
  });

  it('is one of its own for each prompt also where the folder in which it is asked is not known', () => {
    const { project, agent, there } = place();
    agent.directory = project.home;
    for (const givesIds of [true, false]) {
      agent.givesPromptIds = givesIds;
      for (const prompt of ['one', 'two']) {
        agent.prompt(prompt);
        agent.change(lib, `lib ${givesIds} ${prompt}\n`);
        agent.stop();
      }
    }
    assert.deepEqual(there().map(({ state, files }) => [state, files.length]), Array.from({ length: 4 }, () => ['closed', 1]));
    // Of what the agent is asked in folders that nobody records, nothing is kept.
    assert.equal(there().some(({ prompt }) => /one|two/.test(prompt)), false);
  });

  it('a call of a refused batch is no longer open there', () => {
    const { agent, there, project, library } = place();
    agent.prompt('refused');
    const tool = agent.tool(lib, 'never\n');
    agent.send('PreToolUse', tool);
    agent.send('PostToolBatch', { tool_calls: [{ ...tool, tool_response: 'You may not.' }] });
    const [turn] = there();
    const dry = project.cli('--root', library, 'rewind', turn.id, '--dry-run');
    assert.deepEqual([turn.coverage.state, dry.exitCode], ['full', 0], dry.output);
    agent.stop();
    assert.deepEqual(there().map(head), [['refused', 'closed', 'claude-code', 'full']]);
  });

  it('a command that began at home and moved the agent ends at home', () => {
    const { project, library, agent, there } = place();
    agent.prompt('moves');
    agent.change(lib, 'lib 1\n');
    const bash = { tool_name: 'Bash', tool_use_id: 'toolu_bash', tool_input: { command: `cd ${library}` } };
    agent.send('PreToolUse', bash);
    agent.directory = library;
    agent.send('PostToolUse', { ...bash, tool_response: {} });
    agent.stop();
    assert.deepEqual(there().map(({ coverage }) => coverage.reasons), [[]]);
    assert.deepEqual(project.turns().map(({ coverage }) => coverage.reasons), [[]]);
  });

  it('is rewound in both from either, also where the one has been silent since it came to the other', () => {
    for (const from of ['project', 'library'] as const) {
      for (const ends of [true, false]) {
        const { project, library, agent } = place();
        const before = [project.tree(), project.tree(library)];
        agent.prompt('both');
        agent.change('app.txt', 'app 1\n');
        agent.change(lib, 'lib 1\n');
        if (ends) agent.stop();
        const [turn] = project.turns();
        assert.equal(project.cli('--root', from === 'project' ? project.folder : library, 'rewind', turn.id).exitCode, 0);
        assert.deepEqual([project.tree(), project.tree(library)], before, `${from} ${ends}`);
      }
    }
  });

  it('leaves no note of a session that has ended, nor of one that has come to no known folder', () => {
    const { project, agent } = place();
    const notes = join(project.storage, 'turns');
    const elsewhere = new PlayedAgent(project, 'elsewhere');
    elsewhere.directory = project.home;
    mkdirSync(join(project.home, 'x'));
    elsewhere.turn('secret', [['../home/x/a.txt', 'a\n']]);
    agent.turn('both', [['app.txt', 'app 1\n'], [lib, 'lib 1\n']]);
    assert.equal(readdirSync(notes).length, 3);
    agent.send('SessionEnd', { reason: 'exit' });
    assert.deepEqual(readdirSync(notes), []);
  });

  it('costs its folder only what is wrong with the notes, and nobody anything else', () => {
    const { project, agent, there } = place();
    project.write('../store/turns', 'in the way');
    agent.turn('noted nowhere', [['app.txt', 'app 1\n'], [lib, 'lib 1\n']]);
    assert.deepEqual(project.turns().map(head), [['noted nowhere', 'closed', 'claude-code', 'full']]);
    assert.deepEqual(there().map(({ files }) => files.length), [1]);
  });
});
