import { join } from 'node:path';
import { copilot } from './copilot.ts';
import { flatHooks } from './flatHooks.ts';
import type { HookInstallation } from './hookFiles.ts';
import { userHome } from './userHome.ts';
import { vscode } from './vscode.ts';

/**
 * One file of ours for both programs that read that folder: the payload tells which of them runs it. VS Code knows events by the names that Claude Code has
 * for them and passes over those that it does not have; Copilot CLI takes either. Both wait for 30 seconds at most. Source: their documentation, and
 * Copilot CLI for `COPILOT_HOME`, which VS Code does not know.
 */
export const copilotInstallation: HookInstallation = flatHooks({
  agent: copilot.name,
  also: [vscode.name],
  oneScope: true,
  title: `${copilot.title} and ${vscode.title}`,
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SubagentStop', 'SessionEnd'],
  handler: ({ command }) => ({ type: 'command', command }),
  settingsPath: (scope, root, environment) =>
    scope === 'project' ? join(root, '.github', 'hooks', 'turnstone.json') : join(environment['COPILOT_HOME'] || join(userHome(environment), '.copilot'), 'hooks', 'turnstone.json'),
});
