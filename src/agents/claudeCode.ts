import { isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent } from './agentEvent.ts';
import { expectedBytes, foundBy } from './claudeExpectation.ts';
import { foreignHost } from './hosts.ts';
import { effectOf, promptKindOf, readClaudePayload, type ClaudePayload } from './claudePayload.ts';

/**
 * Claude Code. Its habits that shape this (test/agents holds the recordings): an interrupt sends nothing, so a prompt ends what was open before
 * it; an edit that fails its checks sends neither a Pre nor a Post, only its place in the batch; a task notification comes as a prompt of the same turn.
 */
export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  read(event: string, shape: Shape, environment: NodeJS.ProcessEnv) {
    const host = foreignHost(shape, environment);
    if (host !== undefined) return { kind: 'foreign', agent: host };
    const payload = readClaudePayload(shape);
    if (payload === undefined) return { kind: 'unreadable', reason: 'it has no session_id or no cwd' };
    const { session_id: session, cwd: directory, transcript_path: transcript } = payload;
    const turn = payload.prompt_id === '' ? undefined : payload.prompt_id;
    return { kind: 'event', origin: { session, directory, turn, transcript }, event: eventOf(event || (payload.hook_event_name ?? ''), payload, environment) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, payload: ClaudePayload, environment: NodeJS.ProcessEnv): AgentEvent {
  switch (name) {
    case 'SessionStart':
      return { kind: 'session' };
    case 'UserPromptSubmit': {
      const kind = promptKindOf(payload);
      if (kind.kind === 'none') return nothing;
      if (kind.kind === 'notification') return { kind: 'notification', call: kind.toolUse };
      return { kind: 'prompt', text: payload.prompt };
    }
    case 'PreToolUse': {
      const call = callOf(payload);
      if (call === undefined) return nothing;
      const expected = (_path: string, before: Uint8Array | undefined): Uint8Array | undefined => expectedBytes(call.tool, call.input, before);
      return { kind: 'begin', call, delegate: payload.agent_id ?? undefined, process: processIn(environment), expected };
    }
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const call = callOf(payload);
      if (call === undefined) return nothing;
      const { tool_response: response } = payload;
      return { kind: 'end', call, outcome: name === 'PostToolUse' ? 'done' : 'failed', runsOn: isStartedOnly(response), found: (hash, before) => foundBy(response, hash, before) };
    }
    case 'PostToolBatch':
      return {
        kind: 'batch',
        calls: payload.tool_calls.map(({ tool_name: tool, tool_use_id: id, tool_input: input, tool_response: response }) => {
          const isRefused = typeof response === 'string' && response.startsWith('<tool_use_error>');
          return { tool, id, input, effect: effectOf(tool, input), isRefused };
        }),
      };
    case 'Stop':
      return { kind: 'turnEnd' };
    case 'SubagentStop':
      return payload.agent_id ? { kind: 'delegateEnd', delegate: payload.agent_id } : nothing;
    case 'SessionEnd':
      return { kind: 'sessionEnd' };
    default:
      // A sub-agent's start changes nothing, and neither do events that a later version brings.
      return nothing;
  }
}

function callOf({ tool_name: tool, tool_use_id: id, tool_input: input }: ClaudePayload): AgentCall | undefined {
  // A call without an id is matched by what it is.
  return tool ? { tool, id: id || undefined, input, effect: effectOf(tool, input) } : undefined;
}

/** Whether a command runs on in the background. */
function isStartedOnly(response: unknown): boolean {
  return isShape(response) && textAt(response, 'backgroundTaskId') !== undefined;
}

/** Claude Code tells its hooks the number of its process. */
function processIn(environment: NodeJS.ProcessEnv): number | undefined {
  const pid = Number(environment['CLAUDE_PID']);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}
