import { isShape, listAt, textAt, type Shape } from '../core/base/shape.ts';
import type { ToolEffect } from './agentEvent.ts';

/**
 * What Claude Code's hooks send, as far as it is used here. Unknown keys are passed over and unknown
 * events are told apart by name, so that a newer version of the program loses us nothing we know.
 * Source: the recorded events under test/agents/payloads and the program's own type definitions.
 */
export interface ClaudePayload {
  readonly session_id: string;
  readonly cwd: string;
  readonly hook_event_name?: string | undefined;
  readonly transcript_path?: string | undefined;
  readonly prompt_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly prompt?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly tool_use_id?: string | undefined;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly tool_calls: readonly BatchedCall[];
}

/** One call of a PostToolBatch event. */
export interface BatchedCall {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
  readonly tool_response: unknown;
}

const texts = ['hook_event_name', 'transcript_path', 'prompt_id', 'agent_id', 'prompt', 'tool_name', 'tool_use_id'] as const;

function readCalls(shape: Shape): readonly BatchedCall[] {
  return (listAt(shape, 'tool_calls') ?? []).filter(isShape).flatMap(call => {
    const [tool_name, tool_use_id] = [textAt(call, 'tool_name'), textAt(call, 'tool_use_id')];
    return tool_name === undefined || tool_use_id === undefined ? [] : [{ tool_name, tool_use_id, tool_input: call['tool_input'], tool_response: call['tool_response'] }];
  });
}

/** What an event holds; undefined for what is none. */
export function readClaudePayload(shape: Shape): ClaudePayload | undefined {
  const [session_id, cwd] = [textAt(shape, 'session_id'), textAt(shape, 'cwd')];
  if (!session_id || !cwd) return undefined;
  const optional = Object.fromEntries(texts.map(key => [key, textAt(shape, key)]));
  return { session_id, cwd, ...optional, tool_input: shape['tool_input'], tool_response: shape['tool_response'], tool_calls: readCalls(shape) };
}

const exactTools: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

// Tools that start a sub-agent: what it does comes as calls of its own, and a late note names the tool use.
const delegatingTools: ReadonlySet<string> = new Set(['Agent', 'Task']);

// Tools that change no file themselves.
const harmlessTools: ReadonlySet<string> = new Set([
  'Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'WebFetch', 'WebSearch', 'TodoRead', 'TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate',
  'TaskOutput', 'TaskStop', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'BashOutput', 'KillShell', 'ToolSearch', 'SendMessage', 'ListMcpResources', 'ReadMcpResource', 'LSP',
]);

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmlessTools.has(tool)) return { kind: 'none' };
  if (delegatingTools.has(tool)) return { kind: 'exact', paths: [] };
  if (!exactTools.has(tool)) return { kind: 'undeclared' };
  const path = isShape(input) ? (textAt(input, 'file_path') ?? textAt(input, 'notebook_path')) : undefined;
  // An edit that names no file we can read may still change one.
  return path === undefined || path === '' ? { kind: 'undeclared' } : { kind: 'exact', paths: [path] };
}

export type PromptKind =
  | { readonly kind: 'user' }
  /** The program's own note that something left running has ended; the tool use that had started it, where it says. */
  | { readonly kind: 'notification'; readonly toolUse: string | undefined }
  | { readonly kind: 'none' };

/** Whose prompt it is: only a user's begins a turn. */
export function promptKindOf(payload: ClaudePayload): PromptKind {
  const prompt = payload.prompt?.trim() ?? '';
  if (prompt.startsWith('<task-notification>')) return { kind: 'notification', toolUse: /<tool-use-id>([^<]+)<\/tool-use-id>/.exec(prompt)?.[1] };
  return prompt === '' || payload.agent_id ? { kind: 'none' } : { kind: 'user' };
}
