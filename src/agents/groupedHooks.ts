import type { Files } from '../core/base/files.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';
import { hookCommand, partsOfCommand } from './hookCommand.ts';
import { readSettings, type HookChange, type HookInstallation, type InstalledHook } from './hookFiles.ts';
import { addHooks, listHooks, removeHooks, type HookEdit } from './hookSettings.ts';

export interface GroupedHooks extends Pick<HookInstallation, 'agent' | 'title' | 'events' | 'settingsPath' | 'note'> {
  /** How long the agent waits for a hook at most, in the agent's own unit: a hook that hangs may hold it up for so long, never for its own ten minutes. */
  readonly timeout: number;
  /** Events that the agent waits for less long at most; it would say so at every start. */
  readonly timeouts?: Readonly<Record<string, number>> | undefined;
  /** It has not been tried what runs its hooks on Windows: a command that can't be run there would fail at every tool. */
  readonly isUntriedOnWindows?: boolean | undefined;
}

/** Hooks in a JSON file of settings that other things are in, too, in the format that Claude Code brought up: groups of handlers by event. */
export function groupedHooks({ timeout, timeouts = {}, isUntriedOnWindows = false, ...agent }: GroupedHooks): HookInstallation {
  return {
    ...agent,
    planInstall(files, settings, shim, platform) {
      if (isUntriedOnWindows && platform === 'win32') return { kind: 'refused', path: settings, reason: `${agent.title} can't be recorded on Windows yet: how it runs hooks there has not been tried. Nothing was changed.` };
      const entries = agent.events.map(event => ({ event, command: hookCommand(shim, agent.agent, event, platform), timeout: timeouts[event] ?? timeout }));
      return planEdit(files, settings, text => addHooks(text, entries));
    },
    planRemove(files, settings, isMadeByUs) {
      return planEdit(files, settings, text => (text === undefined ? { kind: 'unchanged' } : removeHooks(text)), isMadeByUs);
    },
    installedEvents(files, settings) {
      const now = readSettings(files, canonicalPath(files, settings));
      return now.kind === 'text' && now.text !== undefined ? listHooks(now.text).map(({ event }) => event) : [];
    },
    installedHook: firstHook,
  };
}

/** The first of our handlers in a file of settings, which agents hand to a shell. */
export function firstHook(files: Files, settings: string, platform: NodeJS.Platform): InstalledHook | undefined {
  const now = readSettings(files, canonicalPath(files, settings));
  const [first] = now.kind === 'text' && now.text !== undefined ? listHooks(now.text) : [];
  const parts = first === undefined ? undefined : partsOfCommand(first.command);
  if (first === undefined || parts === undefined) return undefined;
  return { event: first.event, told: parts.event, program: platform === 'win32' ? 'bash' : '/bin/sh', parameters: ['-c', first.command], shim: parts.shim };
}

/** Plans an edit of one file. Where nothing but Turnstone's own would be left in a file that `mayGo`, the file goes. */
export function planEdit(files: Files, settings: string, edit: (text: string | undefined) => HookEdit, mayGo: (path: string) => boolean = () => false): HookChange {
  const path = canonicalPath(files, settings);
  const found = readSettings(files, path);
  if (found.kind === 'unusable') return { kind: 'refused', path, reason: found.reason };
  const { text: before } = found;
  const edited = edit(before);
  if (edited.kind === 'refused') return { kind: 'refused', path, reason: `${path}: ${edited.reason}` };
  if (edited.kind === 'unchanged') return { kind: 'none', path };
  const after = !edited.otherContent && mayGo(path) ? undefined : edited.text;
  return { kind: 'change', path, files: [{ path, before, after }] };
}
