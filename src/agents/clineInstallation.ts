import { join } from 'node:path';
import { cline } from './cline.ts';
import { hookCommand, isTurnstoneCommand, partsOfCommand } from './hookCommand.ts';
import type { HookInstallation } from './hookFiles.ts';
import { ownText, planOwnFiles, planWithoutOwnFiles } from './ownFiles.ts';
import { userHome } from './userHome.ts';

const events: readonly string[] = ['TaskStart', 'TaskResume', 'PreToolUse', 'PostToolUse', 'TaskComplete', 'TaskCancel', 'TaskError', 'SessionShutdown'];

const heading = '#!/bin/sh\n# Written by Turnstone, which records with it what Cline does.\n';

/** Cline runs the file of its folder of hooks that has an event's name: one for each event. */
function scriptOf(shim: string, event: string, platform: NodeJS.Platform): string {
  return `${heading}${hookCommand(shim, cline.name, event, platform)}\n`;
}

function isOwnScript(text: string): boolean {
  return text.startsWith(heading) && text.endsWith('\n') && isTurnstoneCommand(text.slice(heading.length, -1));
}

/**
 * Source of the folders: Cline CLI itself, which runs what is in either of these and in `~/.cline/hooks`. Only one of a user's folders is
 * used, so that no event is told twice: the one that Cline in VS Code looks into, too.
 */
export const clineInstallation: HookInstallation = {
  agent: cline.name,
  title: cline.title,
  events,
  settingsPath: (scope, root, environment) => (scope === 'project' ? join(root, '.clinerules', 'hooks') : join(userHome(environment), 'Documents', 'Cline', 'Hooks')),
  planInstall(files, settings, shim, platform) {
    if (platform === 'win32') return { kind: 'refused', path: settings, reason: 'Cline runs PowerShell scripts as hooks on Windows, which Turnstone has none of yet. Nothing was changed; use Cline in WSL meanwhile.' };
    return planOwnFiles(files, settings, events.map(event => ({ path: join(settings, event), text: scriptOf(shim, event, platform), mode: 0o755 })), isOwnScript);
  },
  planRemove: (files, settings) => planWithoutOwnFiles(files, settings, events.map(event => join(settings, event)), isOwnScript),
  installedEvents: (files, settings) => events.filter(event => ownText(files, join(settings, event), isOwnScript) !== undefined),
  installedHook(files, settings) {
    for (const event of events) {
      const script = join(settings, event);
      const parts = partsOfCommand(ownText(files, script, isOwnScript)?.slice(heading.length, -1) ?? '');
      if (parts !== undefined) return { event, told: parts.event, program: script, parameters: [], shim: parts.shim, script };
    }
    return undefined;
  },
};
