import { isShape, listAt, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent } from './agentEvent.ts';
import { effectOf, expectationOf } from './cursorTools.ts';

/**
 * Cursor. Its habits that shape this (its documentation; it could not be run here): a turn has an id, and so has a call; the user's address is in every event,
 * and nothing of it is taken. A call that is refused, or stopped, may never be told to have ended.
 */
export const cursor: Agent = {
  name: 'cursor',
  title: 'Cursor',
  read(event: string, payload: Shape) {
    const session = textAt(payload, 'conversation_id') ?? textAt(payload, 'session_id');
    const directory = textAt(payload, 'cwd') || (listAt(payload, 'workspace_roots') ?? []).find(root => typeof root === 'string' && root !== '');
    if (!session || typeof directory !== 'string') return { kind: 'unreadable', reason: 'it has no conversation_id, or neither cwd nor workspace_roots' };
    const turn = textAt(payload, 'generation_id') || undefined;
    const origin = { session, directory, turn, transcript: textAt(payload, 'transcript_path') };
    return { kind: 'event', origin, event: eventOf(event || (textAt(payload, 'hook_event_name') ?? ''), payload) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, payload: Shape): AgentEvent {
  switch (name) {
    case 'sessionStart':
    case 'SessionStart':
      return { kind: 'session' };
    case 'beforeSubmitPrompt':
    case 'UserPromptSubmit':
      return { kind: 'prompt', text: textAt(payload, 'prompt') };
    case 'preToolUse':
    case 'PreToolUse': {
      const call = callOf(payload);
      return call === undefined ? nothing : { kind: 'begin', call, expected: expectationOf(call.input) };
    }
    case 'postToolUse':
    case 'PostToolUse':
      return endOf(payload, 'done');
    case 'postToolUseFailure':
    case 'PostToolUseFailure':
      return endOf(payload, textAt(payload, 'failure_type') === 'permission_denied' ? 'cancelled' : 'failed');
    case 'stop':
    case 'Stop':
      return { kind: 'turnEnd', isInterrupted: textAt(payload, 'status') === 'aborted' };
    case 'sessionEnd':
    case 'SessionEnd':
      return { kind: 'sessionEnd' };
    default:
      return nothing;
  }
}

function endOf(payload: Shape, outcome: 'done' | 'failed' | 'cancelled'): AgentEvent {
  const call = callOf(payload);
  return call === undefined ? nothing : { kind: 'end', call, outcome };
}

function callOf(payload: Shape): AgentCall | undefined {
  const tool = textAt(payload, 'tool_name');
  const input = inputIn(payload['tool_input']);
  return tool ? { tool, id: textAt(payload, 'tool_use_id') || undefined, input, effect: effectOf(tool, input) } : undefined;
}

/** Of MCP tools it is JSON in a text. */
function inputIn(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    const value: unknown = JSON.parse(input);
    return isShape(value) ? value : input;
  } catch {
    return input;
  }
}
