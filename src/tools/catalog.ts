import { diff, listCheckpoints } from './lookTools.ts';
import type { CallContext } from './recordedCall.ts';
import type { InputKind, InputOf } from './toolInputs.ts';
import { deleteFile, editFile, moveFileTo, multiEdit, writeFile } from './writeTools.ts';

/** One tool, as models are told of it wherever they come from. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  /** For a model. */
  readonly description: string;
  /** Whether it changes files: such tools are opt-in. */
  readonly writes: boolean;
  readonly input: InputKind;
  /** Takes an input that was checked; throws `Refused`. */
  run(context: CallContext, input: unknown): Promise<string>;
}

function tool<K extends InputKind>(definition: Omit<ToolDefinition, 'input' | 'run'> & { readonly input: K; readonly run: (context: CallContext, input: InputOf<K>) => Promise<string> }): ToolDefinition {
  return definition as ToolDefinition;
}

const recordedAs = 'The change is recorded as part of this turn and can be taken back exactly by the user. A refusal changes nothing and says what to do.';

export const tools: readonly ToolDefinition[] = [
  tool({
    name: 'turnstone_write_file',
    title: 'Write File',
    description: `Makes a file with the given content, or replaces all that a file holds. Missing folders are made. For a change to a part of a file use turnstone_edit_file. ${recordedAs}`,
    writes: true,
    input: 'write',
    run: writeFile,
  }),
  tool({
    name: 'turnstone_edit_file',
    title: 'Edit File',
    description: `Replaces one piece of text in a UTF-8 file. Read the file first: old_text must be found in it exactly once. Line ends, byte order mark and permissions of the file are kept. ${recordedAs}`,
    writes: true,
    input: 'edit',
    run: editFile,
  }),
  tool({
    name: 'turnstone_multi_edit',
    title: 'Edit File in Several Places',
    description: `Makes several replacements in one UTF-8 file, all of them or none. Read the file first. Each old_text must be found exactly once in what the edits before it left. ${recordedAs}`,
    writes: true,
    input: 'multiEdit',
    run: multiEdit,
  }),
  tool({
    name: 'turnstone_delete_file',
    title: 'Delete File',
    description: `Deletes one file; folders and links are not deleted. ${recordedAs}`,
    writes: true,
    input: 'delete',
    run: deleteFile,
  }),
  tool({
    name: 'turnstone_move_file',
    title: 'Move File',
    description: `Moves or renames one file, with its bytes and permissions. It never replaces another file. ${recordedAs}`,
    writes: true,
    input: 'move',
    run: moveFileTo,
  }),
  tool({
    name: 'turnstone_list_checkpoints',
    title: 'List Checkpoints',
    description: 'Lists the recorded turns of this workspace, newest first, with the files that each changed, and the steps and checkpoints that can be gone back to. It changes nothing. Only the user rewinds.',
    writes: false,
    input: 'list',
    run: listCheckpoints,
  }),
  tool({
    name: 'turnstone_diff',
    title: 'Show Diff',
    description: 'Shows as unified patches what a turn or a call changed, what has changed since a step, a checkpoint or a branch was left, or how the files differ between two of these. It changes nothing.',
    writes: false,
    input: 'diff',
    run: diff,
  }),
];

export function toolNamed(name: string): ToolDefinition | undefined {
  return tools.find(candidate => candidate.name === name);
}
