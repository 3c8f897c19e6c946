import * as vscode from 'vscode';
import { agentNamed } from '../agents/agents.ts';
import { lazy } from '../core/base/lazy.ts';
import type { FileState, FileStatus } from '../core/timeline/view.ts';

/** An agent's own name, as its users know it. */
export function agentName(agent: string): string {
  return agentNamed(agent)?.title ?? (agent === 'unknown' ? vscode.l10n.t('Unknown agent') : agent);
}

export function fileCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', count);
}

export function turnCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{0} turns', count);
}

function sameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}

// Making a format takes far longer than using it, and a long timeline uses it a thousand times at once.
const formats = lazy(() => ({
  time: new Intl.DateTimeFormat(vscode.env.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  day: new Intl.DateTimeFormat(vscode.env.language, { day: 'numeric', month: 'short' }),
}));

/** "14:32", with the day in front where it is not today. */
export function timeOf(at: number, now: number = Date.now()): string {
  const when = new Date(at);
  const time = formats().time.format(when);
  return sameDay(when, new Date(now)) ? time : `${formats().day.format(when)}, ${time}`;
}

export function statusWord(status: FileStatus): string {
  switch (status) {
    case 'added':
      return vscode.l10n.t('added');
    case 'deleted':
      return vscode.l10n.t('deleted');
    case 'modified':
      return vscode.l10n.t('modified');
  }
}

/** What to say of a file that is not simply as the turn left it. */
export function stateWord(state: FileState): string | undefined {
  switch (state) {
    case 'active':
      return undefined;
    case 'partly':
      return vscode.l10n.t('partly rolled back');
    case 'rolledBack':
      return vscode.l10n.t('rolled back');
    case 'kept':
      return vscode.l10n.t('kept');
  }
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? vscode.l10n.t('1 byte') : vscode.l10n.t('{0} bytes', bytes);
  if (bytes < 1024 * 1024) return vscode.l10n.t('{0} KB', (bytes / 1024).toFixed(1));
  return vscode.l10n.t('{0} MB', (bytes / 1024 / 1024).toFixed(1));
}

/** The last part of a recorded path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a recorded path; empty at the root. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}

export function lineCounts(added: number, removed: number): string {
  return added === 1 ? vscode.l10n.t('1 line added, {0} removed.', removed) : vscode.l10n.t('{0} lines added, {1} removed.', added, removed);
}

/** Somebody's text as Markdown that shows just it. The editor's own `appendText` would keep long lines from being wrapped. */
export function plainMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*_{}[\]()#+\-.!~|>$:]/g, String.raw`\$&`)
    .replace(/\r?\n/g, '  \n');
}
