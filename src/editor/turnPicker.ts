import * as vscode from 'vscode';
import type { TurnView } from '../core/timeline/view.ts';
import { folderTimeline, turnTitle } from './folderTimeline.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import { agentName, fileCount, nameOf, timeOf } from './words.ts';

export interface PickedTurn {
  readonly folder: RecordedFolder;
  readonly view: TurnView;
}

interface TurnItem extends vscode.QuickPickItem {
  readonly choice: PickedTurn;
}

function itemOf(folder: RecordedFolder, view: TurnView): TurnItem {
  const title = turnTitle(folder, view);
  const files = view.files.map(({ path }) => nameOf(path)).join(', ');
  return {
    label: title === '' ? view.turn.id : title,
    description: [agentName(view.agent), timeOf(view.turn.at), fileCount(view.files.length)].join(' · '),
    detail: files,
    choice: { folder, view },
  };
}

/** Asks for a turn to go back to before; newest first. */
export async function pickTurn(folders: readonly RecordedFolder[]): Promise<PickedTurn | undefined> {
  const items = folders
    .flatMap(folder => [...folderTimeline(folder).turns.values()].filter(view => view.abandonedBy === undefined).map(view => ({ folder, view })))
    .sort((a, b) => b.view.turn.at - a.view.turn.at)
    .map(({ folder, view }) => itemOf(folder, view));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no turn to rewind to yet. Your agent\'s next prompt is the first.'));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Rewind to Here'),
    placeHolder: vscode.l10n.t('Choose the prompt to go back to before'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.choice;
}
