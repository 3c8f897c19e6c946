import { homedir } from 'node:os';
import { join } from 'node:path';
import { claudeCode } from './claudeCode.ts';
import { groupedHooks } from './groupedHooks.ts';
import type { HookInstallation } from './hookFiles.ts';
import { opencodeInstallation } from './opencodeInstallation.ts';

function homeOf(environment: NodeJS.ProcessEnv): string {
  return environment['HOME'] ?? homedir();
}

/** Source of the paths: Claude Code's documentation of its settings. Its time limits are seconds. */
export const claudeInstallation: HookInstallation = groupedHooks({
  agent: claudeCode.name,
  title: claudeCode.title,
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Stop', 'SubagentStart', 'SubagentStop', 'SessionEnd'],
  timeout: 30,
  settingsPath: (scope, root, environment) =>
    scope === 'project' ? join(root, '.claude', 'settings.json') : join(environment['CLAUDE_CONFIG_DIR'] ?? join(homeOf(environment), '.claude'), 'settings.json'),
});

/** Every agent that hooks can be installed for. */
export const installations: readonly HookInstallation[] = [claudeInstallation, opencodeInstallation];

export function installationFor(agent: string): HookInstallation | undefined {
  return installations.find(installation => installation.agent === agent);
}
