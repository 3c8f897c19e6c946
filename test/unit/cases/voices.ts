/** A call as a test makes it up: a whole-file write of one path, or a command. */
export type PlayedCall = { readonly id: string } & ({ readonly kind: 'write'; readonly path: string; readonly content: string } | { readonly kind: 'shell'; readonly command: string });

/** One event as an agent would hand it to its hook. */
export interface HookEvent {
  readonly agent: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How one agent tells of its session. */
export interface Voice {
  readonly agent: string;
  prompt(turn: number, text: string): HookEvent;
  before(turn: number, call: PlayedCall): HookEvent;
  after(turn: number, call: PlayedCall): HookEvent;
  stop(turn: number): HookEvent;
}

export function claudeVoice(session: string, directory: string): Voice {
  const agent = 'claude-code';
  const say = (event: string, turn: number, more: Readonly<Record<string, unknown>> = {}): HookEvent => ({
    agent,
    event,
    payload: { session_id: session, cwd: directory, hook_event_name: event, prompt_id: `${session}-${turn}`, ...more },
  });
  const tool = (call: PlayedCall): Readonly<Record<string, unknown>> =>
    call.kind === 'write' ? { tool_name: 'Write', tool_use_id: call.id, tool_input: { file_path: call.path, content: call.content } } : { tool_name: 'Bash', tool_use_id: call.id, tool_input: { command: call.command } };
  return {
    agent,
    prompt: (turn, prompt) => say('UserPromptSubmit', turn, { prompt }),
    before: (turn, call) => say('PreToolUse', turn, tool(call)),
    after: (turn, call) => say('PostToolUse', turn, { ...tool(call), tool_response: {} }),
    stop: turn => say('Stop', turn),
  };
}
