import * as vscode from 'vscode';
import type { RecordedFolder } from './recordedFolder.ts';
import type { Recordings } from './recordings.ts';

interface PlaceItem extends vscode.QuickPickItem {
  /** Undefined for all folders. */
  readonly folder: RecordedFolder | undefined;
}

function itemsOf(folders: readonly RecordedFolder[]): readonly PlaceItem[] {
  return [
    ...folders.map(folder => ({ label: folder.name, folder })),
    { label: vscode.l10n.t('All Folders'), description: vscode.l10n.t('also in other windows, and in terminals'), folder: undefined },
  ];
}

/** "Pause Recording": in a folder, or everywhere. Hooks and tools see it at their next event. */
export async function pauseRecording(recordings: Recordings): Promise<void> {
  const { folders, pause } = recordings;
  if (pause.isEverywhere) return void vscode.window.showInformationMessage(vscode.l10n.t('Recording is paused in all folders already.'));
  const chosen = await vscode.window.showQuickPick(itemsOf(folders.filter(({ root }) => !pause.isIn(root))), {
    title: vscode.l10n.t('Pause Recording'),
    placeHolder: vscode.l10n.t('Agents work on, and nothing of it is recorded until you resume'),
  });
  if (chosen === undefined) return;
  pause.begin(chosen.folder?.root);
  recordings.refresh();
}

/** "Resume Recording": where it is paused. */
export async function resumeRecording(recordings: Recordings): Promise<void> {
  const { folders, pause, roots } = recordings;
  const paused = folders.filter(({ root }) => pause.isIn(root));
  // A pause of all folders ends for all of them.
  const items = itemsOf(pause.isEverywhere ? [] : paused);
  const [only, ...others] = pause.isEverywhere ? items : items.filter(({ folder }) => folder !== undefined);
  if (only === undefined) return void vscode.window.showInformationMessage(vscode.l10n.t('Recording is not paused.'));
  const chosen = others.length === 0 ? only : await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Resume Recording') });
  if (chosen === undefined) return;
  if (chosen.folder === undefined) pause.endAll(roots.list());
  else pause.end(chosen.folder.root);
  recordings.refresh();
}
