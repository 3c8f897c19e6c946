import * as vscode from 'vscode';
import { TurnstoneError } from '../core/base/errors.ts';
import type { Select } from '../core/rewind/restore.ts';
import { selectRollback } from '../core/rewind/selection.ts';
import { selectRewind } from '../core/rewind/travel.ts';
import { newestRedoable, newestUndoable, selectUndo } from '../core/rewind/undo.ts';
import { activityOf } from '../core/timeline/activity.ts';
import type { Operation } from '../core/timeline/model.ts';
import { titleById } from './folderTimeline.ts';
import { backOperationWords, rewindWords, rollbackWords } from './operationWords.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import { fileCount, nameOf } from './words.ts';

/** Something that can be taken back, with the words that dialogs use for it. */
export interface RestoreTarget {
  readonly folder: RecordedFolder;
  readonly select: Select;
  /** "Rewind code to before “Add login”?" */
  readonly question: string;
  /** The button that does it: "Rewind". */
  readonly verb: string;
  /** "Rewind Other 6 Files" */
  readonly verbOthers: (count: number) => string;
  /** "6 other files can be rewound." */
  readonly othersCan: (count: number) => string;
  /** "Rewound to before “Add login”" */
  readonly done: string;
  /** The restore that an undo or redo is about: "the rewind to before “Add login”". */
  readonly undoes?: string;
}

function otherFiles(count: number): string {
  return count === 1 ? vscode.l10n.t('1 other file') : vscode.l10n.t('{0} other files', count);
}

function buttonFiles(count: number): string {
  return count === 1 ? vscode.l10n.t('1 File') : vscode.l10n.t('{0} Files', count);
}

export function rewindTarget(folder: RecordedFolder, turn: string): RestoreTarget {
  const title = titleById(folder, turn);
  return {
    folder,
    select: (timeline, look) => selectRewind(timeline, turn, look),
    question: vscode.l10n.t('Rewind code to before “{0}”?', title),
    verb: vscode.l10n.t('Rewind'),
    verbOthers: count => vscode.l10n.t('Rewind Other {0}', buttonFiles(count)),
    othersCan: count => vscode.l10n.t('{0} can be rewound.', otherFiles(count)),
    done: rewindWords(title).done,
  };
}

export function rollbackTarget(folder: RecordedFolder, turn: string, path: string | undefined): RestoreTarget {
  const title = titleById(folder, turn);
  return {
    folder,
    select: (timeline, look) => selectRollback(timeline, turn, path, look),
    question: path === undefined ? vscode.l10n.t('Roll back “{0}”?', title) : vscode.l10n.t('Roll back {0} of “{1}”?', nameOf(path), title),
    verb: vscode.l10n.t('Roll Back'),
    verbOthers: count => vscode.l10n.t('Roll Back Other {0}', buttonFiles(count)),
    othersCan: count => vscode.l10n.t('{0} can be rolled back.', otherFiles(count)),
    done: rollbackWords(title, path).done,
  };
}

/** The restore that undo or redo without a name means; undefined where there is none. */
export function lastBack(kind: 'undo' | 'redo', { store }: RecordedFolder): Operation | undefined {
  try {
    return (kind === 'undo' ? newestUndoable : newestRedoable)(store.timeline);
  } catch (error) {
    if (TurnstoneError.is(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Undo or redo of a restore. Throws `notFound` where there is no such restore. */
export function backTarget(kind: 'undo' | 'redo', folder: RecordedFolder, named: string): RestoreTarget {
  const operation = folder.store.timeline.operations.get(named);
  if (operation === undefined) throw new TurnstoneError('notFound', vscode.l10n.t('There is no restore {0}. Nothing was touched.', named));
  const words = backOperationWords(kind, folder, operation);
  const thing = backOperationWords('redo', folder, operation).thing;
  const verb = kind === 'undo' ? vscode.l10n.t('Undo') : vscode.l10n.t('Redo');
  return {
    folder,
    select: now => {
      const current = now.operations.get(operation.id);
      if (current?.done === undefined) throw new TurnstoneError('notFound', vscode.l10n.t('It has not ended yet. Nothing was touched.'));
      // A notification's button may be pressed long after something else was done.
      if (activityOf(now).isUndone(current.id)) throw new TurnstoneError('notFound', vscode.l10n.t('That is not in force any more. Nothing was touched.'));
      return selectUndo(now, kind, current);
    },
    question: kind === 'undo' ? vscode.l10n.t('Undo {0}?', thing) : vscode.l10n.t('Redo {0}?', thing),
    verb,
    verbOthers: count => (kind === 'undo' ? vscode.l10n.t('Undo in Other {0}', buttonFiles(count)) : vscode.l10n.t('Redo in Other {0}', buttonFiles(count))),
    othersCan: count => (kind === 'undo' ? vscode.l10n.t('It can be undone in {0}.', otherFiles(count)) : vscode.l10n.t('It can be redone in {0}.', otherFiles(count))),
    done: words.done,
    undoes: thing,
  };
}

/** "6 files changed" and the like, for results. */
export function changedWords(count: number): string {
  return vscode.l10n.t('{0} changed', fileCount(count));
}
