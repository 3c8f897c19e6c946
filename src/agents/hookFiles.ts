import { dirname } from 'node:path';
import type { Files } from '../core/base/files.ts';
import { makeDirectories, readIfThere, removeQuietly, replaceFile } from '../core/base/fileTools.ts';

export type HookScope = 'user' | 'project';

/** One file as it is and as it is to be, as whole texts for a diff to show; undefined where there is, or is to be, none. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Of a file that is made; 0600 where it doesn't say. */
  readonly mode?: number | undefined;
}

/** What installing or removing would do to an agent's settings. Nothing is written yet. */
export type HookChange =
  | { readonly kind: 'change'; readonly path: string; readonly files: readonly FileChange[] }
  | { readonly kind: 'none'; readonly path: string }
  | { readonly kind: 'refused'; readonly path: string; readonly reason: string };

/** One hook that is installed, as its agent runs it. */
export interface InstalledHook {
  readonly event: string;
  /** The event as the shim is told of it. */
  readonly told: string;
  readonly program: string;
  readonly parameters: readonly string[];
  /** The shim that it names. */
  readonly shim: string;
  /** A file of its own that has to be executable. */
  readonly script?: string | undefined;
}

/** How Turnstone's hooks get into one agent's settings and out of them. */
export interface HookInstallation {
  readonly agent: string;
  readonly title: string;
  /** Other agents that read the same file: what is installed for the one is installed for them. */
  readonly also?: readonly string[] | undefined;
  /** Its hooks may be in the user's settings or in a folder's, not in both: it gives its events no ids, and what comes twice can't be told. */
  readonly oneScope?: boolean | undefined;
  /** The events that Turnstone asks for. */
  readonly events: readonly string[];
  /** The file, or the folder, that a scope means. */
  settingsPath(scope: HookScope, root: string, environment: NodeJS.ProcessEnv): string;
  planInstall(files: Files, settings: string, shim: string, platform: NodeJS.Platform): HookChange;
  /** A file that would hold nothing but what Turnstone brought goes, if Turnstone made it. */
  planRemove(files: Files, settings: string, isMadeByUs: (path: string) => boolean): HookChange;
  /** The events that hooks of Turnstone are there for. */
  installedEvents(files: Files, settings: string): readonly string[];
  /** One of them as the agent runs it; undefined where there is none. */
  installedHook(files: Files, settings: string, platform: NodeJS.Platform): InstalledHook | undefined;
  /** What the user has to do himself before the agent runs them, in a sentence. */
  readonly note?: string | undefined;
}

export type Settings = { readonly kind: 'text'; readonly text: string | undefined } | { readonly kind: 'unusable'; readonly reason: string };

/** A settings file's text, undefined where there is none. Anything but a file is not even opened: a pipe would never end. */
export function readSettings(files: Files, path: string): Settings {
  const kind = files.stat(path)?.kind ?? 'file';
  if (kind !== 'file') return { kind: 'unusable', reason: `${path} is ${kind === 'directory' ? 'a folder' : 'no regular file'}. Nothing was changed; put a file there first.` };
  const bytes = readIfThere(files, path);
  try {
    return { kind: 'text', text: bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'unusable', reason: `${path} is not UTF-8 text. Nothing was changed; mend it first.` };
  }
}

/** Carries out a change; false, with nothing written, where one of the files is not what was planned for any more. */
export function applyHookChange(files: Files, { files: changes }: Extract<HookChange, { kind: 'change' }>): boolean {
  const isAsPlanned = ({ path, before }: FileChange): boolean => {
    const now = readSettings(files, path);
    return now.kind === 'text' && now.text === before;
  };
  if (!changes.every(isAsPlanned)) return false;
  for (const { path, after, mode = 0o600 } of changes) {
    if (after === undefined) {
      removeQuietly(files, path);
      continue;
    }
    makeDirectories(files, dirname(path), 0o755);
    replaceFile(files, path, Buffer.from(after, 'utf8'), files.stat(path)?.mode ?? mode);
  }
  return true;
}
