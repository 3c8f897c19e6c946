import { equal } from 'node:assert/strict';
import type { AgentProgram } from './agentProgram.ts';
import { countEvents } from './countedEvents.ts';
import type { ModelScript } from './modelScript.ts';
import type { Availability } from './npmProgram.ts';
import { makeScratch, treeOf, type Scratch, type Tree } from './scratch.ts';
import { say } from './scriptedSteps.ts';
import { startScriptedModel } from './scriptedModel.ts';
import { turnstoneFor, type Turnstone } from './turnstoneCli.ts';

/** What a program did over two prompts, and where Turnstone recorded it. */
export interface PlayedProgram {
  readonly place: Scratch;
  readonly turnstone: Turnstone;
  /** The project before the first prompt and after each. */
  readonly trees: readonly Tree[];
  readonly events: readonly string[];
  /** The model's last answer, to be shown where the script was not played to its end. */
  readonly lastRequest: unknown;
}

export type Outcome = { readonly available: false; readonly reason: string } | { readonly available: true; readonly play: PlayedProgram };

/** So many programs run at a time: each mostly waits for its model, its hooks, and time-outs of its own. */
const atOnce = 2;

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

async function play(program: AgentProgram, command: string): Promise<PlayedProgram> {
  const place = makeScratch();
  const turnstone = turnstoneFor(place);
  const model = await startScriptedModel(scriptFor(program), { variables: { PROJECT: place.project } });
  const trees = [treeOf(place.project)];
  try {
    await program.prepare(place, model.url);
    const installed = turnstone.run('hooks', 'install', program.agent);
    equal(installed.exitCode, 0, installed.output);
    const events = countEvents(place);
    for (const [index, prompt] of ['first prompt', 'second prompt'].entries()) {
      const run = await program.run({ command, place, modelUrl: model.url, prompt, goesOn: index > 0 });
      equal(run.exitCode, 0, run.output);
      trees.push(treeOf(place.project));
    }
    return { place, turnstone, trees, events: events(), lastRequest: model.requests().at(-1) };
  } finally {
    await model.stop();
    await program.stop?.(place);
  }
}

async function outcomeOf(program: AgentProgram): Promise<Outcome> {
  const found: Availability = await program.ensure();
  return found.available ? { available: true, play: await play(program, found.command) } : found;
}

/** Runs all of them, two at a time, in their order; whoever waits for one gets its failure. */
export function playPrograms(programs: readonly AgentProgram[]): (program: AgentProgram) => Promise<Outcome> {
  const outcomes = new Map<AgentProgram, Promise<Outcome>>();
  const lanes: Promise<unknown>[] = Array.from({ length: atOnce }, () => Promise.resolve());
  for (const [index, program] of programs.entries()) {
    const outcome = (lanes[index % atOnce] as Promise<unknown>).then(() => outcomeOf(program));
    // A failure is told by the test that waits for it.
    lanes[index % atOnce] = outcome.catch(() => undefined);
    outcomes.set(program, outcome);
  }
  return program => outcomes.get(program) as Promise<Outcome>;
}
