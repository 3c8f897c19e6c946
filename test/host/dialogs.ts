// Answers the dialogs of code that runs in the spec itself. VS Code refuses real ones in extension tests.
import * as vscode from 'vscode';

/** A dialog as the user read it: its message, and its detail where it is modal. */
export interface Shown {
  readonly text: string;
  readonly detail: string | undefined;
  readonly choices: readonly string[];
}

type Answer = string | undefined | ((shown: Shown) => string | undefined);
type Window = Record<'showWarningMessage' | 'showInformationMessage' | 'showErrorMessage' | 'showQuickPick' | 'showInputBox', unknown>;

/** While it runs, dialogs get these answers, one each, and after that none; returns what was shown, notifications too. */
export async function answering(answers: readonly Answer[], run: () => Promise<void>): Promise<readonly Shown[]> {
  const window = vscode.window as unknown as Window;
  const { showWarningMessage, showInformationMessage, showErrorMessage, showQuickPick, showInputBox } = window;
  const left = [...answers];
  const all: Shown[] = [];
  const answer = (shown: Shown): string | undefined => {
    all.push(shown);
    const next = left.shift();
    return typeof next === 'function' ? next(shown) : next;
  };
  const message = async (text: string, ...more: readonly (string | vscode.MessageOptions)[]): Promise<string | undefined> => {
    const options = more.find(item => typeof item === 'object');
    return answer({ text, detail: options?.detail, choices: more.filter(item => typeof item === 'string') });
  };
  const pick = async (items: readonly vscode.QuickPickItem[], { title = '' }: vscode.QuickPickOptions): Promise<vscode.QuickPickItem | undefined> => {
    const chosen = answer({ text: title, detail: undefined, choices: items.map(({ label }) => label) });
    return chosen === undefined ? undefined : items.find(({ label }) => label.includes(chosen));
  };
  const input = async ({ title = '' }: vscode.InputBoxOptions): Promise<string | undefined> => answer({ text: title, detail: undefined, choices: [] });
  Object.assign(window, { showInputBox: input, showWarningMessage: message, showInformationMessage: message, showErrorMessage: message, showQuickPick: pick });
  try {
    await run();
  } finally {
    Object.assign(window, { showWarningMessage, showInformationMessage, showErrorMessage, showQuickPick, showInputBox });
  }
  if (left.length > 0) throw new Error(`Nobody asked for ${left.length} of the answers. Shown: ${JSON.stringify(all)}`);
  return all;
}
