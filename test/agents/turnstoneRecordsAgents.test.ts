// Every agent program that a registry has, driven by a scripted model, with nothing of Turnstone but its installed hooks.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { playPrograms } from './playedPrograms.ts';
import { programOrSkip } from './programOrSkip.ts';
import { agentPrograms } from './programs/all.ts';
import { treeOf, type Tree } from './scratch.ts';
import { buildCli } from './turnstoneCli.ts';

/** What came of one program: its version, the events seen, edits made and recorded, and whether all bytes were equal after every rewind and undo. */
type Row = Readonly<Record<string, string | number>>;

function changed(before: Tree, after: Tree): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(path => before[path] !== after[path]).sort();
}

describe('Turnstone records the real program of', function () {
  // Programs wait for each other, and for the registry the first time.
  this.timeout(600_000);
  const rows = new Map<string, Row>();
  let outcomeOf: ReturnType<typeof playPrograms>;
  before(async () => {
    await buildCli();
    outcomeOf = playPrograms(agentPrograms);
  });

  for (const program of agentPrograms) {
    it(program.title, async function () {
      const outcome = await outcomeOf(program);
      await programOrSkip(this, async () => (outcome.available ? { available: true, command: '' } : outcome));
      if (!outcome.available) return;
      const { place, turnstone, trees, events, lastRequest } = outcome.play;
      const [start = {}, middle = {}, end = {}] = trees;
      // The script was really played: otherwise everything below would hold of nothing.
      deepEqual([changed(start, middle), changed(middle, end)], [['d/moved.txt', 'gone.txt', 'half.txt', 'mv.txt', 'new.txt', 'old.txt', 'shell.txt'], ['deep/er/third.txt', 'half.txt', 'new.txt', 'old.txt']], JSON.stringify(lastRequest));

      const turns = turnstone.turns();
      const recorded = turns.map(turn => turn.files.map(({ path }) => path).sort());
      const made = [changed(start, middle), changed(middle, end)];
      rows.set(program.title, { version: program.version, events: events.length, made: made.flat().length, recorded: recorded.flat().length, equal: 'no' });
      ok(events.length > 0);
      const prompts = program.tellsNoPrompts === true ? ['(prompt not recorded)', '(prompt not recorded)'] : ['first prompt', 'second prompt'];
      deepEqual(turns.map(({ prompt, agent, state }) => [prompt, agent, state]), prompts.map((prompt) => [prompt, program.agent, 'closed']), turnstone.run('log').output);
      deepEqual(recorded, made);
      for (const [index, target] of [[1, middle], [0, start]] as const) {
        const rewound = turnstone.run('rewind', turns[index]?.id ?? '', '--reach', 'workspace');
        equal(rewound.exitCode, 0, rewound.output);
        deepEqual(treeOf(place.project), target);
        const undone = turnstone.run('undo');
        equal(undone.exitCode, 0, undone.output);
        deepEqual(treeOf(place.project), end);
      }
      rows.set(program.title, { ...rows.get(program.title), equal: 'yes' });
    });
  }

  after(() => console.table(Object.fromEntries(rows)));
});
