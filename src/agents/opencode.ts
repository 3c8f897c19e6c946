import { countAt, isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { Agent, AgentCall, AgentEvent, ToolEffect } from './agentEvent.ts';
import { expectedBytes } from './claudeExpectation.ts';
import { patchEffect } from './patchEffect.ts';

/**
 * OpenCode, as our plugin tells of it (`opencodePlugin.ts`). Its habits that shape this: parallel calls all begin before the first ends; a call
 * that fails has no after, only a message part that says so, which the plugin tells as an end; sub-agents have sessions of their own, which
 * the plugin tells as delegates; what it has left running comes back as a message that nobody typed; where a user stops it, it is idle before
 * the command that it stops has ended, and once more then.
 */
export const opencode: Agent = {
  name: 'opencode',
  title: 'OpenCode',
  read(event: string, shape: Shape) {
    const [session, directory] = [textAt(shape, 'session'), textAt(shape, 'directory')];
    if (!session || !directory) return { kind: 'unreadable', reason: 'it has no session or no directory' };
    return { kind: 'event', origin: { session, directory, turn: textAt(shape, 'turn') }, event: eventOf(event, shape) };
  },
};

const nothing: AgentEvent = { kind: 'none' };

function eventOf(name: string, shape: Shape): AgentEvent {
  const delegate = textAt(shape, 'delegate');
  const call = callOf(shape, delegate);
  switch (name) {
    case 'prompt':
      return { kind: 'prompt', text: textAt(shape, 'text') };
    case 'note':
      return { kind: 'notification', call: undefined };
    case 'before': {
      if (call === undefined) return nothing;
      const expected = (_path: string, before: Uint8Array | undefined): Uint8Array | undefined => expectedOf(call, before);
      return { kind: 'begin', call, delegate, process: countAt(shape, 'process'), expected };
    }
    case 'after':
      return call === undefined ? nothing : { kind: 'end', call, outcome: shape['outcome'] === 'failed' ? 'failed' : 'done' };
    case 'idle':
      return delegate === undefined ? { kind: 'turnEnd', isInterrupted: shape['interrupted'] === true } : { kind: 'delegateEnd', delegate };
    default:
      return nothing;
  }
}

/** Models count their calls in each conversation, and a sub-agent has one of its own. */
function callOf(shape: Shape, delegate: string | undefined): AgentCall | undefined {
  const [tool, id] = [textAt(shape, 'tool'), textAt(shape, 'call')];
  const input = shape['args'];
  return tool && id ? { tool, id: delegate === undefined ? id : `${delegate} ${id}`, input, effect: effectOf(tool, input) } : undefined;
}

/** Tools that change no file themselves. */
export const harmlessTools: ReadonlySet<string> = new Set([
  'read', 'glob', 'grep', 'list', 'lsp', 'webfetch', 'websearch', 'codesearch', 'todoread', 'todowrite', 'skill', 'question', 'plan_enter', 'plan_exit', 'invalid',
]);

function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmlessTools.has(tool)) return { kind: 'none' };
  // What a sub-agent does comes as calls of its own.
  if (tool === 'task') return { kind: 'exact', paths: [] };
  if (tool === 'apply_patch') return patchEffect(isShape(input) ? textAt(input, 'patchText') : undefined);
  const path = (tool === 'write' || tool === 'edit') && isShape(input) ? textAt(input, 'filePath') : undefined;
  return path === undefined || path === '' ? { kind: 'undeclared' } : { kind: 'exact', paths: [path] };
}

/** Where an edit's old text is not there as it stands, OpenCode looks for one like it; what that leaves can't be told. */
function expectedOf({ tool, input }: AgentCall, before: Uint8Array | undefined): Uint8Array | undefined {
  if (!isShape(input)) return undefined;
  // It keeps the mark of a file that it writes over.
  if (tool === 'write') return before !== undefined && Buffer.from(before.subarray(0, 3)).equals(byteOrderMark) ? undefined : expectedBytes('Write', input, before);
  if (tool !== 'edit') return undefined;
  const [old_string, new_string] = [textAt(input, 'oldString'), textAt(input, 'newString')];
  if (old_string === '') return before === undefined ? expectedBytes('Write', { content: new_string }, before) : undefined;
  return expectedBytes('Edit', { old_string, new_string, replace_all: input['replaceAll'] }, before);
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
