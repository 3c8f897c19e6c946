import * as vscode from 'vscode';
import { compareFile, type FileView, type TurnView } from '../core/timeline/view.ts';
import type { Review, ReviewCard } from '../protocol.ts';
import { folderTimeline, type FolderTimeline } from './folderTimeline.ts';
import type { KnownFolder } from './knownFolder.ts';
import { countWords } from './timelineItems.ts';
import { agentOf, turnTitle } from './turnTitles.ts';
import { agentName, fileCount, folderOf, nameOf, sizeWords, stateWord, statusWord, timeOf } from './words.ts';

const lineLimit = 400;

function sizeOf(state: FileView['before']): string {
  if (state.kind === 'content' || state.kind === 'oversize') return sizeWords(state.size);
  return state.kind === 'absent' ? vscode.l10n.t('no file') : state.kind;
}

function note(file: FileView, kind: string, hunks: number): string | undefined {
  const sizes = `${sizeOf(file.before)} → ${sizeOf(file.after)}`;
  if (kind === 'binary') return vscode.l10n.t('Binary: {0}', sizes);
  if (kind === 'large') return vscode.l10n.t('Too large to show here: {0}', sizes);
  return hunks === 0 ? sizes : undefined;
}

function cardOf(folder: KnownFolder, view: TurnView, file: FileView): ReviewCard {
  const counted = compareFile(file, folder.store.blobs, 3);
  const state = stateWord(file.state);
  const why = note(file, counted.kind, counted.hunks.length);
  let left = lineLimit;
  const hunks = counted.hunks.flatMap(({ id, oldStart, newStart, lines }) => {
    const shown = lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return shown.length === 0 ? [] : [{ id, oldStart, newStart, lines: [...shown] }];
  });
  return {
    path: file.path,
    name: nameOf(file.path),
    folder: folderOf(file.path),
    status: file.status,
    statusWord: statusWord(file.status),
    counts: countWords(counted),
    canRollBack: view.abandonedBy === undefined && (file.state === 'active' || file.state === 'partly') && vscode.workspace.isTrusted,
    hunks,
    ...(state === undefined ? {} : { stateWord: state }),
    ...(why === undefined ? {} : { note: why }),
  };
}

/** The newest turn in force of the window's folders: what there is to review. */
export function newestTurn(folders: readonly KnownFolder[]): { readonly timeline: FolderTimeline; readonly view: TurnView } | undefined {
  return folders
    .map(folderTimeline)
    .flatMap(timeline => (timeline.here === undefined ? [] : [{ timeline, view: timeline.here }]))
    .sort((a, b) => b.view.turn.at - a.view.turn.at)[0];
}

export function reviewOf(folders: readonly KnownFolder[]): Review | undefined {
  const newest = newestTurn(folders);
  if (newest === undefined) return undefined;
  const { view, timeline } = newest;
  const { folder } = timeline;
  return {
    root: folder.root.key,
    turn: view.turn.id,
    title: turnTitle(folder, view.turn),
    description: [agentName(agentOf(folder, view.turn.session)), timeOf(view.turn.at), fileCount(view.files.length)].join(' · '),
    notes: [...new Set(view.turn.gaps)].slice(0, 5),
    cards: view.files.map(file => cardOf(folder, view, file)),
  };
}
