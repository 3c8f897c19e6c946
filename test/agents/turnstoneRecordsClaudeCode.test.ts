// Turnstone's own hooks in the real Claude Code: what the agent did is what the timeline says, and it can be taken back
// and brought back byte for byte.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { programOrSkip } from './programOrSkip.ts';
import { ensureClaudeCode } from './claudeCode.ts';
import { playScenario } from './playScenario.ts';
import type { Scenario, ScenarioPrompt } from './scenario.ts';
import { claudeCodeScenarios } from './scenarios.ts';
import { makeScratch, treeOf } from './scratch.ts';
import type { Scratch, Tree } from './scratch.ts';
import { buildCli, turnstoneFor } from './turnstoneCli.ts';
import type { LoggedTurn, Turnstone } from './turnstoneCli.ts';

interface Recorded {
  readonly place: Scratch;
  readonly turnstone: Turnstone;
  /** The project before and after each prompt. */
  readonly before: readonly Tree[];
  readonly after: readonly Tree[];
}

describe('Turnstone records the real Claude Code', function () {
  this.timeout(180_000);
  let command: string;
  before(async function () {
    command = await programOrSkip(this, ensureClaudeCode);
    await buildCli();
  });

  async function record(scenario: Scenario): Promise<Recorded> {
    const place = makeScratch(scenario.before);
    const turnstone = turnstoneFor(place);
    const installed = turnstone.run('hooks', 'install', 'claude-code');
    equal(installed.exitCode, 0, installed.output);
    const [before, after]: [Tree[], Tree[]] = [[], []];
    await playScenario(scenario, command, place, {
      before: () => void before.push(treeOf(place.project)),
      after: () => void after.push(treeOf(place.project)),
    });
    return { place, turnstone, before, after };
  }

  for (const scenario of claudeCodeScenarios) {
    it(scenario.name, async () => {
      const { place, turnstone, before, after } = await record(scenario);
      const turns = turnstone.turns();
      deepEqual(turns.map((turn) => turn.prompt), scenario.prompts.map((prompt) => prompt.text));
      for (const [index, turn] of turns.entries()) expectTurn(turn, scenario.prompts[index]);

      // The newest turn alone, and then all of them: each time to before that prompt, and back again.
      for (const index of new Set([turns.length - 1, 0])) {
        const paths = scenario.prompts.slice(index).flatMap((prompt) => [...Object.keys(prompt.exact), ...(prompt.shell ?? [])]);
        const only = (tree: Tree | undefined): Tree => pick(tree ?? {}, paths);
        const rewound = turnstone.run('rewind', turns[index]?.id ?? '');
        equal(rewound.exitCode, 0, rewound.output);
        deepEqual(only(treeOf(place.project)), only(before[index]));
        const undone = turnstone.run('undo');
        equal(undone.exitCode, 0, undone.output);
        deepEqual(only(treeOf(place.project)), only(after.at(-1)));
      }
    });
  }
});

function expectTurn(turn: LoggedTurn, prompt: ScenarioPrompt | undefined): void {
  ok(prompt);
  const { exact, shell = [], background = [], interruption } = prompt;
  equal(turn.agent, 'claude-code');
  if (interruption === undefined) equal(turn.state, 'closed');
  else if (interruption.signal === 'SIGINT') equal(turn.state, 'interrupted');
  // Nothing tells that a killed agent is gone, so its turn may still look open; it must not look finished.
  else notEqual(turn.state, 'closed');
  const byShell = turn.files.filter(({ path }) => !(path in exact));
  // Of what nobody has told to have ended, the next look tells.
  const told = interruption?.signal === 'SIGKILL' ? [] : shell;
  deepEqual(new Set(byShell.map(({ path }) => path).filter((path) => !background.includes(path))), new Set(told), 'what shell commands changed');
  for (const path of background) ok(byShell.some((file) => file.path === path) || turn.coverage.reasons.some((reason) => reason.startsWith(`${path}: `)), `${path} is named`);
  const recorded = turn.files.filter(({ path }) => path in exact).map(({ path, status }) => [path, status]);
  deepEqual(Object.fromEntries(recorded), exact);
}

function pick(tree: Tree, paths: readonly string[]): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => paths.includes(path)));
}
