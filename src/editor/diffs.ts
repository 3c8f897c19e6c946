import * as vscode from 'vscode';
import type { FileView, TurnView } from '../core/timeline/view.ts';
import { blobUri } from './blobUris.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import { turnTitle } from './turnTitles.ts';
import { nameOf } from './words.ts';

function sides(folder: RecordedFolder, file: FileView): { readonly before: vscode.Uri; readonly after: vscode.Uri } | undefined {
  const here = folder.fileUri(file.path);
  const before = blobUri(here, folder.root.key, file.before);
  const after = blobUri(here, folder.root.key, file.after);
  return before === undefined || after === undefined ? undefined : { before, after };
}

function cannotShow(file: FileView): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('{0} can\'t be shown: its content was not kept (too large, or no file).', nameOf(file.path)));
}

/** What a turn did to one file, in the native diff editor. */
export async function openChanges(folder: RecordedFolder, view: TurnView, file: FileView): Promise<void> {
  const both = sides(folder, file);
  if (both === undefined) return cannotShow(file);
  const title = vscode.l10n.t('{0} (before ↔ after “{1}”)', nameOf(file.path), turnTitle(folder, view.turn));
  await vscode.commands.executeCommand('vscode.diff', both.before, both.after, title, { preview: true });
}

/** All files of a turn in the multi-diff editor. */
export async function openAllChanges(folder: RecordedFolder, view: TurnView): Promise<void> {
  const resources = view.files.flatMap(file => {
    const both = sides(folder, file);
    // A missing side is how the multi-diff editor knows a new or deleted file.
    return both === undefined ? [] : [[folder.fileUri(file.path), file.before.kind === 'absent' ? undefined : both.before, file.after.kind === 'absent' ? undefined : both.after]];
  });
  await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('“{0}”: all changes', turnTitle(folder, view.turn)), resources);
}

/** A file as a turn left it against the file as it is now. */
export async function compareWithCurrent(folder: RecordedFolder, view: TurnView, file: FileView): Promise<void> {
  const both = sides(folder, file);
  if (both === undefined) return cannotShow(file);
  const here = folder.fileUri(file.path);
  const isThere = await vscode.workspace.fs.stat(here).then(() => true, () => false);
  const now = isThere ? here : blobUri(here, folder.root.key, { kind: 'absent' });
  if (now === undefined) return cannotShow(file);
  const title = vscode.l10n.t('{0} (after “{1}” ↔ current)', nameOf(file.path), turnTitle(folder, view.turn));
  await vscode.commands.executeCommand('vscode.diff', both.after, now, title, { preview: true });
}
