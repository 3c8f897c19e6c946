import * as vscode from 'vscode';
import type { ToolDefinition } from '../tools/catalog.ts';
import { checkInput, type InputOf } from '../tools/toolInputs.ts';

/** A name in a question, on one line and without a meaning in Markdown: what a model made up must not look like our own words. */
function shown(path: string): string {
  const plain = path.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return `“${plain.replaceAll(/[!-.:-@[-`{-~]/g, character => `\\${character}`)}”`;
}

function lines(text: string): string {
  const count = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  return count === 1 ? vscode.l10n.t('1 line') : vscode.l10n.t('{0} lines', count);
}

interface Words {
  readonly doing: string;
  readonly question: string;
  readonly detail: string;
}

function wordsFor(tool: ToolDefinition, value: unknown): Words | undefined {
  const checked = checkInput(tool.input, value);
  if (checked.kind === 'unsound') return undefined;
  const { t } = vscode.l10n;
  switch (tool.input) {
    case 'write': {
      const { path, content } = checked.input as InputOf<'write'>;
      return { doing: t('Writing {0}', shown(path)), question: t('Write a File?'), detail: t('{0} is to hold {1}. What it held before is kept.', shown(path), lines(content)) };
    }
    case 'edit': {
      const { path, old_text, new_text, replace_all } = checked.input as InputOf<'edit'>;
      const detail = replace_all === true ? t('In {0}: {1} replaced by {2}, wherever that is found.', shown(path), lines(old_text), lines(new_text)) : t('In {0}: {1} replaced by {2}.', shown(path), lines(old_text), lines(new_text));
      return { doing: t('Editing {0}', shown(path)), question: t('Edit a File?'), detail };
    }
    case 'multiEdit': {
      const { path, edits } = checked.input as InputOf<'multiEdit'>;
      return { doing: t('Editing {0}', shown(path)), question: t('Edit a File?'), detail: edits.length === 1 ? t('{0} is changed in 1 place.', shown(path)) : t('{0} is changed in {1} places.', shown(path), edits.length) };
    }
    case 'delete': {
      const { path } = checked.input as InputOf<'delete'>;
      return { doing: t('Deleting {0}', shown(path)), question: t('Delete a File?'), detail: t('{0} is deleted. What it holds is kept.', shown(path)) };
    }
    case 'move': {
      const { path, new_path } = checked.input as InputOf<'move'>;
      return { doing: t('Moving {0}', shown(path)), question: t('Move a File?'), detail: t('{0} is moved to {1}.', shown(path), shown(new_path)) };
    }
    default:
      return undefined;
  }
}

/** What the user is told, and for a tool that writes asked, before it runs. Looks at nothing. */
export function preparedInvocation(tool: ToolDefinition, input: unknown): vscode.PreparedToolInvocation {
  if (!tool.writes) return { invocationMessage: tool.input === 'diff' ? vscode.l10n.t('Comparing recorded files') : vscode.l10n.t('Listing checkpoints') };
  const words = wordsFor(tool, input);
  const promise = vscode.l10n.t('Turnstone records it, and you can roll it back.');
  // What can't be understood will be refused; nothing is asked about it that might be believed.
  if (words === undefined) return { confirmationMessages: { title: vscode.l10n.t('Change a File?'), message: new vscode.MarkdownString(promise) } };
  return { invocationMessage: new vscode.MarkdownString(words.doing), confirmationMessages: { title: words.question, message: new vscode.MarkdownString(`${words.detail} ${promise}`) } };
}
