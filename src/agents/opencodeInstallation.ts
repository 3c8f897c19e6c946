import { join } from 'node:path';
import { opencode } from './opencode.ts';
import type { HookInstallation } from './hookFiles.ts';
import { isPluginText, pluginText, shimOfPlugin } from './opencodePlugin.ts';
import { ownText, planOwnFiles, planWithoutOwnFiles } from './ownFiles.ts';
import { userHome } from './userHome.ts';

const events: readonly string[] = ['chat.message', 'tool.execute.before', 'tool.execute.after', 'event'];

/** A plugin of our own in OpenCode's plugin folder. Source of the paths: OpenCode's documentation of plugins, and XDG's of where settings are. */
export const opencodeInstallation: HookInstallation = {
  agent: opencode.name,
  title: opencode.title,
  events,
  settingsPath(scope, root, environment) {
    const settings = environment['XDG_CONFIG_HOME'] || join(userHome(environment), '.config');
    return join(scope === 'project' ? join(root, '.opencode') : join(settings, 'opencode'), 'plugin', 'turnstone.js');
  },
  planInstall(files, settings, shim, platform) {
    if (platform === 'win32') return { kind: 'refused', path: settings, reason: 'Turnstone\'s plugin for OpenCode has not been tried on Windows yet. Nothing was changed; use OpenCode in WSL meanwhile.' };
    return planOwnFiles(files, settings, [{ path: settings, text: pluginText(shim), mode: 0o600 }], isPluginText);
  },
  planRemove: (files, settings) => planWithoutOwnFiles(files, settings, [settings], isPluginText),
  installedEvents: (files, settings) => (ownText(files, settings, isPluginText) === undefined ? [] : events),
  installedHook(files, settings) {
    const shim = shimOfPlugin(ownText(files, settings, isPluginText) ?? '');
    // The plugin starts the shim itself, without a shell.
    return shim === undefined ? undefined : { event: 'chat.message', told: 'prompt', program: shim, parameters: ['hook', opencode.name, 'prompt'], shim };
  },
  note: 'OpenCode reads it when it is started the next time.',
};
