import { EOL } from 'node:os';
import { isAbsolute } from 'node:path';
import { isShape, textAt, type Shape } from '../core/base/shape.ts';
import type { FoundContent } from '../core/capture/callFacts.ts';
import type { ToolEffect } from './agentEvent.ts';
import { foundText, strictText } from './editedText.ts';

// What Gemini CLI's tools do, read off version 0.61.0.

const exactTools: ReadonlySet<string> = new Set(['write_file', 'replace']);

// It starts a sub-agent, whose calls come as calls of their own.
const delegatingTool = 'invoke_agent';

// Tools that change no file of a project. The tracker and the to-dos keep theirs in the program's own folder.
const harmlessTools: ReadonlySet<string> = new Set([
  'read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'search_file_content', 'google_web_search', 'web_fetch', 'write_todos', 'ask_user', 'activate_skill',
  'get_internal_docs', 'enter_plan_mode', 'exit_plan_mode', 'update_topic', 'complete_task', 'read_mcp_resource', 'list_mcp_resources', 'tracker_create_task',
  'tracker_update_task', 'tracker_get_task', 'tracker_list_tasks', 'tracker_add_dependency', 'tracker_visualize',
]);

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmlessTools.has(tool)) return { kind: 'none' };
  if (tool === delegatingTool) return { kind: 'exact', paths: [] };
  const path = exactTools.has(tool) && isShape(input) ? textAt(input, 'file_path') : undefined;
  if (!path) return { kind: 'undeclared' };
  // An edit of a file that is not there, and not to be made, goes to the only one in the folder whose path ends so.
  const looksElsewhere = tool === 'replace' && !isAbsolute(path) && isShape(input) && input['old_string'] !== '';
  return { kind: 'exact', paths: placesOf(path), ...(looksElsewhere ? { looksElsewhere } : {}) };
}

/** Where there is no file of this name, the program takes an `@` before it for the sign that marks files in prompts. */
function placesOf(path: string): readonly string[] {
  const unmarked = path.startsWith('@') ? path.slice(1).replace(/^[\\/]+/, '') : '';
  return unmarked === '' ? [path] : [path, unmarked];
}

/** What an exact tool will leave in a file; undefined where it can't be told. */
export function expectedBytes(tool: string, input: unknown, before: Uint8Array | undefined): Uint8Array | undefined {
  if (!isShape(input)) return undefined;
  const text = tool === 'write_file' ? written(input, before) : tool === 'replace' ? replaced(input, before) : undefined;
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

function written(input: Shape, before: Uint8Array | undefined): string | undefined {
  const content = textAt(input, 'content');
  return content === undefined ? undefined : withEnds(content, lineEndOf(before));
}

function replaced(input: Shape, before: Uint8Array | undefined): string | undefined {
  const [old, fresh] = [textAt(input, 'old_string'), textAt(input, 'new_string')];
  if (old === undefined || fresh === undefined) return undefined;
  if (before === undefined) return old === '' ? withEnds(fresh, EOL) : undefined;
  const text = strictText(before);
  if (text === undefined || old === '') return undefined;
  const [body, from, to] = [text, old, fresh].map(part => part.replaceAll('\r\n', '\n')) as [string, string, string];
  const parts = body.split(from);
  // Without an exact place it looks for a similar one, and with several it gives up.
  if (parts.length < 2 || (parts.length > 2 && input['allow_multiple'] !== true) || from === to) return undefined;
  return withEnds(endLike(body, parts.join(to)), lineEndOf(before));
}

/** The last line ends as it did before. */
function endLike(body: string, edited: string): string {
  if (body.endsWith('\n')) return edited.endsWith('\n') ? edited : `${edited}\n`;
  return edited.replace(/\n$/, '');
}

function lineEndOf(before: Uint8Array | undefined): string {
  if (before === undefined || before.length === 0) return EOL;
  return Buffer.from(before).includes('\r\n') ? '\r\n' : '\n';
}

function withEnds(text: string, lineEnd: string): string {
  return lineEnd === '\r\n' ? text.replace(/\r?\n/g, '\r\n') : text;
}

/** What a tool says the file held when it ran. */
export function foundBy(response: unknown, hash: string | undefined, readBefore: () => Uint8Array | undefined): FoundContent {
  const shown = isShape(response) ? response['returnDisplay'] : undefined;
  return foundText(isShape(shown) ? textAt(shown, 'originalContent') : undefined, hash, readBefore);
}
