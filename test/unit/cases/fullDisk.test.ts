import assert from 'node:assert/strict';
import { buildCliOnce } from './builtCli.ts';
import { faultIn } from './faultIn.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

const bash = { tool_name: 'Bash', tool_input: { command: 'make' } };

interface Played {
  readonly project: Project;
  readonly agent: PlayedAgent;
  readonly coverage: () => { readonly state: string; readonly reasons: readonly string[] };
}

function prompted(): Played {
  const project = new Project({ 'a.txt': '0\n' }).install();
  const agent = new PlayedAgent(project);
  agent.prompt('while the disk is full');
  return { project, agent, coverage: () => project.turns()[0].coverage };
}

describe('a turn whose disk was full for a while', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('says what could not be recorded, as soon as something can be', () => {
    const { agent, coverage, project } = prompted();
    const full = faultIn({ full: 'contents' });
    const tool = agent.tool('a.txt', '1\n');
    agent.send('PreToolUse', tool, full);
    project.write('a.txt', '1\n');
    agent.send('PostToolUse', { ...tool, tool_response: {} }, full);
    agent.stop();
    assert.equal(coverage().state, 'partly');
    assert.match(coverage().reasons.join(), /^Write: not recorded/);
  });

  for (const [what, make] of [
    ['an edit', (agent: PlayedAgent) => agent.tool('a.txt', '1\n')],
    ['a command', () => ({ ...bash, tool_use_id: 'toolu_bash' })],
  ] as const) {
    it(`says of ${what} that its beginning is missing, where no note could be taken either`, () => {
      const { agent, coverage } = prompted();
      const tool = make(agent);
      agent.send('PreToolUse', tool, faultIn({ full: 'names' }));
      assert.equal(coverage().state, 'full');
      for (let times = 0; times < 2; times += 1) agent.send('PostToolUse', { ...tool, tool_response: {} });
      assert.equal(coverage().reasons.filter(reason => reason === `${tool['tool_name']}: not recorded, its beginning is not on record`).length, 1);
      agent.stop();
      assert.equal(coverage().state, 'partly');
    });

    it(`says of ${what} that all of it is missing, where the batch tells`, () => {
      const { agent, coverage } = prompted();
      const tool = make(agent);
      for (const event of ['PreToolUse', 'PostToolUse']) agent.send(event, { ...tool, tool_response: {} }, faultIn({ full: 'names' }));
      agent.send('PostToolBatch', { tool_calls: [{ ...tool, tool_response: 'Done.' }] });
      agent.stop();
      assert.deepEqual(coverage(), { state: 'partly', reasons: [`${tool['tool_name']}: not recorded, neither its beginning nor its end is on record`] });
    });
  }

  it('says nothing of calls that never began', () => {
    const { agent, coverage } = prompted();
    const [wrong, denied] = [agent.tool('a.txt', '1\n'), agent.tool('a.txt', '2\n')];
    agent.send('PreToolUse', denied);
    agent.send('PostToolBatch', { tool_calls: [{ ...wrong, tool_response: '<tool_use_error>String to replace not found in file.</tool_use_error>' }, { ...denied, tool_response: 'You may not.' }] });
    agent.stop();
    assert.deepEqual(coverage(), { state: 'full', reasons: [] });
  });
});
