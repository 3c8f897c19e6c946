import * as vscode from 'vscode';
import type { Operation } from '../core/timeline/model.ts';
import { folderTimeline } from './folderTimeline.ts';
import { operationWords, writtenCount } from './operationWords.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import type { NodeOf } from './timelineNodes.ts';
import { fileCount, timeOf, turnCount } from './words.ts';

const { Collapsed, None } = vscode.TreeItemCollapsibleState;

/** What can be done about a restore: only one in force can be undone, only an undo in force can be redone. */
export function standingOf(folder: RecordedFolder, operation: Operation): 'undoable' | 'redoable' | 'undone' | 'unfinished' | 'past' {
  if (operation.done === undefined) return 'unfinished';
  const { activity } = folderTimeline(folder);
  const { kind } = operation.intent;
  if (activity.isUndone(operation.id)) return 'undone';
  if (kind === 'undo') return 'redoable';
  return kind === 'redo' ? 'past' : 'undoable';
}

function branchItem({ id, folder, operation }: NodeOf<'branch'>): vscode.TreeItem {
  const entries = folderTimeline(folder).sessions.flatMap(session => session.entries);
  const branch = entries.find(entry => entry.kind === 'branch' && entry.operation.id === operation);
  const turns = branch?.kind === 'branch' ? branch.turns.length : 0;
  const item = new vscode.TreeItem(vscode.l10n.t('Rewound turns'), Collapsed);
  item.id = id;
  item.description = turnCount(turns);
  item.iconPath = new vscode.ThemeIcon('git-branch');
  item.contextValue = 'branch';
  item.accessibilityInformation = { label: vscode.l10n.t('Timeline branch of {0} that were rewound.', turnCount(turns)) };
  return item;
}

function restoreItem({ id, folder, operation: operationId }: NodeOf<'operation'>): vscode.TreeItem {
  const operation = folder.store.timeline.operations.get(operationId);
  const item = new vscode.TreeItem(operation === undefined ? operationId : operationWords(folder, operation).done, None);
  item.id = id;
  if (operation === undefined) return item;
  const standing = standingOf(folder, operation);
  const words = [timeOf(operation.at), fileCount(writtenCount(operation))];
  const folders = operation.intent.roots?.length ?? 1;
  if (folders > 1) words.push(vscode.l10n.t('{0} folders', folders));
  if (standing === 'undone') words.push(vscode.l10n.t('undone'));
  if (standing === 'unfinished') words.push(vscode.l10n.t('not finished'));
  item.description = words.join(' · ');
  item.iconPath = new vscode.ThemeIcon(operation.intent.kind === 'redo' ? 'redo' : operation.intent.kind === 'undo' ? 'reply' : 'history');
  item.contextValue = `operation.${standing}`;
  item.accessibilityInformation = { label: `${String(item.label)}, ${words.join(', ')}.` };
  return item;
}

/** How a restore, or a timeline branch that one left behind, looks. */
export function operationItem(node: NodeOf<'operation' | 'branch'>): vscode.TreeItem {
  return node.kind === 'branch' ? branchItem(node) : restoreItem(node);
}
