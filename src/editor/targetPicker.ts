import * as vscode from 'vscode';
import { activityOf } from '../core/timeline/activity.ts';
import type { TurnView } from '../core/timeline/view.ts';
import { folderTimeline } from './folderTimeline.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import { agentOf, pointTitle, turnTitle } from './turnTitles.ts';
import { agentName, fileCount, nameOf, timeOf } from './words.ts';

/** A turn to go back to before, or a checkpoint to go back to. */
export interface PickedTarget {
  readonly folder: RecordedFolder;
  readonly target: string;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly at: number;
  readonly choice: PickedTarget;
}

interface TurnIn {
  readonly folder: RecordedFolder;
  readonly view: TurnView;
}

/** A turn that worked in several folders is one choice: whichever of them it is rewound from, it is rewound in all. */
function turnItem(choices: readonly TurnIn[]): TargetItem {
  const { folder, view: { turn } } = choices.find(({ view }) => view.turn.prompt !== undefined && !view.turn.elsewhere) ?? (choices[0] as TurnIn);
  const title = turnTitle(folder, turn);
  const files = choices.flatMap(({ view }) => view.files.map(({ path }) => nameOf(path)));
  return {
    label: title === '' ? turn.id : title,
    description: [agentName(agentOf(folder, turn.session)), timeOf(turn.at), fileCount(files.length)].join(' · '),
    detail: files.join(', '),
    at: turn.at,
    choice: { folder, target: turn.id },
  };
}

function turnItems(folders: readonly RecordedFolder[]): readonly TargetItem[] {
  const turns = new Map<string, TurnIn[]>();
  for (const folder of folders) {
    for (const view of folderTimeline(folder).turns.values()) {
      if (view.abandonedBy === undefined) turns.set(view.turn.id, [...(turns.get(view.turn.id) ?? []), { folder, view }]);
    }
  }
  return [...turns.values()].map(turnItem);
}

/** Checkpoints made by hand, each once: one has the same id in every folder of the window in which it was made. */
function checkpointItems(folders: readonly RecordedFolder[]): readonly TargetItem[] {
  const items = new Map<string, TargetItem>();
  for (const folder of folders) {
    const { timeline } = folder.store;
    const activity = activityOf(timeline);
    for (const { id, kind, seq, at } of timeline.points.values()) {
      if (kind !== 'checkpoint' || items.has(id) || activity.abandonedBy(undefined, seq) !== undefined) continue;
      items.set(id, { label: `$(bookmark) ${pointTitle(folder, id) ?? id}`, description: [vscode.l10n.t('Checkpoint'), timeOf(at)].join(' · '), at, choice: { folder, target: id } });
    }
  }
  return [...items.values()];
}

/** Asks where to go back to; newest first. */
export async function pickTarget(folders: readonly RecordedFolder[]): Promise<PickedTarget | undefined> {
  const items = [...turnItems(folders), ...checkpointItems(folders)].sort((a, b) => b.at - a.at);
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no turn to rewind to yet. Your agent\'s next prompt is the first.'));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Rewind to Here'),
    placeHolder: vscode.l10n.t('Choose the prompt to go back to before, or a checkpoint'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.choice;
}
