import { isShape, textAt } from '../core/base/shape.ts';
import type { Expectation } from '../core/capture/callFacts.ts';
import type { ToolEffect } from './agentEvent.ts';
import { expectedByPatch, namesOf } from './codexExpectation.ts';
import { parsePatch, type PatchedFile } from './codexPatch.ts';
import { afterEdits } from './stringEdits.ts';

// The tools of Copilot CLI, read off version 1.0.102. To hooks whose events are written as Claude Code's it gives them that one's names, and their own keys.

const harmless: ReadonlySet<string> = new Set([
  'view', 'Read', 'grep', 'Grep', 'rg', 'glob', 'Glob', 'web_fetch', 'WebFetch', 'web_search', 'WebSearch', 'ask_user', 'report_intent', 'update_todo', 'TodoWrite', 'sql', 'skill', 'Skill', 'list_bash', 'list_powershell', 'fetch_copilot_cli_documentation', 'list_agents', 'tool_search_tool_regex', 'exit_plan_mode', 'task_complete',
]);

// They start a sub-agent, or wait for it: what that does comes as calls of its own.
const delegating: ReadonlySet<string> = new Set(['task', 'Agent', 'Task', 'read_agent', 'write_agent']);

const creating: ReadonlySet<string> = new Set(['create', 'Write']);
const editing: ReadonlySet<string> = new Set([...creating, 'edit', 'Edit', 'str_replace_editor', 'insert']);

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmless.has(tool) || (tool === 'str_replace_editor' && isShape(input) && input['command'] === 'view')) return { kind: 'none' };
  if (delegating.has(tool)) return { kind: 'exact', paths: [] };
  const patch = patchOf(tool, input);
  if (patch !== undefined) return { kind: 'exact', paths: [...new Set(patch.flatMap(namesOf))] };
  const path = editing.has(tool) && isShape(input) ? textAt(input, 'path') : undefined;
  return path ? { kind: 'exact', paths: [path] } : { kind: 'undeclared' };
}

/** What an editing tool will leave in a file, where its input tells. `resolved` tells which file a patch means. */
export function expectationOf(tool: string, input: unknown, resolved: (path: string) => string): Expectation | undefined {
  const patch = patchOf(tool, input);
  if (patch !== undefined) return expectedByPatch(patch, resolved);
  if (!isShape(input) || !editing.has(tool)) return undefined;
  const [content, old, fresh] = [textAt(input, 'file_text'), textAt(input, 'old_str'), textAt(input, 'new_str')];
  if (content !== undefined) return () => Buffer.from(content, 'utf8');
  return (_path, before) => (old === undefined || fresh === undefined ? undefined : afterEdits(before, [{ old, fresh }]));
}

/** The patch of a call: the whole input, or a key of it. */
function patchOf(tool: string, input: unknown): readonly PatchedFile[] | undefined {
  if (tool !== 'apply_patch' && tool !== 'Edit') return undefined;
  const text = typeof input === 'string' ? input : isShape(input) ? (textAt(input, 'input') ?? textAt(input, 'patch')) : undefined;
  return text === undefined ? undefined : parsePatch(text);
}
