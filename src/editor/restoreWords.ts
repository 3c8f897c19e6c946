import * as vscode from 'vscode';
import { isWithin } from '../core/timeline/activity.ts';
import type { Plan, PlanItem } from '../core/rewind/plan.ts';
import type { Report } from '../core/rewind/report.ts';
import { changedWords, type RestoreTarget } from './restoreTarget.ts';
import { nameOf } from './words.ts';

/** The items of a plan that write a file. */
export function writingItems(plan: Plan): readonly PlanItem[] {
  return plan.items.filter(({ action }) => action === 'restore' || action === 'create' || action === 'delete' || action === 'merge');
}

export function conflictItems(plan: Plan): readonly PlanItem[] {
  return plan.items.filter(({ action }) => action === 'conflict');
}

/** "4 restored, 1 re-created, 1 deleted" */
export function planCounts(plan: Plan): string {
  const of = (action: PlanItem['action']): number => plan.items.filter(item => item.action === action).length;
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

/** What the plan's dialog says below its question. */
export function planDetail(target: RestoreTarget, plan: Plan): string {
  const sentences = [`${planCounts(plan)}.`, vscode.l10n.t('No other file is touched.'), vscode.l10n.t('You can undo this.')];
  const busy = isBusy(target, plan) ? [vscode.l10n.t('The agent is still working on it: what it writes from now on stays.')] : [];
  return [...plan.warnings, sentences.join(' '), ...busy].join('\n');
}

/** Whether an agent may go on writing what is being taken back. */
function isBusy({ folder }: RestoreTarget, { selection }: Plan): boolean {
  if (selection.kind === 'undo' || selection.kind === 'redo') return false;
  const { turns } = folder.store.timeline;
  const one = selection.kind === 'rollback' ? turns.get(selection.target) : undefined;
  return [...turns.values()].some(turn => turn.state === 'open' && (selection.kind === 'rollback' ? turn === one : isWithin(selection.reach, turn.session) && turn.seq >= selection.fromSeq));
}

/** One conflict in a sentence: "app.ts changed after the agent's last recorded edit." `target` is what is to be undone. */
export function conflictSentence(target: RestoreTarget, { path, reason = '' }: PlanItem): string {
  const name = nameOf(path);
  if (reason.startsWith('it has unsaved changes in another')) return vscode.l10n.t('{0} has unsaved changes in another window.', name);
  if (reason.startsWith('it has unsaved')) return vscode.l10n.t('{0} has unsaved changes.', name);
  if (reason === 'it was deleted since') return target.undoes === undefined ? vscode.l10n.t('{0} was deleted after the agent\'s last recorded edit.', name) : vscode.l10n.t('{0} was deleted after {1}.', name, target.undoes);
  if (reason === 'it was changed since') return target.undoes === undefined ? vscode.l10n.t('{0} changed after the agent\'s last recorded edit.', name) : vscode.l10n.t('{0} changed after {1}.', name, target.undoes);
  if (reason === 'it was changed outside the recorded calls') return vscode.l10n.t('{0} also holds changes that no recorded turn made.', name);
  if (reason.startsWith('another session')) return vscode.l10n.t('{0} also holds changes of another session.', name);
  return `${name}: ${reason}.`;
}

/** The conflict dialog's message and detail. */
export function conflictWords(target: RestoreTarget, plan: Plan): { readonly message: string; readonly detail: string } {
  const conflicts = conflictItems(plan);
  const others = writingItems(plan).length;
  const only = conflicts.length === 1 ? conflicts[0] : undefined;
  const message = only === undefined ? vscode.l10n.t('{0} files hold changes that are not the agent\'s.', conflicts.length) : conflictSentence(target, only);
  const lines = only === undefined ? conflicts.slice(0, 8).map(item => conflictSentence(target, item)) : [];
  if (conflicts.length > 8) lines.push('…');
  const rest = [vscode.l10n.t('Nothing has been written.'), others > 0 ? target.othersCan(others) : ''].filter(Boolean).join(' ');
  return { message, detail: [...lines, rest].join('\n') };
}

/** "Rewound to before “Add login”: 6 files changed, 1 left as yours." */
export function resultSentence(done: string, { counts }: Report): string {
  const changed = counts.restored + counts.created + counts.deleted + counts.merged;
  const parts = [changedWords(changed)];
  if (counts.conflict > 0) parts.push(vscode.l10n.t('{0} left as yours', counts.conflict));
  if (counts.skipped > 0) parts.push(vscode.l10n.t('{0} skipped', counts.skipped));
  if (counts.failed > 0) parts.push(vscode.l10n.t('{0} failed', counts.failed));
  return `${done}: ${parts.join(', ')}.`;
}
