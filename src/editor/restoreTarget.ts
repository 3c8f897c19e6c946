import * as vscode from 'vscode';
import { TurnstoneError } from '../core/base/errors.ts';
import type { RestoreRequest } from '../core/rewind/request.ts';
import { newestRedoable, newestUndoable } from '../core/rewind/undo.ts';
import { activityOf } from '../core/timeline/activity.ts';
import type { Operation } from '../core/timeline/model.ts';
import type { KnownFolder } from './knownFolder.ts';
import { backOperationWords, rewindWordsFor, rollbackWords } from './operationWords.ts';
import { pointTitle, titleById } from './turnTitles.ts';
import { fileCount, nameOf } from './words.ts';

/** Something that can be taken back, with the words that dialogs use for it. */
export interface RestoreTarget {
  /** Where it was asked for; what else it concerns follows from the request. */
  readonly folder: KnownFolder;
  readonly request: RestoreRequest;
  /** Throws `notFound` where there is no sense in it any more; called before each look. */
  readonly check?: () => void;
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

/** To before a turn, or to a step or a checkpoint. */
export function rewindTarget(folder: KnownFolder, target: string): RestoreTarget {
  const point = pointTitle(folder, target);
  return {
    folder,
    request: { kind: 'rewind', target, scope: 'code' },
    question: point === undefined ? vscode.l10n.t('Rewind code to before “{0}”?', titleById(folder, target)) : vscode.l10n.t('Rewind code to “{0}”?', point),
    verb: vscode.l10n.t('Rewind'),
    verbOthers: count => vscode.l10n.t('Rewind Other {0}', buttonFiles(count)),
    othersCan: count => vscode.l10n.t('{0} can be rewound.', otherFiles(count)),
    done: rewindWordsFor(folder, target).done,
  };
}

export function rollbackTarget(folder: KnownFolder, turn: string, path: string | undefined): RestoreTarget {
  const title = titleById(folder, turn);
  return {
    folder,
    request: { kind: 'rollback', target: turn, path },
    question: path === undefined ? vscode.l10n.t('Roll back “{0}”?', title) : vscode.l10n.t('Roll back {0} of “{1}”?', nameOf(path), title),
    verb: vscode.l10n.t('Roll Back'),
    verbOthers: count => vscode.l10n.t('Roll Back Other {0}', buttonFiles(count)),
    othersCan: count => vscode.l10n.t('{0} can be rolled back.', otherFiles(count)),
    done: rollbackWords(title, path).done,
  };
}

/** The restore that undo or redo without a name means; undefined where there is none. */
export function lastBack(kind: 'undo' | 'redo', { store }: KnownFolder): Operation | undefined {
  try {
    return (kind === 'undo' ? newestUndoable : newestRedoable)(store.timeline);
  } catch (error) {
    if (TurnstoneError.is(error, 'notFound')) return undefined;
    throw error;
  }
}

// A notification's button may be pressed long after something else was done.
function mustBeInForce(kind: 'undo' | 'redo', folder: KnownFolder, id: string): void {
  folder.store.refresh();
  const { timeline } = folder.store;
  if (timeline.operations.get(id)?.done === undefined) throw new TurnstoneError('notFound', vscode.l10n.t('It has not ended yet. Nothing was touched.'));
  // What an undo could not write all of counts as undone, and can be tried again.
  if (activityOf(timeline).isUndone(id) && lastBack(kind, folder)?.id !== id) throw new TurnstoneError('notFound', vscode.l10n.t('That is not in force any more. Nothing was touched.'));
}

/** Undo or redo of a restore. Throws `notFound` where there is no such restore. */
export function backTarget(kind: 'undo' | 'redo', folder: KnownFolder, named: string): RestoreTarget {
  const operation = folder.store.timeline.operations.get(named);
  if (operation === undefined) throw new TurnstoneError('notFound', vscode.l10n.t('There is no restore {0}. Nothing was touched.', named));
  const words = backOperationWords(kind, folder, operation);
  const thing = backOperationWords('redo', folder, operation).thing;
  const verb = kind === 'undo' ? vscode.l10n.t('Undo') : vscode.l10n.t('Redo');
  return {
    folder,
    request: { kind, operation: operation.id },
    check: () => mustBeInForce(kind, folder, operation.id),
    question: kind === 'undo' ? vscode.l10n.t('Undo {0}?', thing) : vscode.l10n.t('Redo {0}?', thing),
    verb,
    verbOthers: count => (kind === 'undo' ? vscode.l10n.t('Undo in Other {0}', buttonFiles(count)) : vscode.l10n.t('Redo in Other {0}', buttonFiles(count))),
    othersCan: count => (kind === 'undo' ? vscode.l10n.t('It can be undone in {0}.', otherFiles(count)) : vscode.l10n.t('It can be redone in {0}.', otherFiles(count))),
    done: words.done,
    undoes: thing,
  };
}

/** "6 files changed" and the like, for results. */
export function changedWords(count: number, folders: number): string {
  return folders > 1 ? vscode.l10n.t('{0} in {1} folders changed', fileCount(count), folders) : vscode.l10n.t('{0} changed', fileCount(count));
}
