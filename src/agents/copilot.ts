import { resolve } from 'node:path';
import { textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent, Origin } from './agentEvent.ts';
import { effectOf, expectationOf } from './copilotTools.ts';
import { foreignHost, valueAt } from './hosts.ts';

/**
 * Copilot CLI. Its habits that shape this (test/agents holds the recordings): neither turns nor calls have ids; of one message's calls all begin before the
 * first runs, and none has ended before all have run; a sub-agent has a session of its own that names its parent's; an interrupt sends nothing; a
 * hook that fails blocks every tool. Its events come in two casings, by the name under which a hook asks for them; one of them always comes in the other one.
 */
export const copilot: Agent = {
  name: 'copilot',
  title: 'Copilot CLI',
  read(event: string, payload: Shape, environment: NodeJS.ProcessEnv) {
    const host = foreignHost(payload, environment);
    if (host === 'vscode') return { kind: 'foreign', agent: host };
    const delegate = valueAt(payload, 'agent_id') || undefined;
    const named = valueAt(payload, 'session_id');
    // What a sub-agent does belongs to the turn of the session that has started it.
    const session = delegate === undefined || named !== delegate ? named : (valueAt(payload, 'parent_agent_id') ?? named);
    const directory = textAt(payload, 'cwd');
    if (!session || !directory) return { kind: 'unreadable', reason: 'it has no session id or no cwd' };
    const origin: Origin = { session, directory, turn: undefined, transcript: valueAt(payload, 'transcript_path') };
    return { kind: 'event', origin, event: eventOf(event || (textAt(payload, 'hook_event_name') ?? ''), payload, directory, delegate) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, payload: Shape, directory: string, delegate: string | undefined): AgentEvent {
  switch (name) {
    case 'SessionStart':
    case 'sessionStart':
      return { kind: 'session' };
    case 'UserPromptSubmit':
    case 'userPromptSubmitted':
      return delegate === undefined ? { kind: 'prompt', text: textAt(payload, 'prompt') } : nothing;
    case 'PreToolUse':
    case 'preToolUse': {
      const call = callOf(payload);
      return call === undefined ? nothing : { kind: 'begin', call, delegate, expected: expectationOf(call.tool, call.input, path => resolve(directory, path)) };
    }
    case 'PostToolUse':
    case 'postToolUse':
      return endOf(payload, 'done');
    case 'PostToolUseFailure':
    case 'postToolUseFailure':
      return endOf(payload, 'failed');
    case 'Stop':
    case 'agentStop':
      return delegate === undefined ? { kind: 'turnEnd' } : { kind: 'delegateEnd', delegate };
    case 'SubagentStop':
    case 'subagentStop':
      return delegate === undefined ? nothing : { kind: 'delegateEnd', delegate };
    case 'SessionEnd':
    case 'sessionEnd':
      return { kind: 'sessionEnd' };
    default:
      return nothing;
  }
}

function endOf(payload: Shape, outcome: 'done' | 'failed'): AgentEvent {
  const call = callOf(payload);
  return call === undefined ? nothing : { kind: 'end', call, outcome };
}

function callOf(payload: Shape): AgentCall | undefined {
  const tool = valueAt(payload, 'tool_name');
  const input = inputIn(payload['tool_input'] ?? payload['toolArgs']);
  return tool ? { tool, id: undefined, input, effect: effectOf(tool, input) } : undefined;
}

/** Versions of before gave the arguments as the text that the model had sent. */
function inputIn(input: unknown): unknown {
  if (typeof input !== 'string' || !input.trimStart().startsWith('{')) return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
