import { fileURLToPath } from 'node:url';
import { isShape, listAt, textAt, type Shape } from '../core/base/shape.ts';
import type { Expectation } from '../core/capture/callFacts.ts';
import type { ToolEffect } from './agentEvent.ts';
import { expectedByPatch, namesOf } from './codexExpectation.ts';
import { parsePatch } from './codexPatch.ts';
import { afterEdits, type StringEdit } from './stringEdits.ts';

// The tools of VS Code's agent, read off the sources of its chat extension, version 0.42.

// A folder alone is no file; what comes into it is recorded with its folders.
const harmless: ReadonlySet<string> = new Set([
  'read_file', 'list_dir', 'file_search', 'grep_search', 'semantic_search', 'search_workspace_symbols', 'list_code_usages', 'get_errors', 'get_changed_files', 'get_project_setup_info',
  'get_search_view_results', 'get_terminal_output', 'terminal_last_command', 'terminal_selection', 'get_task_output', 'get_vscode_api', 'github_repo', 'fetch_webpage', 'open_simple_browser',
  'test_failure', 'test_search', 'copilot_getNotebookSummary', 'read_notebook_cell_output', 'read_project_structure', 'view_image', 'manage_todo_list', 'tool_search', 'think', 'create_directory',
]);

// It starts a sub-agent: what that does comes as calls of its own.
const delegating: ReadonlySet<string> = new Set(['runSubagent', 'search_subagent', 'execution_subagent']);

const editing: ReadonlySet<string> = new Set(['create_file', 'replace_string_in_file', 'insert_edit_into_file', 'edit_notebook_file']);

/** What a tool may change: files that it names, nothing, or anything. */
export function effectOf(tool: string, input: unknown): ToolEffect {
  if (harmless.has(tool)) return { kind: 'none' };
  if (delegating.has(tool)) return { kind: 'exact', paths: [] };
  const named = isShape(input) ? pathsIn(tool, input) : undefined;
  return named === undefined || named.length === 0 ? { kind: 'undeclared' } : { kind: 'exact', paths: [...new Set(named.flatMap(onDisk))] };
}

/** The files that an editing tool names; undefined where it is not known which. */
function pathsIn(tool: string, input: Shape): readonly string[] | undefined {
  if (editing.has(tool)) return [textAt(input, 'filePath')].filter(path => path !== undefined && path !== '') as readonly string[];
  if (tool === 'apply_patch') return parsePatch(textAt(input, 'input') ?? '')?.flatMap(namesOf);
  if (tool !== 'multi_replace_string_in_file') return undefined;
  const replacements = listAt(input, 'replacements') ?? [];
  const paths = replacements.filter(isShape).flatMap(replacement => textAt(replacement, 'filePath') || []);
  return paths.length === replacements.length ? paths : undefined;
}

/** A path of the disk; none for what is only in the editor. */
function onDisk(named: string): readonly string[] {
  if (/^file:\/\//i.test(named)) {
    try {
      return [fileURLToPath(named)];
    } catch {
      return [];
    }
  }
  return /^[a-z][\w+.-]+:/i.test(named) ? [] : [named];
}

/** What an editing tool will leave in a file, where its input tells. */
export function expectationOf(tool: string, input: unknown): Expectation | undefined {
  if (!isShape(input)) return undefined;
  switch (tool) {
    case 'create_file': {
      const content = textAt(input, 'content');
      return (_path, before) => (content === undefined || (before !== undefined && before.length > 0) ? undefined : Buffer.from(content, 'utf8'));
    }
    case 'replace_string_in_file':
      return (_path, before) => afterEdits(before, editsIn([input]));
    case 'multi_replace_string_in_file': {
      const all = (listAt(input, 'replacements') ?? []).filter(isShape);
      return (path, before) => afterEdits(before, editsIn(all.filter(replacement => onDisk(textAt(replacement, 'filePath') ?? '').includes(path))));
    }
    case 'apply_patch': {
      const files = parsePatch(textAt(input, 'input') ?? '');
      return files === undefined ? undefined : expectedByPatch(files, path => onDisk(path)[0] ?? path);
    }
    default:
      return undefined;
  }
}

function editsIn(replacements: readonly Shape[]): readonly StringEdit[] {
  return replacements.map(replacement => ({ old: textAt(replacement, 'oldString') ?? '', fresh: textAt(replacement, 'newString') ?? '' }));
}
