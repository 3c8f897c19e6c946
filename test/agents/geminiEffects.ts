import { resolve } from 'node:path';
import type { ClaudeEvent } from './recordedEvents.ts';
import { startedPart, type ReplayEffects } from './replayEffects.ts';
import { replaceText, runCommandLine, writeText } from './toolEffects.ts';

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
      if (left === 0 && event.tool_name === 'run_shell_command') runCommandLine(startedPart(text(event, 'command')), project);
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
  const path = (): string => resolve(project, text(event, 'file_path'));
  if (event.tool_name === 'run_shell_command') runCommandLine(text(event, 'command'), project);
  if (event.tool_name === 'write_file') writeText(path(), text(event, 'content'));
  if (event.tool_name === 'replace' || event.tool_name === 'edit') replaceText(path(), text(event, 'old_string'), text(event, 'new_string'));
}

function text(event: ClaudeEvent, name: string): string {
  const value = event.tool_input?.[name];
  if (typeof value !== 'string') throw new Error(`The recorded ${name} is no text.`);
  return value;
}
