import assert from 'node:assert/strict';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

type Play = (agent: PlayedAgent, tool: Readonly<Record<string, unknown>>) => void;

/** Every way in which a call can be open, or be heard of again, while the user is in its file. */
const plays: readonly (readonly [what: string, play: Play])[] = [
  [
    'that the user refused without a word to anybody',
    agent => {
      agent.apply('a.txt', 'v0\nmine\n');
      agent.prompt('next');
    },
  ],
  [
    'whose agent was killed after its work',
    agent => {
      agent.apply('a.txt', 'agent\n');
      agent.apply('a.txt', 'agent\nmine\n');
      agent.prompt('next');
    },
  ],
  [
    'that failed',
    (agent, tool) => {
      agent.apply('a.txt', 'v0\nmine\n');
      agent.send('PostToolUseFailure', { ...tool, error: 'refused' });
      agent.stop();
    },
  ],
  [
    'that found the user\'s text',
    (agent, tool) => {
      agent.apply('a.txt', 'v0\nmine\n');
      agent.apply('a.txt', 'agent\n');
      agent.send('PostToolUse', { ...tool, tool_response: { originalFile: 'v0\nmine\n' } });
      agent.stop();
    },
  ],
  [
    'that is reported twice',
    (agent, tool) => {
      agent.apply('a.txt', 'agent\n');
      agent.send('PostToolUse', tool);
      agent.apply('a.txt', 'agent\nmine\n');
      agent.send('PostToolUse', tool);
      agent.stop();
    },
  ],
  [
    'that is reported after its turn had ended',
    (agent, tool) => {
      agent.apply('a.txt', 'agent\n');
      agent.stop();
      agent.apply('a.txt', 'agent\nmine\n');
      agent.send('PostToolUse', tool);
    },
  ],
];

describe('U1: the user edits a file of a call', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  for (const [what, play] of plays) {
    it(`${what}, and keeps the edit`, () => {
      const project = new Project({ 'a.txt': 'v0\n' }).install();
      const agent = new PlayedAgent(project);
      agent.prompt('work');
      const tool = agent.tool('a.txt', 'agent\n');
      agent.send('PreToolUse', tool);
      play(agent, tool);
      const turn = project.cli('log', '--all').json.turns.find((logged: { prompt: string }) => logged.prompt === 'work');
      project.cli('rewind', turn.id);
      assert.match(project.text('a.txt') ?? '', /^mine$/m);
    });
  }
});
