import * as vscode from 'vscode';
import type { TurnView } from '../core/timeline/view.ts';
import { folderTimeline } from './folderTimeline.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import { agentOf, turnTitle } from './turnTitles.ts';
import { agentName, fileCount, nameOf, timeOf } from './words.ts';

export interface PickedTurn {
  readonly folder: RecordedFolder;
  readonly view: TurnView;
}

interface TurnItem extends vscode.QuickPickItem {
  readonly choice: PickedTurn;
}

/** A turn that worked in several folders is one choice: whichever of them it is rewound from, it is rewound in all. */
function itemOf(choices: readonly PickedTurn[]): TurnItem {
  const choice = choices.find(({ view: { turn } }) => turn.prompt !== undefined && !turn.elsewhere) ?? (choices[0] as PickedTurn);
  const { folder, view: { turn } } = choice;
  const title = turnTitle(folder, turn);
  const files = choices.flatMap(({ view }) => view.files.map(({ path }) => nameOf(path)));
  return {
    label: title === '' ? turn.id : title,
    description: [agentName(agentOf(folder, turn.session)), timeOf(turn.at), fileCount(files.length)].join(' · '),
    detail: files.join(', '),
    choice,
  };
}

/** Asks for a turn to go back to before; newest first. */
export async function pickTurn(folders: readonly RecordedFolder[]): Promise<PickedTurn | undefined> {
  const turns = new Map<string, PickedTurn[]>();
  for (const folder of folders) {
    for (const view of folderTimeline(folder).turns.values()) {
      if (view.abandonedBy === undefined) turns.set(view.turn.id, [...(turns.get(view.turn.id) ?? []), { folder, view }]);
    }
  }
  const items = [...turns.values()].map(itemOf).sort((a, b) => b.choice.view.turn.at - a.choice.view.turn.at);
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
