// node test/bench/hookCost.ts [runs]     what one hook of Turnstone costs an agent, over an empty script of the same Node
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPayloads } from '../agents/replay.ts';
import type { ClaudeEvent } from '../agents/recordedEvents.ts';
import { makeScratch } from '../agents/scratch.ts';
import { buildCli, turnstoneFor } from '../agents/turnstoneCli.ts';

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

const runs = Math.max(40, Number(process.argv[2] ?? 40));
await buildCli();
const place = makeScratch();
const installed = turnstoneFor(place).run('hooks', 'install', 'claude-code');
if (installed.exitCode !== 0) throw new Error(installed.output);
const { hooks } = JSON.parse(readFileSync(join(place.home, '.claude', 'settings.json'), 'utf8')) as Settings;
const events = readPayloads('claude-code/all-tools.jsonl', place);
const empty = join(dirname(place.home), 'empty.js');
writeFileSync(empty, '');

/** The exit code is checked, because a hook that fails early would look cheap. */
function timed(program: string, parameters: readonly string[], input: string): number {
  const start = performance.now();
  const { status } = spawnSync(program, parameters, {
    cwd: place.project,
    env: { PATH: process.env['PATH'], HOME: place.home },
    input,
  });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} ended with ${status}.`);
  return performance.now() - start;
}

function timedHook(event: ClaudeEvent): number {
  const command = hooks[event.hook_event_name]?.[0]?.hooks[0]?.command;
  if (command === undefined) throw new Error(`There is no hook for ${event.hook_event_name}.`);
  return timed('sh', ['-c', command], JSON.stringify(event));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function find(name: string): ClaudeEvent {
  const event = events.find((candidate) => candidate.hook_event_name === name);
  if (event === undefined) throw new Error(`The recording has no ${name}.`);
  return event;
}

timedHook(find('SessionStart'));
timedHook(find('UserPromptSubmit'));
const names = ['PreToolUse', 'PostToolUse'];
const costs = new Map(names.map((name) => [name, [] as number[]]));
const baseline: number[] = [];
for (let run = 0; run < runs; run += 1) {
  // Interleaved, so that a busy moment of the machine falls on all alike.
  baseline.push(timed(process.execPath, [empty], ''));
  for (const name of names) {
    const event = { ...find(name), tool_use_id: `toolu_run_${run}` };
    if (name === 'PostToolUse') writeFileSync(join(place.project, 'new.txt'), `one\ntwo\n${run}\n`);
    costs.get(name)?.push(timedHook(event));
  }
}
const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
console.log(`${runs} interleaved runs; node with an empty script: ${milliseconds(median(baseline))}`);
for (const [name, values] of costs) {
  const difference = median(values) - median(baseline);
  console.log(`${name}: ${milliseconds(median(values))}, ${milliseconds(difference)} more`);
}
