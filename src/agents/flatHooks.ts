import { canonicalPath } from '../core/snapshot/paths.ts';
import { firstHook, planEdit } from './groupedHooks.ts';
import { hookCommand } from './hookCommand.ts';
import { readSettings, type HookInstallation } from './hookFiles.ts';
import { addHooks, listHooks, removeHooks, type HookFormat } from './hookSettings.ts';

export interface FlatHooks extends Pick<HookInstallation, 'agent' | 'also' | 'oneScope' | 'title' | 'events' | 'settingsPath' | 'note'> {
  handler: HookFormat['handler'];
}

/** Hooks in a JSON file that says `"version": 1` and has the handlers of each event in a plain list. */
export function flatHooks({ handler, ...agent }: FlatHooks): HookInstallation {
  const format: HookFormat = { isFlat: true, handler, required: { key: 'version', value: 1 } };
  return {
    ...agent,
    planInstall(files, settings, shim, platform) {
      // One of these agents runs no tool at all where its hooks fail.
      if (platform === 'win32') return { kind: 'refused', path: settings, reason: `${agent.title} can't be recorded on Windows yet: how hooks are run there has not been tried. Nothing was changed.` };
      const entries = agent.events.map(event => ({ event, command: hookCommand(shim, agent.agent, event, platform), timeout: 30 }));
      return planEdit(files, settings, text => addHooks(text, entries, undefined, format));
    },
    planRemove(files, settings, isMadeByUs) {
      return planEdit(files, settings, text => (text === undefined ? { kind: 'unchanged' } : removeHooks(text, undefined, format)), isMadeByUs);
    },
    installedEvents(files, settings) {
      const now = readSettings(files, canonicalPath(files, settings));
      return now.kind === 'text' && now.text !== undefined ? listHooks(now.text).map(({ event }) => event) : [];
    },
    installedHook: firstHook,
  };
}
