import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ClaudeEvent } from './recordedEvents.ts';

export interface ReplayEffects {
  before(event: ClaudeEvent): void;
  after(event: ClaudeEvent): void;
}

type Input = Readonly<Record<string, unknown>>;

/** Does what the recorded tools did: a finished call just before its Post event, as the agent that waits for it. */
export function replayEffects(events: readonly ClaudeEvent[], project: string): ReplayEffects {
  const finished = new Set(events.filter(isEnd).map((event) => event.tool_use_id));
  const background: ClaudeEvent[] = [];
  return {
    before(event) {
      if (isEnd(event)) {
        // A background command has only been started by then; it is done when its notification comes.
        if (event.tool_input?.['run_in_background'] === true) background.push(event);
        else applyTool(event, project);
      }
      for (const job of background) {
        if (event.prompt?.includes(String(job.tool_use_id)) === true) applyTool(job, project);
      }
    },
    after(event) {
      const interrupted = event.hook_event_name === 'PreToolUse' && !finished.has(event.tool_use_id);
      if (interrupted && event.tool_name === 'Bash') runShell(startedPart(commandOf(event)), project);
    },
  };
}

function isEnd(event: ClaudeEvent): boolean {
  return event.hook_event_name === 'PostToolUse' || event.hook_event_name === 'PostToolUseFailure';
}

function applyTool(event: ClaudeEvent, project: string): void {
  const input = event.tool_input ?? {};
  if (event.tool_name === 'Write') write(text(input, 'file_path'), text(input, 'content'));
  if (event.tool_name === 'Edit') edit(input);
  if (event.tool_name === 'NotebookEdit') {
    write(text(input, 'notebook_path'), text(event.tool_response as Input, 'updated_file'));
  }
  if (event.tool_name === 'Bash') runShell(commandOf(event).replace(/\bsleep [\d.]+; /g, ''), project);
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function edit(input: Input): void {
  const path = text(input, 'file_path');
  const [before, after] = [text(input, 'old_string'), text(input, 'new_string')];
  const content = before === '' ? '' : readFileSync(path, 'utf8');
  if (!content.includes(before)) throw new Error(`The recorded edit of ${path} does not fit this file.`);
  if (before === '') write(path, after);
  else if (input['replace_all'] === true) write(path, content.replaceAll(before, () => after));
  else write(path, content.replace(before, () => after));
}

function commandOf(event: ClaudeEvent): string {
  return text(event.tool_input ?? {}, 'command');
}

/** Interrupted commands of the recordings write a file, sleep, and never come to what follows. */
export function startedPart(command: string): string {
  return command.split(/; sleep /)[0] ?? '';
}

/** Recorded commands stay inside the project by construction; anything else is a mistake in a new recording. */
function runShell(command: string, project: string): void {
  if (/(^|[\s>])[/~]|\.\.|\$/.test(command)) throw new Error(`Not a command to replay: ${command}`);
  spawnSync('sh', ['-c', command], { cwd: project, stdio: 'ignore' });
}

function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Error(`The recorded ${name} is no text.`);
  return value;
}
