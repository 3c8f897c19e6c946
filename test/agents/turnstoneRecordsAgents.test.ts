// Every agent program that a registry has, driven by a scripted model, with nothing of Turnstone but its installed hooks.
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { AgentProgram } from './agentProgram.ts';
import { countEvents } from './countedEvents.ts';
import type { ModelScript } from './modelScript.ts';
import { programOrSkip } from './programOrSkip.ts';
import { agentPrograms } from './programs/all.ts';
import { makeScratch, treeOf, type Tree } from './scratch.ts';
import { say } from './scriptedSteps.ts';
import { startScriptedModel } from './scriptedModel.ts';
import { buildCli, turnstoneFor } from './turnstoneCli.ts';

/** What came of one program: its version, the events seen, edits made and recorded, and whether all bytes were equal after every rewind and undo. */
type Row = Readonly<Record<string, string | number>>;

/** Two prompts with what people's agents do: edits, a failed edit, and commands that create, change, move, delete and fail. */
function scriptFor({ steps: { write, folder, edit, read, shell } }: AgentProgram): ModelScript {
  const look = (path: string) => (read === undefined ? [] : [[read(path)]]);
  return {
    turns: [
      [write('new.txt', 'one\ntwo\n')],
      ...look('old.txt'),
      [edit('old.txt', 'beta', 'BETA')],
      [edit('old.txt', 'no such text', 'x')],
      [shell('echo z > shell.txt && rm gone.txt && mkdir -p d && mv mv.txt d/moved.txt')],
      [shell('echo half > half.txt; exit 3')],
      [say('First done.')],
      ...look('new.txt'),
      [edit('new.txt', 'two', 'TWO')],
      ...(folder === undefined ? [] : [[folder('deep/er')]]),
      [write('deep/er/third.txt', 'third\n')],
      [shell('echo more >> old.txt; rm half.txt')],
      [say('Second done.')],
    ],
  };
}

function changed(before: Tree, after: Tree): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(path => before[path] !== after[path]).sort();
}

describe('Turnstone records the real program of', function () {
  this.timeout(240_000);
  const rows = new Map<string, Row>();
  before(buildCli);

  for (const program of agentPrograms) {
    it(program.title, async function () {
      const command = await programOrSkip(this, program.ensure);
      const place = makeScratch();
      const turnstone = turnstoneFor(place);
      const model = await startScriptedModel(scriptFor(program), { variables: { PROJECT: place.project } });
      const trees = [treeOf(place.project)];
      let events: () => readonly string[] = () => [];
      try {
        await program.prepare(place, model.url);
        const installed = turnstone.run('hooks', 'install', program.agent);
        equal(installed.exitCode, 0, installed.output);
        events = countEvents(place);
        for (const [index, prompt] of ['first prompt', 'second prompt'].entries()) {
          const run = await program.run({ command, place, modelUrl: model.url, prompt, goesOn: index > 0 });
          equal(run.exitCode, 0, run.output);
          trees.push(treeOf(place.project));
        }
      } finally {
        await model.stop();
        await program.stop?.(place);
      }
      const [start = {}, middle = {}, end = {}] = trees;
      // The script was really played: otherwise everything below would hold of nothing.
      deepEqual([changed(start, middle), changed(middle, end)], [['d/moved.txt', 'gone.txt', 'half.txt', 'mv.txt', 'new.txt', 'old.txt', 'shell.txt'], ['deep/er/third.txt', 'half.txt', 'new.txt', 'old.txt']], JSON.stringify(model.requests().at(-1)));

      const turns = turnstone.turns();
      const recorded = turns.map(turn => turn.files.map(({ path }) => path).sort());
      const made = [changed(start, middle), changed(middle, end)];
      rows.set(program.title, { version: program.version, events: events().length, made: made.flat().length, recorded: recorded.flat().length, equal: 'no' });
      ok(events().length > 0);
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
