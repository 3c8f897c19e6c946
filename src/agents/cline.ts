import { isShape, listAt, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent, ToolEffect } from './agentEvent.ts';
import { expectedBytes } from './claudeExpectation.ts';
import { patchEffect } from './patchEffect.ts';

/**
 * Cline. Its habits that shape this: parallel calls all begin before the first runs; a prompt comes without its text and without an id, in a
 * conversation whose ids all stay the same; a sub-agent starts and ends like its parent does, and only names it; a failed edit has its end;
 * an interrupt ends its command, and then the session.
 */
export const cline: Agent = {
  name: 'cline',
  title: 'Cline',
  read(event: string, shape: Shape) {
    const session = textAt(shapeAt(shape, 'sessionContext'), 'rootSessionId') || textAt(shape, 'taskId');
    const directory = (listAt(shape, 'workspaceRoots') ?? []).find(root => typeof root === 'string' && root !== '');
    if (!session || typeof directory !== 'string') return { kind: 'unreadable', reason: 'it has no session or no workspace' };
    const told = eventOf(event, shape);
    // The time of a prompt names its turn, so that one that comes twice is one; what follows belongs to the newest.
    return { kind: 'event', origin: { session, directory, turn: told.kind === 'prompt' ? textAt(shape, 'timestamp') : undefined }, event: told };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, shape: Shape): AgentEvent {
  const delegate = textAt(shape, 'parent_agent_id') === undefined ? undefined : textAt(shape, 'agent_id');
  switch (name) {
    case 'TaskStart':
    case 'TaskResume':
      return delegate === undefined ? { kind: 'prompt', text: undefined } : nothing;
    case 'PreToolUse': {
      const call = callOf(shapeAt(shape, 'tool_call'), shape, delegate);
      if (call === undefined) return nothing;
      return { kind: 'begin', call, delegate, expected: (_path, before) => expectedOf(call, before) };
    }
    case 'PostToolUse': {
      const result = shapeAt(shape, 'tool_result');
      const call = callOf(result, shape, delegate);
      return call === undefined ? nothing : { kind: 'end', call, outcome: hasFailed(result['output']) || result['error'] !== undefined ? 'failed' : 'done' };
    }
    case 'TaskComplete':
      return delegate === undefined ? { kind: 'turnEnd' } : { kind: 'delegateEnd', delegate };
    case 'TaskCancel':
    case 'TaskError':
      return delegate === undefined ? { kind: 'turnEnd', isInterrupted: true } : { kind: 'delegateEnd', delegate };
    case 'SessionShutdown':
      return delegate === undefined ? { kind: 'sessionEnd' } : nothing;
    default:
      return nothing;
  }
}

function shapeAt(shape: Shape, key: string): Shape {
  const value = shape[key];
  return isShape(value) ? value : {};
}

/** Models count their calls in each conversation, and a sub-agent has one of its own; some begin anew with every message. */
function callOf(told: Shape, { iteration }: Shape, delegate: string | undefined): AgentCall | undefined {
  const [tool, id] = [textAt(told, 'name'), textAt(told, 'id')];
  const { input } = told;
  return tool && id ? { tool, id: [delegate ?? '', String(iteration), id].join(' '), input, effect: effectOf(tool, input) } : undefined;
}

/** A tool that does several things tells of each of them. */
function hasFailed(output: unknown): boolean {
  return (Array.isArray(output) ? output : [output]).some(part => isShape(part) && part['success'] === false);
}

// Tools that change no file themselves.
const harmlessTools: ReadonlySet<string> = new Set(['read_files', 'search_codebase', 'fetch_web_content', 'skills', 'ask_question', 'submit_and_exit', 'team_status', 'team_list_runs', 'team_read_mailbox']);

function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmlessTools.has(tool)) return { kind: 'none' };
  // What a sub-agent does comes as calls of its own.
  if (tool === 'spawn_agent') return { kind: 'exact', paths: [] };
  if (tool === 'apply_patch') return patchEffect(isShape(input) ? textAt(input, 'input') : input);
  const path = tool === 'editor' && isShape(input) ? textAt(input, 'path') : undefined;
  return path === undefined || path === '' ? { kind: 'undeclared' } : { kind: 'exact', paths: [path] };
}

/** What an edit leaves where its old text is there exactly once, as it has to be; other line ends than line feeds are left to Cline. */
function expectedOf({ tool, input }: AgentCall, before: Uint8Array | undefined): Uint8Array | undefined {
  if (tool !== 'editor' || !isShape(input) || typeof input['insert_line'] === 'number') return undefined;
  const [old, fresh] = [textAt(input, 'old_text'), textAt(input, 'new_text')];
  if (before === undefined) return expectedBytes('Write', { content: fresh }, before);
  if (!old || before.includes(0x0d) || Buffer.from(before).toString('utf8').split(old).length !== 2) return undefined;
  return expectedBytes('Edit', { old_string: old, new_string: fresh }, before);
}
