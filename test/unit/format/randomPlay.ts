import { PlayedAgent } from '../cases/playedAgent.ts';
import { ReadableProject } from './agreement.ts';
import type { Random } from './random.ts';

const contents = ['a\n', 'a\nb\n', 'a\nb', 'b\r\na\r\n', '\ufeffa\n', 'a\0b', ''];
const paths = ['a.txt', 'b.txt', 'new/c d.txt'];

/** So many steps of two agents, their user, and somebody who goes back and forth, as the random numbers have it. */
export function playAtRandom(random: Random, steps: number): ReadableProject {
  const project = new ReadableProject({ 'a.txt': 'a\n', 'b.txt': 'b\n' }).install();
  const agents = [new PlayedAgent(project), new PlayedAgent(project, 'session-2')];
  const turns: string[] = [];
  const decided = (): string[] => ['--on-conflict', random.of(['skip', 'merge', 'overwrite'])];
  const change = (agent: PlayedAgent): void => {
    const path = random.of(paths);
    agent.change(path, project.text(path) !== undefined && random.once(5) ? null : random.of(contents));
  };
  const actions: readonly (() => unknown)[] = [
    () => turns.push(random.of(agents).turn(`turn ${turns.length}`, [])),
    () => change(random.of(agents)),
    () => change(random.of(agents)),
    () => change(random.of(agents)),
    () => {
      const [agent, path] = [random.of(agents), random.of(paths)];
      const tool = agent.tool(path, random.of(contents));
      agent.send('PreToolUse', tool);
      agent.apply(path, random.of(contents));
      if (!random.once(3)) agent.send(random.of(['PostToolUse', 'PostToolUseFailure']), tool);
    },
    () => project.write(random.of(paths), random.of(contents)),
    () => project.cli('rewind', random.of(turns), '--reach', random.of(['session', 'workspace']), ...decided()),
    () => project.cli('rollback', random.of(turns), ...decided()),
    () => project.cli(random.of(['undo', 'redo']), ...decided()),
    () => project.cli('undo', ...decided()),
    () => project.cli('fork', random.of(turns), ...decided()),
    () => {
      const branches: readonly { readonly id: string }[] = project.cli('branches').json.branches;
      project.cli('switch', random.of(branches).id, ...decided());
    },
  ];
  for (const agent of agents) {
    turns.push(agent.turn('first', []));
    change(agent);
  }
  for (let step = 0; step < steps; step += 1) random.of(actions)();
  return project;
}
