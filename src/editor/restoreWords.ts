import * as vscode from 'vscode';
import { isWithin } from '../core/timeline/activity.ts';
import type { PlanItem } from '../core/rewind/plan.ts';
import type { Counts } from '../core/rewind/report.ts';
import { shortPath } from './places.ts';
import { conflictFiles, fileName, writingFiles, type FolderPlan, type RestoreFile, type RestorePlan } from './restorePlan.ts';
import { changedWords, type RestoreTarget } from './restoreTarget.ts';
import { turnState } from './turnTitles.ts';

/** "4 restored, 1 re-created, 1 deleted" */
function itemCounts(items: readonly PlanItem[]): string {
  const of = (action: PlanItem['action']): number => items.filter(item => item.action === action).length;
  const parts: readonly (readonly [number, string])[] = [
    [of('restore'), vscode.l10n.t('{0} restored', of('restore'))],
    [of('create'), vscode.l10n.t('{0} re-created', of('create'))],
    [of('delete'), vscode.l10n.t('{0} deleted', of('delete'))],
    [of('merge'), vscode.l10n.t('{0} merged', of('merge'))],
    [of('conflict'), vscode.l10n.t('{0} left as yours', of('conflict'))],
    [of('unavailable'), vscode.l10n.t('{0} can\'t be restored', of('unavailable'))],
  ];
  const told = parts.filter(([count]) => count > 0).map(([, words]) => words);
  return told.length === 0 ? vscode.l10n.t('No file differs') : told.join(', ');
}

/** A folder by itself: one that is not open here by where it is. */
function folderWords({ folder, label }: FolderPlan): string {
  return folder.isOpen ? (label ?? folder.name) : vscode.l10n.t('{0} (not open in this window)', shortPath(folder.root.path));
}

/** A line for each folder whose files are among these, unless all are where they are looked for. */
function folderLines(files: readonly RestoreFile[]): readonly string[] {
  const parts = [...new Set(files.map(({ part }) => part))];
  if (parts.every(({ label }) => label === undefined)) return [];
  return parts.map(part => `${folderWords(part)}: ${itemCounts(files.filter(file => file.part === part).map(({ item }) => item))}`);
}

/** What could not be looked into. */
export function unreadableWords(names: readonly string[]): readonly string[] {
  return names.map(name => vscode.l10n.t('The history of {0} can\'t be read. What was done there is left as it is.', name));
}

function warnings(plan: RestorePlan): readonly string[] {
  const told = plan.parts.flatMap(part => part.plan.warnings.map(warning => (part.label === undefined ? warning : `${folderWords(part)}: ${warning}`)));
  return [...told, ...unreadableWords(plan.unreadable)];
}

/** What the plan's dialog says below its question. */
export function planDetail(plan: RestorePlan): string {
  const told = plan.parts.flatMap(part => part.plan.items.filter(({ action }) => action !== 'unchanged').map(item => ({ part, item })));
  const sentences = [`${itemCounts(told.map(({ item }) => item))}.`, vscode.l10n.t('No other file is touched.'), vscode.l10n.t('You can undo this.')];
  const busy = plan.parts.some(isBusy) ? [vscode.l10n.t('The agent is still working on it: what it writes from now on stays.')] : [];
  return [...warnings(plan), sentences.join(' '), ...folderLines(told), ...busy].join('\n');
}

/** Whether an agent may go on writing what is being taken back. */
function isBusy({ folder, plan: { selection } }: FolderPlan): boolean {
  if (selection.kind === 'undo' || selection.kind === 'redo') return false;
  const { turns } = folder.store.timeline;
  const one = selection.kind === 'rollback' ? turns.get(selection.target) : undefined;
  const isTakenBack = [...turns.values()].filter(turn => (selection.kind === 'rollback' ? turn === one : isWithin(selection.reach, turn.session) && turn.seq >= selection.fromSeq));
  return isTakenBack.some(turn => turnState(folder, turn) === 'open');
}

/** One conflict in a sentence: "app.ts changed after the agent's last recorded edit." `target` is what is to be undone. */
export function conflictSentence(target: RestoreTarget, file: RestoreFile): string {
  const name = fileName(file);
  const { reason = '' } = file.item;
  if (reason.startsWith('it has unsaved changes in another')) return vscode.l10n.t('{0} has unsaved changes in another window.', name);
  if (reason.startsWith('it has unsaved')) return vscode.l10n.t('{0} has unsaved changes.', name);
  if (reason === 'it was deleted since') return target.undoes === undefined ? vscode.l10n.t('{0} was deleted after the agent\'s last recorded edit.', name) : vscode.l10n.t('{0} was deleted after {1}.', name, target.undoes);
  if (reason === 'it was changed since') return target.undoes === undefined ? vscode.l10n.t('{0} changed after the agent\'s last recorded edit.', name) : vscode.l10n.t('{0} changed after {1}.', name, target.undoes);
  if (reason === 'it was changed outside the recorded calls') return vscode.l10n.t('{0} also holds changes that no recorded turn made.', name);
  if (reason.startsWith('another session')) return vscode.l10n.t('{0} also holds changes of another session.', name);
  return `${name}: ${reason}.`;
}

/** The conflict dialog's message and detail. */
export function conflictWords(target: RestoreTarget, plan: RestorePlan): { readonly message: string; readonly detail: string } {
  const conflicts = conflictFiles(plan);
  const others = writingFiles(plan);
  const only = conflicts.length === 1 ? conflicts[0] : undefined;
  const message = only === undefined ? vscode.l10n.t('{0} files hold changes that are not the agent\'s.', conflicts.length) : conflictSentence(target, only);
  const lines = only === undefined ? conflicts.slice(0, 8).map(file => conflictSentence(target, file)) : [];
  if (conflicts.length > 8) lines.push('…');
  const rest = [vscode.l10n.t('Nothing has been written.'), others.length > 0 ? target.othersCan(others.length) : ''].filter(Boolean).join(' ');
  return { message, detail: [...lines, rest, ...folderLines(others), ...warnings(plan)].join('\n') };
}

/** "Rewound to before “Add login”: 6 files changed, 1 left as yours." */
export function resultSentence(done: string, counts: Counts, folders: number): string {
  const changed = counts.restored + counts.created + counts.deleted + counts.merged;
  const parts = [changedWords(changed, folders)];
  if (counts.conflict > 0) parts.push(vscode.l10n.t('{0} left as yours', counts.conflict));
  if (counts.skipped > 0) parts.push(vscode.l10n.t('{0} skipped', counts.skipped));
  if (counts.failed > 0) parts.push(vscode.l10n.t('{0} failed', counts.failed));
  return `${done}: ${parts.join(', ')}.`;
}
