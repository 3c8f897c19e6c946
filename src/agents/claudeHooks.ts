import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Files } from '../core/base/files.ts';
import { makeDirectories, readIfThere, removeQuietly, replaceFile } from '../core/base/fileTools.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';
import { claudeCode, claudeEvents } from './claudeCode.ts';
import { hookCommand } from './hookCommand.ts';
import { addHooks, listHooks, removeHooks, type HookEntry } from './hookSettings.ts';

export type HookScope = 'user' | 'project';

// A hook that hangs may hold the agent up for this many seconds, never for the agent's own ten minutes.
const hookTimeout = 30;

/** The settings file that a scope means. Source: Claude Code's documentation of its settings. */
export function claudeSettingsPath(scope: HookScope, root: string, environment: NodeJS.ProcessEnv): string {
  if (scope === 'project') return join(root, '.claude', 'settings.json');
  return join(environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? homedir(), '.claude'), 'settings.json');
}

/** What installing or removing would do to a settings file. Nothing is written yet. */
export type HookChange =
  | { readonly kind: 'change'; readonly path: string; readonly before: string | undefined; readonly after: string | undefined }
  | { readonly kind: 'none'; readonly path: string }
  | { readonly kind: 'refused'; readonly path: string; readonly reason: string };

function entries(shim: string, platform: NodeJS.Platform): readonly HookEntry[] {
  return claudeEvents.map(event => ({ event, command: hookCommand(shim, claudeCode, event, platform), timeout: hookTimeout }));
}

type Settings = { readonly kind: 'text'; readonly text: string | undefined } | { readonly kind: 'unusable'; readonly reason: string };

/** A settings file's text, undefined where there is none. Anything but a file is not even opened: a pipe would never end. */
function readSettings(files: Files, path: string): Settings {
  const kind = files.stat(path)?.kind ?? 'file';
  if (kind !== 'file') return { kind: 'unusable', reason: `${path} is ${kind === 'directory' ? 'a folder' : 'no regular file'}. Nothing was changed; put a file there first.` };
  const bytes = readIfThere(files, path);
  try {
    return { kind: 'text', text: bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'unusable', reason: `${path} is not UTF-8 text. Nothing was changed; mend it first.` };
  }
}

function refused(path: string, reason: string): HookChange {
  return { kind: 'refused', path, reason };
}

/** Plans the installation; `before` and `after` are the whole texts, for a diff to show. */
export function planInstall(files: Files, settings: string, shim: string, platform: NodeJS.Platform): HookChange {
  const path = canonicalPath(files, settings);
  const found = readSettings(files, path);
  if (found.kind === 'unusable') return refused(path, found.reason);
  const before = found.text;
  const edit = addHooks(before, entries(shim, platform));
  if (edit.kind === 'refused') return refused(path, `${path}: ${edit.reason}`);
  return edit.kind === 'unchanged' ? { kind: 'none', path } : { kind: 'change', path, before, after: edit.text };
}

/** Plans the removal. A file that would hold nothing but what Turnstone brought goes, if Turnstone made it. */
export function planRemove(files: Files, settings: string, madeByUs: boolean): HookChange {
  const path = canonicalPath(files, settings);
  const found = readSettings(files, path);
  if (found.kind === 'unusable') return refused(path, found.reason);
  const before = found.text;
  if (before === undefined) return { kind: 'none', path };
  const edit = removeHooks(before);
  if (edit.kind === 'refused') return refused(path, `${path}: ${edit.reason}`);
  if (edit.kind === 'unchanged') return { kind: 'none', path };
  return { kind: 'change', path, before, after: madeByUs && !edit.otherContent ? undefined : edit.text };
}

/** The events that Turnstone's hooks are installed for. */
export function installedEvents(files: Files, settings: string): readonly { readonly event: string; readonly command: string }[] {
  const now = readSettings(files, canonicalPath(files, settings));
  return now.kind === 'text' && now.text !== undefined ? listHooks(now.text) : [];
}

/** Carries out a change; false, with nothing written, where the file is not what was planned for any more. */
export function applyHookChange(files: Files, change: Extract<HookChange, { kind: 'change' }>): boolean {
  const now = readSettings(files, change.path);
  if (now.kind !== 'text' || now.text !== change.before) return false;
  if (change.after === undefined) {
    removeQuietly(files, change.path);
    return true;
  }
  const mode = files.stat(change.path)?.mode ?? 0o600;
  makeDirectories(files, dirname(change.path), 0o755);
  replaceFile(files, change.path, Buffer.from(change.after, 'utf8'), mode);
  return true;
}
