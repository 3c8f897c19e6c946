import * as vscode from 'vscode';
import { findBranch } from '../core/timeline/branches.ts';
import type { Operation } from '../core/timeline/model.ts';
import { folderTimeline } from './folderTimeline.ts';
import type { KnownFolder } from './knownFolder.ts';
import { pointTitle, titleById } from './turnTitles.ts';
import { nameOf } from './words.ts';

/** A restore in the user's words, in the forms that dialogs, the tree and notifications need. */
export interface OperationWords {
  /** "Rewound to before “Add login”" */
  readonly done: string;
  /** "the rewind to before “Add login”", to be undone or redone */
  readonly thing: string;
}

function rewindWords(title: string): OperationWords {
  return { done: vscode.l10n.t('Rewound to before “{0}”', title), thing: vscode.l10n.t('the rewind to before “{0}”', title) };
}

/** Of going back to a step of a turn, or to a checkpoint: nothing of it goes. */
function pointWords(title: string): OperationWords {
  return { done: vscode.l10n.t('Rewound to “{0}”', title), thing: vscode.l10n.t('the rewind to “{0}”', title) };
}

/** Of a rewind to a turn, a step or a checkpoint. */
export function rewindWordsFor(folder: KnownFolder, target: string): OperationWords {
  const point = pointTitle(folder, target);
  return point === undefined ? rewindWords(titleById(folder, target)) : pointWords(point);
}

export function rollbackWords(title: string, path: string | undefined): OperationWords {
  if (path === undefined) return { done: vscode.l10n.t('Rolled back “{0}”', title), thing: vscode.l10n.t('the roll back of “{0}”', title) };
  const name = nameOf(path);
  return { done: vscode.l10n.t('Rolled back {0} of “{1}”', name, title), thing: vscode.l10n.t('the roll back of {0} of “{1}”', name, title) };
}

function forkWords(title: string): OperationWords {
  return { done: vscode.l10n.t('Forked before “{0}”', title), thing: vscode.l10n.t('the fork before “{0}”', title) };
}

function switchWords(folder: KnownFolder, branch: string): OperationWords {
  const turn = findBranch(folder.store.timeline, branch)?.turns[0];
  const title = turn === undefined ? branch : titleById(folder, turn);
  return { done: vscode.l10n.t('Switched to the timeline branch “{0}”', title), thing: vscode.l10n.t('the switch to the timeline branch “{0}”', title) };
}

function backWords(kind: 'undo' | 'redo', thing: string): OperationWords {
  return kind === 'undo'
    ? { done: vscode.l10n.t('Undid {0}', thing), thing: vscode.l10n.t('the undo of {0}', thing) }
    : { done: vscode.l10n.t('Redid {0}', thing), thing };
}

/** The restore that an undo or redo is about, behind all undos and redos of it. */
export function originOf(folder: KnownFolder, operation: Operation): Operation {
  const { kind, target } = operation.intent;
  const earlier = kind === 'undo' || kind === 'redo' ? folder.store.timeline.operations.get(target) : undefined;
  return earlier === undefined ? operation : originOf(folder, earlier);
}

function onlyPath(folder: KnownFolder, operation: Operation): string | undefined {
  // A single file is rolled back in its own folder only.
  if (operation.intent.roots !== undefined) return undefined;
  const covered = [...operation.intent.paths, ...operation.intent.left].map(({ path }) => path);
  const files = folderTimeline(folder).turns.get(operation.intent.target)?.files ?? [];
  return covered.length === 1 && files.length > 1 ? covered[0] : undefined;
}

/** What a recorded restore did. */
export function operationWords(folder: KnownFolder, operation: Operation): OperationWords {
  const { kind, target } = operation.intent;
  switch (kind) {
    case 'rewind':
      return rewindWordsFor(folder, target);
    case 'fork':
      return forkWords(titleById(folder, target));
    case 'switch':
      return switchWords(folder, target);
    case 'rollback':
      return rollbackWords(titleById(folder, target), onlyPath(folder, operation));
    case 'undo':
    case 'redo': {
      const origin = originOf(folder, operation);
      return backWords(kind, origin === operation ? target : operationWords(folder, origin).thing);
    }
  }
}

/** What undoing or redoing a restore is called. */
export function backOperationWords(kind: 'undo' | 'redo', folder: KnownFolder, operation: Operation): OperationWords {
  const origin = originOf(folder, operation);
  return backWords(kind, operationWords(folder, origin).thing);
}

/** How many files a restore wrote. */
export function writtenCount(operation: Operation): number {
  return (operation.done?.paths ?? []).filter(({ outcome }) => outcome === 'done').length;
}
