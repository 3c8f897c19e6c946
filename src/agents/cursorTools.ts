import { isShape, textAt } from '../core/base/shape.ts';
import type { Expectation } from '../core/capture/callFacts.ts';
import type { ToolEffect } from './agentEvent.ts';
import { afterEdits } from './stringEdits.ts';

// The tools of Cursor's agent, by its documentation of hooks and what hooks of others have seen. A `Write` may stand for an edit.

const harmless: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'List', 'SemanticSearch', 'WebSearch', 'WebFetch', 'TodoWrite', 'ReadLints', 'AskQuestion', 'SwitchMode', 'CreatePlan']);
const delegating: ReadonlySet<string> = new Set(['Task']);
const editing: ReadonlySet<string> = new Set(['Write', 'StrReplace', 'Edit', 'MultiEdit', 'Delete', 'EditNotebook']);

const pathKeys = ['file_path', 'path', 'target_file', 'target_notebook'] as const;

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmless.has(tool)) return { kind: 'none' };
  if (delegating.has(tool)) return { kind: 'exact', paths: [] };
  const path = editing.has(tool) && isShape(input) ? pathKeys.map(key => textAt(input, key)).find(named => named) : undefined;
  return path === undefined ? { kind: 'undeclared' } : { kind: 'exact', paths: [path] };
}

/** What an editing tool will leave in a file, where its input tells. */
export function expectationOf(input: unknown): Expectation | undefined {
  if (!isShape(input)) return undefined;
  const [content, old, fresh] = [textAt(input, 'contents') ?? textAt(input, 'content'), textAt(input, 'old_string'), textAt(input, 'new_string')];
  if (old !== undefined && fresh !== undefined) return (_path, before) => afterEdits(before, [{ old, fresh, everywhere: input['replace_all'] === true }]);
  return content === undefined ? undefined : () => Buffer.from(content, 'utf8');
}
