import { resolve } from 'node:path';
import { isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent, Origin, ToolEffect } from './agentEvent.ts';
import { expectedByPatch, namesOf } from './codexExpectation.ts';
import { parsePatch, patchInCommand, type PatchedFile } from './codexPatch.ts';

/**
 * Codex. Its habits that shape this (test/agents holds the recordings): a patch that fails, and one that is applied through the shell, have a Pre
 * and no Post; `cwd` is the folder that a command runs in; a command that runs on has its Post when it has ended, if that is in its turn; a
 * sub-agent has the session of its parent and turn ids of its own; an interrupt is told.
 */
export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  read(event: string, payload: Shape) {
    const [session, directory] = [textAt(payload, 'session_id'), textAt(payload, 'cwd')];
    if (!session || !directory) return { kind: 'unreadable', reason: 'it has no session_id or no cwd' };
    const delegate = textAt(payload, 'agent_id') || undefined;
    // What a sub-agent does belongs to the turn that its session is in; its transcript is not the session's.
    const own = delegate === undefined ? { turn: textAt(payload, 'turn_id') || undefined, transcript: textAt(payload, 'transcript_path') } : { turn: undefined };
    const origin: Origin = { session, directory, ...own };
    return { kind: 'event', origin, event: eventOf(event || (textAt(payload, 'hook_event_name') ?? ''), payload, directory, delegate) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, payload: Shape, directory: string, delegate: string | undefined): AgentEvent {
  switch (name) {
    case 'SessionStart':
      return { kind: 'session' };
    case 'UserPromptSubmit':
      return delegate === undefined ? { kind: 'prompt', text: textAt(payload, 'prompt') || undefined } : nothing;
    case 'PreToolUse': {
      const tool = textAt(payload, 'tool_name');
      if (!tool) return nothing;
      const input = payload['tool_input'];
      const patch = patchOf(tool, input);
      const expected = patch === undefined ? undefined : expectedByPatch(patch.files, path => resolve(directory, patch.directory, path));
      return { kind: 'begin', call: callOf(tool, input, payload, directory), delegate, expected };
    }
    case 'PostToolUse': {
      const tool = textAt(payload, 'tool_name');
      return tool ? { kind: 'end', call: callOf(tool, payload['tool_input'], payload, directory), outcome: 'done' } : nothing;
    }
    case 'Stop':
      return { kind: 'turnEnd' };
    case 'Interrupt':
      return { kind: 'turnEnd', isInterrupted: true };
    case 'SubagentStop':
      return delegate === undefined ? nothing : { kind: 'delegateEnd', delegate };
    case 'SessionEnd':
      return { kind: 'sessionEnd' };
    default:
      return nothing;
  }
}

function callOf(tool: string, input: unknown, payload: Shape, directory: string): AgentCall {
  return { tool, id: textAt(payload, 'tool_use_id') || undefined, input, effect: effectOf(tool, input, directory) };
}

// Tools that change no file themselves. Those of a group have its name before their own.
const harmless: ReadonlySet<string> = new Set([
  'view_image', 'update_plan', 'request_user_input', 'request_user_input_async', 'send_message_to_user_async', 'get_goal', 'create_goal', 'update_goal', 'tool_search', 'web_search', 'curr_time', 'sleep', 'wait',
  'list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource', 'spawn_agent', 'wait_agent', 'followup_task', 'interrupt_agent', 'list_agents', 'send_message', 'send_input', 'resume_agent', 'close_agent',
]);

function effectOf(tool: string, input: unknown, directory: string): ToolEffect {
  if (harmless.has(tool.replace(/^(?:collaboration|clock|functions)_*/, ''))) return { kind: 'none' };
  const patch = patchOf(tool, input);
  if (patch === undefined) return { kind: 'undeclared' };
  return { kind: 'exact', paths: [...new Set(patch.files.flatMap(namesOf).map(path => resolve(directory, patch.directory, path)))] };
}

/** The patch of a call. */
function patchOf(tool: string, input: unknown): { readonly directory: string; readonly files: readonly PatchedFile[] } | undefined {
  const command = isShape(input) ? textAt(input, 'command') : undefined;
  if (command === undefined) return undefined;
  if (tool === 'apply_patch') {
    const files = parsePatch(command);
    return files === undefined ? undefined : { directory: '', files };
  }
  const shell = tool === 'Bash' ? patchInCommand(command) : undefined;
  // Its end is never told, and only of what a file will hold it can be proven that the call did it: anything else is looked for as with other commands.
  const isProvable = shell?.files.every(file => file.kind === 'add' || (file.kind === 'update' && file.movedTo === undefined)) === true;
  return shell === undefined || !isProvable ? undefined : { directory: shell.directory ?? '', files: shell.files };
}
