// Lets an agent work in the sample project with Turnstone's hooks installed: the real Claude Code with a scripted model
// where it can be had, else the same session played by handing its events to the installed hook command.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureClaudeCode } from '../agents/claudeCode.ts';
import { playScenario } from '../agents/playScenario.ts';
import type { Scenario } from '../agents/scenario.ts';
import type { Scratch } from '../agents/scratch.ts';
import type { ModelStep } from '../agents/modelScript.ts';

export interface PlayedBy {
  readonly agent: string;
  readonly isReal: boolean;
}

/** Plays the scenario; `beforePrompt` is called before each prompt. */
export async function playSample(scenario: Scenario, place: Scratch, beforePrompt: (index: number) => void): Promise<PlayedBy> {
  const program = await ensureClaudeCode();
  if (program.available) {
    const { results } = await playScenario(scenario, program.command, place, { before: beforePrompt });
    const failed = results.find(({ exitCode }) => exitCode !== 0);
    if (failed !== undefined) throw new Error(`Claude Code ended with ${failed.exitCode}: ${failed.stdout}${failed.stderr}`);
    return { agent: 'the real Claude Code program with a scripted model', isReal: true };
  }
  playEvents(scenario, place, beforePrompt);
  return { agent: `the recorded events of such a session, because Claude Code can't be had here (${program.reason})`, isReal: false };
}

function playEvents(scenario: Scenario, place: Scratch, beforePrompt: (index: number) => void): void {
  const settings = JSON.parse(readFileSync(join(place.home, '.claude', 'settings.json'), 'utf8')) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>;
  };
  const session = randomUUID();
  const turns = [...scenario.script.turns];
  scenario.prompts.forEach(({ text }, index) => {
    beforePrompt(index);
    const prompt = randomUUID();
    const send = (event: string, more: object): void => {
      const command = settings.hooks[event]?.[0]?.hooks[0]?.command ?? 'false';
      const input = JSON.stringify({ session_id: session, cwd: place.project, prompt_id: prompt, hook_event_name: event, ...more });
      const { status } = spawnSync('sh', ['-c', command], { cwd: place.project, input, env: { PATH: process.env['PATH'], HOME: place.home } });
      if (status !== 0) throw new Error(`The hook for ${event} ended with ${status}.`);
    };
    send('UserPromptSubmit', { prompt: text });
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      for (const step of turn) playStep(step, place, send);
      if (!turn.some((step) => 'tool' in step)) break;
    }
    send('Stop', {});
  });
}

function playStep(step: ModelStep, place: Scratch, send: (event: string, more: object) => void): void {
  if (!('tool' in step)) return;
  const input = JSON.parse(JSON.stringify(step.input).replaceAll('${PROJECT}', place.project)) as Record<string, string>;
  const call = { tool_name: step.tool, tool_use_id: randomUUID(), tool_input: input };
  const path = input['file_path'];
  send('PreToolUse', call);
  if (path !== undefined && step.tool === 'Write') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, input['content'] ?? '');
  }
  if (path !== undefined && step.tool === 'Edit') writeFileSync(path, readFileSync(path, 'utf8').replace(input['old_string'] ?? '', () => input['new_string'] ?? ''));
  send('PostToolUse', call);
}
