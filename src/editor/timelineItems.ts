import * as vscode from 'vscode';
import type { Counts } from '../core/timeline/evidence.ts';
import type { FileView, TurnView } from '../core/timeline/view.ts';
import { blobUri } from './blobUris.ts';
import { countsOf } from './fileCounts.ts';
import { folderTimeline } from './folderTimeline.ts';
import { commandIds } from './ids.ts';
import { operationItem } from './operationItem.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import type { NodeOf, TimelineNode } from './timelineNodes.ts';
import { agentOf, sessionTitle, turnPrompt, turnState, turnTitle } from './turnTitles.ts';
import { agentName, fileCount, folderOf, lineCounts, nameOf, plainMarkdown, statusWord, stateWord, timeOf, turnCount } from './words.ts';

const promptLimit = 2000;
const { Collapsed, None } = vscode.TreeItemCollapsibleState;

/** A file's counts in words; empty for what has no lines. */
export function countWords(file: Counts): string {
  switch (file.kind) {
    case 'text':
      return `+${file.added} −${file.removed}`;
    case 'binary':
      return vscode.l10n.t('binary');
    case 'large':
      return vscode.l10n.t('large');
    case 'none':
      return '';
  }
}

/** The state of a turn in words; undefined for one that simply ended. */
function turnStateWord(folder: RecordedFolder, view: TurnView): string | undefined {
  if (view.abandonedBy !== undefined) return vscode.l10n.t('rewound');
  const state = turnState(folder, view.turn);
  if (state === 'open') return vscode.l10n.t('working');
  return state === 'interrupted' ? vscode.l10n.t('interrupted') : undefined;
}

function turnIcon(folder: RecordedFolder, view: TurnView): vscode.ThemeIcon {
  if (view.abandonedBy !== undefined) return new vscode.ThemeIcon('discard', new vscode.ThemeColor('disabledForeground'));
  const state = turnState(folder, view.turn);
  if (state === 'open') return new vscode.ThemeIcon('loading~spin');
  if (folderTimeline(folder).here === view) return new vscode.ThemeIcon('target');
  return new vscode.ThemeIcon(state === 'interrupted' ? 'circle-slash' : 'circle-outline');
}

function facts(folder: RecordedFolder, view: TurnView): readonly string[] {
  const words = [agentName(agentOf(folder, view.turn.session)), timeOf(view.turn.at), fileCount(view.files.length), turnStateWord(folder, view)];
  if (view.turn.gaps.length > 0) words.push(vscode.l10n.t('partly tracked'));
  if (folderTimeline(folder).here === view) words.push(vscode.l10n.t('you are here'));
  return words.filter(word => word !== undefined);
}

function turnSentences(folder: RecordedFolder, view: TurnView): readonly string[] {
  const state = turnState(folder, view.turn);
  const sentences = [vscode.l10n.t('{0} at {1} changed {2}.', agentName(agentOf(folder, view.turn.session)), timeOf(view.turn.at), fileCount(view.files.length))];
  if (view.abandonedBy !== undefined) sentences.push(vscode.l10n.t('This turn was rewound; its files are as they were before it.'));
  else if (state === 'open') sentences.push(vscode.l10n.t('The agent is still working.'));
  else if (state === 'interrupted') sentences.push(vscode.l10n.t('It was interrupted.'));
  if (view.turn.gaps.length > 0) sentences.push(vscode.l10n.t('It is partly tracked: some of what it did can\'t be taken back.'));
  if (folderTimeline(folder).here === view) sentences.push(vscode.l10n.t('You are here: the files stand as this turn left them.'));
  return sentences;
}

function turnItem({ id, folder, turn }: NodeOf<'turn'>): vscode.TreeItem {
  const view = folderTimeline(folder).turns.get(turn);
  if (view === undefined) return new vscode.TreeItem(turn);
  const title = turnTitle(folder, view.turn);
  const item = new vscode.TreeItem(title, view.files.length > 0 ? Collapsed : None);
  item.id = id;
  item.description = facts(folder, view).join(' · ');
  item.iconPath = turnIcon(folder, view);
  item.contextValue = ['turn', view.abandonedBy === undefined ? 'active' : 'rewound', view.files.length > 0 ? 'files' : 'empty'].join('.');
  item.accessibilityInformation = { label: `${title}. ${turnSentences(folder, view).join(' ')}` };
  return item;
}

