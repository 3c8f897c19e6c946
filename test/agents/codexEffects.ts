import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReplayEffects } from './replayEffects.ts';
import type { ClaudeEvent } from './recordedEvents.ts';

/** Does what the recorded tools of Codex did: until it sleeps, a command runs when it begins, and the rest when it ends. */
export function codexEffects(events: readonly ClaudeEvent[]): ReplayEffects {
  const ended = new Set(events.filter(isEnd).map(event => event.tool_use_id));
  const running: ClaudeEvent[] = [];
  return {
    before(event) {
      if (isEnd(event)) finish(event);
      // What its turn's end did not wait for, and no interrupt killed, was done by then.
      if (event.hook_event_name === 'Stop' || event.hook_event_name === 'SessionStart') for (const command of running.splice(0)) runShell(restOf(command), command.cwd);
      if (event.hook_event_name === 'SessionEnd' && event.session_id === running[0]?.session_id) running.splice(0);
    },
    after(event) {
      if (event.hook_event_name !== 'PreToolUse' || event.tool_name !== 'Bash') return;
      const patch = shellPatch(commandOf(event));
      if (patch !== undefined) applyPatch(patch.body, join(event.cwd, patch.directory));
      else if (startOf(event) !== undefined) runShell(startOf(event) ?? '', event.cwd);
      if (patch === undefined && !ended.has(event.tool_use_id)) running.push(event);
    },
  };
}

function isEnd(event: ClaudeEvent): boolean {
  return event.hook_event_name === 'PostToolUse';
}

function finish(event: ClaudeEvent): void {
  if (event.tool_name === 'apply_patch') applyPatch(commandOf(event), event.cwd);
  if (event.tool_name === 'Bash') runShell(restOf(event), event.cwd);
}

const sleeps = /(?:^|; )sleep [\d.]+; /;

function startOf(event: ClaudeEvent): string | undefined {
  const command = commandOf(event);
  return sleeps.test(command) ? command.split(sleeps)[0] : undefined;
}

function restOf(event: ClaudeEvent): string {
  return commandOf(event).split(sleeps).at(-1) ?? '';
}

function shellPatch(command: string): { readonly directory: string; readonly body: string } | undefined {
  const [, directory = '', body] = /^(?:cd (\S+) && )?apply_patch <<'(?:\w+)'\n([^]*)\n\w+$/.exec(command) ?? [];
  return body === undefined ? undefined : { directory, body };
}

/** By text, not by lines, so that it is not the same work as in the code under test. */
function applyPatch(patch: string, directory: string): void {
  for (const part of patch.split(/^\*\*\* (?=Add|Update|Delete|End)/m).slice(1, -1)) {
    const [, kind, name = '', body = ''] = /^(\w+) File: (.+)\n([^]*)$/.exec(part) ?? [];
    const path = join(directory, name);
    if (kind === 'Delete') rmSync(path);
    if (kind === 'Add') write(path, body.replace(/^\+/gm, ''));
    if (kind !== 'Update') continue;
    const [, moved, hunks = ''] = /^(?:\*\*\* Move to: (.+)\n)?([^]*)$/.exec(body) ?? [];
    const content = readFileSync(path, 'utf8');
    const changed = hunks.split(/^@@.*\n/m).slice(1).reduce(applyHunk, content.replaceAll('\r\n', '\n'));
    rmSync(path);
    write(moved === undefined ? path : join(directory, moved), content.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed);
  }
}

function applyHunk(content: string, hunk: string): string {
  const side = (other: string): string => hunk.split(/(?<=\n)/).filter(line => !line.startsWith(other)).map(line => line.slice(1)).join('');
  if (!content.includes(side('+'))) throw new Error(`The recorded patch does not fit: ${hunk}`);
  return content.replace(side('+'), () => side('-'));
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function commandOf(event: ClaudeEvent): string {
  const command = event.tool_input?.['command'];
  if (typeof command !== 'string') throw new Error('The recorded command is no text.');
  return command;
}

/** Recorded commands stay inside the project by construction; anything else is a mistake in a new recording. */
function runShell(command: string, directory: string): void {
  if (/(^|[\s>])[/~]|\.\.|\$/.test(command)) throw new Error(`Not a command to replay: ${command}`);
  spawnSync('sh', ['-c', command], { cwd: directory, stdio: 'ignore' });
}
