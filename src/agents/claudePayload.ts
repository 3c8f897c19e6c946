import * as z from 'zod/mini';
import { lazy } from '../core/base/lazy.ts';

/**
 * What Claude Code's hooks send, as far as it is used here. Unknown keys are passed over and unknown
 * events are told apart by name, so that a newer version of the program loses us nothing we know.
 * Source: the recorded events under test/agents/payloads and the program's own type definitions.
 */
const payloadSchema = lazy(() => {
  const text = z.nullish(z.string());
  const something = z.optional(z.unknown());
  const name = z.string();
  return z.object({
    session_id: name,
    cwd: name,
    hook_event_name: text,
    transcript_path: text,
    prompt_id: text,
    agent_id: text,
    prompt: text,
    tool_name: text,
    tool_use_id: text,
    tool_input: something,
    tool_calls: z.nullish(z.array(z.object({ tool_name: name, tool_use_id: name, tool_input: something, tool_response: something }))),
  });
});
export type ClaudePayload = z.infer<ReturnType<typeof payloadSchema>>;

const pathInputSchema = lazy(() => z.object({ file_path: z.optional(z.string()), notebook_path: z.optional(z.string()) }));

/** Reads one event; undefined with a reason for what is not one. */
export function parseClaudePayload(text: string): { readonly payload: ClaudePayload } | { readonly reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: 'it is not JSON' };
  }
  const parsed = z.safeParse(payloadSchema(), value);
  if (parsed.success) return { payload: parsed.data };
  const issue = parsed.error.issues[0];
  return { reason: `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'unknown shape'}` };
}

const exactTools: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

// Tools that change no file themselves; what a sub-agent does comes as calls of its own.
const harmlessTools: ReadonlySet<string> = new Set([
  'Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'WebFetch', 'WebSearch', 'TodoRead', 'TodoWrite', 'Agent', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate',
  'TaskOutput', 'TaskStop', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'BashOutput', 'KillShell', 'ToolSearch', 'SendMessage', 'ListMcpResources', 'ReadMcpResource', 'LSP',
]);

export type ToolEffect = { readonly kind: 'exact'; readonly paths: readonly string[] } | { readonly kind: 'undeclared' } | { readonly kind: 'none' };

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmlessTools.has(tool)) return { kind: 'none' };
  if (!exactTools.has(tool)) return { kind: 'undeclared' };
  const parsed = z.safeParse(pathInputSchema(), input);
  const path = parsed.success ? (parsed.data.file_path ?? parsed.data.notebook_path) : undefined;
  // An edit that names no file we can read may still change one.
  return path === undefined || path === '' ? { kind: 'undeclared' } : { kind: 'exact', paths: [path] };
}

/** Whether a prompt is a user's: not the program's own note that a background task has ended, nor a sub-agent's. */
export function isUserPrompt(payload: ClaudePayload): boolean {
  const prompt = payload.prompt?.trim() ?? '';
  return prompt !== '' && !prompt.startsWith('<task-notification>') && !payload.agent_id;
}
