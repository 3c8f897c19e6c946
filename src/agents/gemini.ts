import { isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent } from './agentEvent.ts';
import { effectOf, expectedBytes, foundBy } from './geminiTools.ts';

/**
 * Gemini CLI. It gives no ids, neither to turns nor to calls. Its habits that shape this: a call that the user refuses, or that an interrupt
 * ends, has a BeforeTool and no AfterTool; the user may change an edit's text before he allows it, so that the two events of a call agree only in
 * their file; commands of one message overlap, edits do not.
 */
export const gemini: Agent = {
  name: 'gemini',
  title: 'Gemini CLI',
  read(event: string, payload: Shape) {
    const [session, directory] = [textAt(payload, 'session_id'), textAt(payload, 'cwd')];
    if (!session || !directory) return { kind: 'unreadable', reason: 'it has no session_id or no cwd' };
    const origin = { session, directory, turn: undefined, transcript: textAt(payload, 'transcript_path') };
    return { kind: 'event', origin, event: eventOf(event || (textAt(payload, 'hook_event_name') ?? ''), payload) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, payload: Shape): AgentEvent {
  switch (name) {
    case 'SessionStart':
      return { kind: 'session' };
    case 'BeforeAgent': {
      const prompt = askedIn(textAt(payload, 'prompt') ?? '');
      return prompt === '' ? nothing : { kind: 'prompt', text: prompt };
    }
    case 'BeforeTool': {
      const call = callOf(payload);
      if (call === undefined) return nothing;
      const expected = (_path: string, before: Uint8Array | undefined): Uint8Array | undefined => expectedBytes(call.tool, payload['tool_input'], before);
      return { kind: 'begin', call, expected };
    }
    case 'AfterTool': {
      const call = callOf(payload);
      if (call === undefined) return nothing;
      const response = payload['tool_response'];
      const isFailed = isShape(response) && isShape(response['error']);
      return { kind: 'end', call, outcome: isFailed ? 'failed' : 'done', runsOn: isStartedOnly(payload), found: (hash, before) => foundBy(response, hash, before) };
    }
    case 'AfterAgent':
      return { kind: 'turnEnd' };
    case 'SessionEnd':
      return { kind: 'sessionEnd' };
    default:
      return nothing;
  }
}

/** What the user asked for, without the content of the files that he named with it. */
function askedIn(prompt: string): string {
  return (prompt.split('\n--- Content from referenced files ---')[0] ?? '').trim();
}

function callOf(payload: Shape): AgentCall | undefined {
  const tool = textAt(payload, 'tool_name');
  if (!tool) return undefined;
  const input = payload['tool_input'];
  const effect = effectOf(tool, input);
  return { tool, id: undefined, input: effect.kind === 'exact' && effect.paths.length > 0 ? effect.paths : input, effect };
}

/** Whether a command runs on in the background: because the model wanted it, or because the user sent it there. */
function isStartedOnly(payload: Shape): boolean {
  const response = payload['tool_response'];
  const shown = isShape(response) ? textAt(response, 'returnDisplay') : undefined;
  return payload['tool_name'] === 'run_shell_command' && shown?.startsWith('Command moved to background (PID:') === true;
}