function fileItem({ id, folder, turn, path }: NodeOf<'file'>): vscode.TreeItem {
  const view = folderTimeline(folder).turns.get(turn);
  const file = view?.files.find(candidate => candidate.path === path);
  const item = new vscode.TreeItem(nameOf(path), None);
  item.id = id;
  if (view === undefined || file === undefined) return item;
  const counted = countsOf(file, folder.store.blobs);
  const state = stateWord(file.state);
  const words = [folderOf(path), countWords(counted), statusWord(file.status), state].filter(word => word !== '' && word !== undefined);
  item.description = words.join(' · ');
  // The icon comes from the file icon theme; the address also keeps the file's own decorations away.
  item.resourceUri = blobUri(folder.fileUri(path), folder.root.key, file.after) ?? folder.fileUri(path);
  item.contextValue = `file.${view.abandonedBy === undefined ? file.state : 'rewound'}`;
  item.command = { command: commandIds.openChanges, title: vscode.l10n.t('Open Changes'), arguments: [{ kind: 'file', id, folder, turn, path }] };
  const sentence = fileSentence(file, counted);
  item.tooltip = `${path}\n${sentence}`;
  item.accessibilityInformation = { label: `${path}. ${sentence}` };
  return item;
}

function fileSentence(file: FileView, counted: Counts): string {
  const lines = counted.kind === 'text' ? lineCounts(counted.added, counted.removed) : countWords(counted);
  const state = stateWord(file.state);
  return [vscode.l10n.t('The file was {0}.', statusWord(file.status)), lines, state === undefined ? '' : vscode.l10n.t('It is {0} now.', state)].filter(Boolean).join(' ');
}

function sessionItem({ id, folder, session }: NodeOf<'session'>): vscode.TreeItem {
  const { sessions } = folderTimeline(folder);
  const found = sessions.find(candidate => candidate.id === session);
  const isNewest = sessions[0]?.id === session;
  const [agent, title] = [agentName(agentOf(folder, session)), sessionTitle(folder, session)];
  const item = new vscode.TreeItem(title, isNewest ? vscode.TreeItemCollapsibleState.Expanded : Collapsed);
  item.id = id;
  const turns = found?.entries.filter(({ kind }) => kind === 'turn').length ?? 0;
  item.description = [...(title === agent ? [] : [agent]), timeOf(found?.startedAt ?? 0), turnCount(turns)].join(' · ');
  item.iconPath = new vscode.ThemeIcon('comment-discussion');
  item.contextValue = 'session';
  item.accessibilityInformation = { label: vscode.l10n.t('Session of {0}, started at {1}, {2}.', title === agent ? agent : `${agent} “${title}”`, timeOf(found?.startedAt ?? 0), turnCount(turns)) };
  return item;
}

/** How a node looks. Its long tooltip comes with `tooltipOf`, when somebody asks for it. */
export function itemOf(node: TimelineNode): vscode.TreeItem {
  switch (node.kind) {
    case 'folder': {
      const item = new vscode.TreeItem(node.folder.name, vscode.TreeItemCollapsibleState.Expanded);
      item.id = node.id;
      item.iconPath = new vscode.ThemeIcon('root-folder');
      item.contextValue = 'folder';
      return item;
    }
    case 'session':
      return sessionItem(node);
    case 'turn':
      return turnItem(node);
    case 'file':
      return fileItem(node);
    case 'operation':
    case 'branch':
      return operationItem(node);
    case 'start': {
      const item = new vscode.TreeItem(vscode.l10n.t('Before the first turn'), None);
      item.id = node.id;
      item.description = vscode.l10n.t('you are here');
      item.iconPath = new vscode.ThemeIcon('target');
      item.contextValue = 'start';
      return item;
    }
  }
}

/** A turn's tooltip: the whole prompt, what is known about it and what was not tracked. */
export function tooltipOf(node: TimelineNode): vscode.MarkdownString | undefined {
  const view = node.kind === 'turn' ? folderTimeline(node.folder).turns.get(node.turn) : undefined;
  if (view === undefined) return undefined;
  const prompt = turnPrompt(node.folder, view.turn).trim();
  const counted = view.files.map(file => countsOf(file, node.folder.store.blobs));
  const sum = (of: 'added' | 'removed'): number => counted.reduce((total, file) => total + file[of], 0);
  const facts = [...turnSentences(node.folder, view), ...(counted.length > 0 ? [lineCounts(sum('added'), sum('removed'))] : [])];
  const gaps = [...new Set(view.turn.gaps)].slice(0, 20).map(gap => `- ${plainMarkdown(gap)}`);
  const shown = prompt.length > promptLimit ? `${prompt.slice(0, promptLimit)}…` : prompt;
  // Not trusted: a prompt is somebody's text, and no link in it may run a command.
  return new vscode.MarkdownString([plainMarkdown(shown), '---', plainMarkdown(facts.join(' ')), gaps.join('\n')].join('\n\n'));
}
