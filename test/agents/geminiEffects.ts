import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ClaudeEvent } from './recordedEvents.ts';
import { runShell, startedPart, type ReplayEffects } from './replayEffects.ts';

const ends: ReadonlySet<string> = new Set(['AfterTool', 'PostToolUse', 'PostToolUseFailure']);
const begins: ReadonlySet<string> = new Set(['BeforeTool', 'PreToolUse']);

/**
 * Does what the recorded tools of Gemini CLI, and of Qwen Code, which descends from it, did: a finished call just before its end is told, and of
 * one whose end never is, what it had done by the interrupt. Calls of neither need ids for it.
 */
export function geminiEffects(events: readonly ClaudeEvent[], project: string): ReplayEffects {
  const told = new Map<string, number>();
  for (const event of events) if (ends.has(event.hook_event_name)) told.set(likeness(event), (told.get(likeness(event)) ?? 0) + 1);
  return {
    before(event) {
      if (ends.has(event.hook_event_name) && !isFailedEdit(event)) applyTool(event, project);
    },
    after(event) {
      if (!begins.has(event.hook_event_name)) return;
      const left = told.get(likeness(event)) ?? 0;
      told.set(likeness(event), left - 1);
      if (left === 0 && event.tool_name === 'run_shell_command') runShell(startedPart(text(event, 'command')), project);
    },
  };
}

function likeness({ tool_name: tool, tool_input: input }: ClaudeEvent): string {
  return JSON.stringify([tool, input]);
}

function isFailedEdit(event: ClaudeEvent): boolean {
  const response = event.tool_response as { readonly error?: unknown } | undefined;
  return event.tool_name !== 'run_shell_command' && (event.hook_event_name === 'PostToolUseFailure' || response?.error !== undefined);
}

function applyTool(event: ClaudeEvent, project: string): void {
  if (event.tool_name === 'run_shell_command') return runShell(text(event, 'command').replace(/\bsleep [\d.]+; /g, ''), project);
  if (!['write_file', 'replace', 'edit'].includes(event.tool_name ?? '')) return;
  const path = resolve(project, text(event, 'file_path'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, event.tool_name === 'write_file' ? text(event, 'content') : edited(event, readFileSync(path, 'utf8')));
}

function edited(event: ClaudeEvent, content: string): string {
  const [before, after] = [text(event, 'old_string'), text(event, 'new_string')];
  if (!content.includes(before)) throw new Error(`The recorded edit of ${text(event, 'file_path')} does not fit this file.`);
  return content.replace(before, () => after);
}

function text(event: ClaudeEvent, name: string): string {
  const value = event.tool_input?.[name];
  if (typeof value !== 'string') throw new Error(`The recorded ${name} is no text.`);
  return value;
}
