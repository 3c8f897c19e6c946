/** A call as a test makes it up: a write of a whole file of one line, which held `old`, or a command. */
export type PlayedCall = { readonly id: string } & ({ readonly kind: 'write'; readonly path: string; readonly old: string | null; readonly content: string } | { readonly kind: 'shell'; readonly command: string });

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

/** Its edits are patches, and its sessions tell of turns. */
export function codexVoice(session: string, directory: string): Voice {
  const agent = 'codex';
  const say = (event: string, turn: number, more: Readonly<Record<string, unknown>> = {}): HookEvent => ({
    agent,
    event,
    payload: { session_id: session, turn_id: `${session}-${turn}`, cwd: directory, hook_event_name: event, model: 'gpt-5.5', permission_mode: 'bypassPermissions', ...more },
  });
  const patch = ({ path, old, content }: Extract<PlayedCall, { readonly kind: 'write' }>): string => {
    const name = path.slice(directory.length + 1);
    const lines = old === null ? [`*** Add File: ${name}`] : [`*** Update File: ${name}`, '@@', `-${old.trimEnd()}`];
    return ['*** Begin Patch', ...lines, `+${content.trimEnd()}`, '*** End Patch'].join('\n');
  };
  const tool = (call: PlayedCall): Readonly<Record<string, unknown>> => ({ tool_use_id: call.id, tool_name: call.kind === 'write' ? 'apply_patch' : 'Bash', tool_input: { command: call.kind === 'write' ? patch(call) : call.command } });
  return {
    agent,
    prompt: (turn, prompt) => say('UserPromptSubmit', turn, { prompt }),
    before: (turn, call) => say('PreToolUse', turn, tool(call)),
    after: (turn, call) => say('PostToolUse', turn, { ...tool(call), tool_response: '' }),
    stop: turn => say('Stop', turn, { stop_hook_active: false }),
  };
}

/** It gives neither its calls nor its turns ids. */
export function geminiVoice(session: string, directory: string): Voice {
  const agent = 'gemini';
  const say = (event: string, more: Readonly<Record<string, unknown>> = {}): HookEvent => ({ agent, event, payload: { session_id: session, cwd: directory, hook_event_name: event, ...more } });
  const tool = (call: PlayedCall): Readonly<Record<string, unknown>> =>
    call.kind === 'write' ? { tool_name: 'write_file', tool_input: { file_path: call.path, content: call.content } } : { tool_name: 'run_shell_command', tool_input: { command: call.command } };
  return {
    agent,
    prompt: (_turn, prompt) => say('BeforeAgent', { prompt }),
    before: (_turn, call) => say('BeforeTool', tool(call)),
    after: (_turn, call) => say('AfterTool', { ...tool(call), tool_response: { llmContent: '', returnDisplay: '' } }),
    stop: () => say('AfterAgent', { prompt_response: 'done', stop_hook_active: false }),
  };
}
