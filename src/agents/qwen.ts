import { isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent } from './agentEvent.ts';
import { foundBy } from './geminiTools.ts';
import { effectOf, expectedBytes } from './qwenTools.ts';

/**
 * Qwen Code. Its habits that shape this: the prompt's event comes again before every later request of the turn, with the same id and mostly empty;
 * a sub-agent runs in the background, so a Stop comes before its last calls have ended, and a second one after; a call is known by one id in its own
 * events and by another in its batch's, which therefore is not asked for. A call that the user refuses has no event at all.
 */
export const qwen: Agent = {
  name: 'qwen',
  title: 'Qwen Code',
  read(event: string, payload: Shape) {
    const [session, directory] = [textAt(payload, 'session_id'), textAt(payload, 'cwd')];
    if (!session || !directory) return { kind: 'unreadable', reason: 'it has no session_id or no cwd' };
    const origin = { session, directory, turn: turnIn(payload), transcript: textAt(payload, 'transcript_path') };
    return { kind: 'event', origin, event: eventOf(event || (textAt(payload, 'hook_event_name') ?? ''), payload) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

/** Only a user's prompts are counted; what a timer or a message started goes on with the newest of them. */
function turnIn(payload: Shape): string | undefined {
  const prompt = textAt(payload, 'prompt_id');
  return prompt !== undefined && /########\d+$/.test(prompt) ? prompt : undefined;
}

function eventOf(name: string, payload: Shape): AgentEvent {
  const delegate = textAt(payload, 'agent_id');
  switch (name) {
    case 'SessionStart':
      return { kind: 'session' };
    case 'UserPromptSubmit': {
      const text = (textAt(payload, 'submitted_prompt') ?? textAt(payload, 'prompt') ?? '').trim();
      return text === '' || delegate ? nothing : { kind: 'prompt', text };
    }
    case 'PreToolUse': {
      const call = callOf(payload);
      if (call === undefined) return nothing;
      return { kind: 'begin', call, delegate, expected: (_path, before) => expectedBytes(call.tool, call.input, before) };
    }
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const call = callOf(payload);
      if (call === undefined) return nothing;
      const response = payload['tool_response'];
      return { kind: 'end', call, outcome: name === 'PostToolUse' ? 'done' : 'failed', runsOn: isStartedOnly(call.tool, response), found: (hash, before) => foundBy(response, hash, before) };
    }
    case 'Stop':
      return { kind: 'turnEnd' };
    case 'SubagentStop':
      return delegate ? { kind: 'delegateEnd', delegate } : nothing;
    case 'SessionEnd':
      return { kind: 'sessionEnd' };
    default:
      return nothing;
  }
}

function callOf(payload: Shape): AgentCall | undefined {
  const [tool, id, input] = [textAt(payload, 'tool_name'), textAt(payload, 'tool_use_id'), payload['tool_input']];
  return tool && id ? { tool, id, input, effect: effectOf(tool, input) } : undefined;
}

/** Whether a command runs on in the background: because the model wanted it, or because it took too long. */
function isStartedOnly(tool: string, response: unknown): boolean {
  const shown = isShape(response) ? textAt(response, 'returnDisplay') : undefined;
  return tool === 'monitor' || (tool === 'run_shell_command' && shown !== undefined && /^(?:Background shell \S+ started|Promoted to background: )/.test(shown));
}
