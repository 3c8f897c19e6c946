import assert from 'node:assert/strict';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

const contents = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };

/** Two whole writes and a third one that is only begun; the user stops the agent, which says nothing of it. */
function stopped(): { readonly project: Project; readonly agent: PlayedAgent } {
  const project = new Project(contents).install();
  const agent = new PlayedAgent(project);
  agent.prompt('three writes');
  agent.change('a.txt', 'A\n');
  agent.change('new/b.txt', 'B\n');
  agent.send('PreToolUse', agent.tool('c.txt', 'C\n'));
  return { project, agent };
}

// T6
describe('a turn that the user stops', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('is interrupted and has all of its writes, the one that lands after the stop too; the next turn has none of them', () => {
    const { project, agent } = stopped();
    agent.apply('c.txt', 'C\n');
    agent.turn('no edits', []);
    const [first, second] = project.turns();
    assert.deepEqual([first.state, first.files.map(({ path }: any) => path).toSorted(), second.state, second.files], ['interrupted', ['a.txt', 'c.txt', 'new/b.txt'], 'closed', []]);
    const rewound = project.cli('rewind', first.id);
    assert.deepEqual([rewound.exitCode, project.text('a.txt'), project.text('new/b.txt'), project.text('c.txt')], [0, 'a\n', undefined, 'c\n'], rewound.output);
  });

  it('is asked to be taken back before anything else is heard: the write that has landed goes back too', () => {
    const { project, agent } = stopped();
    agent.apply('c.txt', 'C\n');
    const [only] = project.turns();
    const rewound = project.cli('rewind', only.id);
    assert.deepEqual([rewound.exitCode, project.text('a.txt'), project.text('new/b.txt'), project.text('c.txt')], [0, 'a\n', undefined, 'c\n'], rewound.output);
  });

  it('loses nothing of a write that lands when the next turn has begun: it is nobody\'s, and stays', () => {
    const { project, agent } = stopped();
    agent.prompt('no edits');
    agent.apply('c.txt', 'C\n');
    agent.stop();
    const [first, second] = project.turns();
    assert.deepEqual([first.state, second.files], ['interrupted', []]);
    const { exitCode } = project.cli('rewind', first.id);
    assert.deepEqual([exitCode, project.text('a.txt'), project.text('c.txt')], [0, 'a\n', 'C\n']);
  });
});
