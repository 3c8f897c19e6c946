import { textAt, type Shape } from '../core/base/shape.ts';

/**
 * Which other host an event comes from, where several read one settings file; undefined for the one whose format it is. Payloads only nearly tell:
 * Copilot has no ids of calls and its own transcripts, VS Code has ids, and both write the time, which Claude Code does not.
 */
export function foreignHost(payload: Shape, environment: NodeJS.ProcessEnv): 'cursor' | 'copilot' | 'vscode' | undefined {
  if ('cursor_version' in payload || ('conversation_id' in payload && 'generation_id' in payload)) return 'cursor';
  if (typeof payload['timestamp'] === 'number') return 'copilot';
  if (typeof payload['timestamp'] !== 'string' || claudeKeys.some(key => key in payload)) return undefined;
  if ('tool_use_id' in payload || 'toolUseId' in payload) return 'vscode';
  if ('tool_name' in payload || copilotKeys.some(key => key in payload)) return 'copilot';
  const transcript = valueAt(payload, 'transcript_path');
  if (transcript !== undefined) return /[\\/]session-state[\\/]/.test(transcript) ? 'copilot' : 'vscode';
  return environment['COPILOT_CLI'] === undefined ? 'vscode' : 'copilot';
}

const claudeKeys = ['prompt_id', 'permission_mode', 'effort'] as const;
const copilotKeys = ['initial_prompt', 'stop_reason', 'parent_agent_id', 'reason'] as const;

/** The text under a key, in either casing: the hosts differ in it, and one of them by its versions. */
export function valueAt(payload: Shape, key: string): string | undefined {
  return textAt(payload, key) ?? textAt(payload, key.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
}
