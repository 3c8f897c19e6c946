import { textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent } from './agentEvent.ts';
import { valueAt } from './hosts.ts';
import { effectOf, expectationOf } from './vscodeTools.ts';

/**
 * The agent of VS Code itself, which hands its edits to the editor. Its habits that shape this (its documentation and its sources): a call's end is told
 * before its edit is on the disk, and only of a call that went well; a prompt has no id; hooks run for every tool, whatever they are asked for.
 * The documentation has its keys in another casing than the sources.
 */
export const vscode: Agent = {
  name: 'vscode',
  title: 'VS Code',
  readsHooksOf: 'copilot',
  read(event: string, payload: Shape) {
    const [session, directory] = [valueAt(payload, 'session_id'), textAt(payload, 'cwd')];
    if (!session || !directory) return { kind: 'unreadable', reason: 'it has no session_id or no cwd' };
    const origin = { session, directory, turn: undefined, transcript: valueAt(payload, 'transcript_path'), endsEarly: true };
    return { kind: 'event', origin, event: eventOf(event || (valueAt(payload, 'hook_event_name') ?? ''), payload) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, payload: Shape): AgentEvent {
  const call = callOf(payload);
  const delegate = valueAt(payload, 'agent_id') || undefined;
  switch (name) {
    case 'SessionStart':
      return { kind: 'session' };
    case 'UserPromptSubmit':
      return delegate === undefined ? { kind: 'prompt', text: textAt(payload, 'prompt') } : nothing;
    case 'PreToolUse':
      return call === undefined ? nothing : { kind: 'begin', call, delegate, expected: expectationOf(call.tool, call.input) };
    case 'PostToolUse':
      return call === undefined ? nothing : { kind: 'end', call, outcome: 'done', expected: expectationOf(call.tool, call.input) };
    case 'Stop':
      return { kind: 'turnEnd' };
    case 'SubagentStop':
      return delegate === undefined ? nothing : { kind: 'delegateEnd', delegate };
    case 'SessionEnd':
      return { kind: 'sessionEnd' };
    default:
      return nothing;
  }
}

function callOf(payload: Shape): AgentCall | undefined {
  const tool = valueAt(payload, 'tool_name');
  const input = payload['tool_input'] ?? payload['toolInput'];
  return tool ? { tool, id: valueAt(payload, 'tool_use_id') || undefined, input, effect: effectOf(tool, input) } : undefined;
}
