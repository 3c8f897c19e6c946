import { isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { ToolEffect } from './agentEvent.ts';
import { plainBody, strictText, writeText } from './editedText.ts';

// What Qwen Code's tools do, read off version 0.24.4.

const exactTools: ReadonlySet<string> = new Set(['write_file', 'edit', 'notebook_edit']);

// It starts a sub-agent, whose calls come as calls of their own.
const delegatingTool = 'agent';

// Tools that change no file of a project themselves. A goal, a to-do, a task and a plan are kept in the program's own folder.
const harmlessTools: ReadonlySet<string> = new Set([
  'read_file', 'zoom_image', 'list_directory', 'glob', 'grep_search', 'lsp', 'web_fetch', 'web_search', 'todo_write', 'skill', 'ask_user_question', 'enter_plan_mode', 'exit_plan_mode',
  'tool_search', 'send_message', 'list_agents', 'task_create', 'task_list', 'task_update', 'task_stop', 'cron_create', 'cron_list', 'cron_delete', 'loop_wakeup', 'read_mcp_resource',
  'get_goal', 'update_goal', 'propose_goal', 'display_image',
]);

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmlessTools.has(tool)) return { kind: 'none' };
  if (tool === delegatingTool) return { kind: 'exact', paths: [] };
  const path = exactTools.has(tool) && isShape(input) ? (textAt(input, 'file_path') ?? textAt(input, 'notebook_path')) : undefined;
  return path ? { kind: 'exact', paths: [path] } : { kind: 'undeclared' };
}

/** What an exact tool will leave in a file; undefined where it can't be told. */
export function expectedBytes(tool: string, input: unknown, before: Uint8Array | undefined): Uint8Array | undefined {
  if (!isShape(input)) return undefined;
  const fresh = tool === 'write_file' ? textAt(input, 'content') : tool === 'edit' && before === undefined && input['old_string'] === '' ? textAt(input, 'new_string') : undefined;
  if (before === undefined) return fresh === undefined ? undefined : Buffer.from(fresh, 'utf8');
  const text = strictText(before);
  if (text === undefined) return undefined;
  const body = tool === 'edit' ? edited(plainBody(text), input) : fresh;
  if (body === undefined) return undefined;
  const [mark, crlf] = [text.startsWith('\ufeff'), text.includes('\r\n')];
  const unmarked = mark ? body.replace(/^\ufeff/, '') : body;
  return writeText({ mark, crlf, body: crlf ? unmarked.replaceAll('\r\n', '\n') : unmarked });
}

function edited(body: string, input: Shape): string | undefined {
  const [named, fresh] = [textAt(input, 'old_string'), textAt(input, 'new_string')];
  if (!named || fresh === undefined) return undefined;
  // What goes takes the end of its line along.
  const old = fresh === '' && !named.endsWith('\n') && body.includes(`${named}\n`) ? `${named}\n` : named;
  const parts = body.split(old);
  // Without an exact place it looks for a similar one, and with several it gives up.
  if (parts.length < 2 || (parts.length > 2 && input['replace_all'] !== true) || old === fresh) return undefined;
  return parts.join(fresh);
}
