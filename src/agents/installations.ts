import { join } from 'node:path';
import { claudeCode } from './claudeCode.ts';
import { clineInstallation } from './clineInstallation.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { copilotInstallation } from './copilotInstallation.ts';
import { cursorInstallation } from './cursorInstallation.ts';
import { groupedHooks } from './groupedHooks.ts';
import type { HookInstallation } from './hookFiles.ts';
import { opencodeInstallation } from './opencodeInstallation.ts';
import { qwen } from './qwen.ts';
import { userHome } from './userHome.ts';

/** Source of the paths: Claude Code's documentation of its settings. Its time limits are seconds. */
export const claudeInstallation: HookInstallation = groupedHooks({
  agent: claudeCode.name,
  title: claudeCode.title,
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Stop', 'SubagentStart', 'SubagentStop', 'SessionEnd'],
  timeout: 30,
  settingsPath: (scope, root, environment) =>
    scope === 'project' ? join(root, '.claude', 'settings.json') : join(environment['CLAUDE_CONFIG_DIR'] ?? join(userHome(environment), '.claude'), 'settings.json'),
});

/** Source of the paths: Codex's documentation of its settings. Its time limits are seconds. It asks again for every hook whose command, time limit or place has changed. */
export const codexInstallation: HookInstallation = groupedHooks({
  agent: codex.name,
  title: codex.title,
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop', 'Interrupt', 'SessionEnd'],
  timeout: 30,
  timeouts: { Interrupt: 3, SessionEnd: 3 },
  isUntriedOnWindows: true,
  settingsPath: (scope, root, environment) => join(scope === 'project' ? join(root, '.codex') : (environment['CODEX_HOME'] ?? join(userHome(environment), '.codex')), 'hooks.json'),
  note: 'Codex runs hooks only when you have trusted them: start codex, type /hooks and trust them there. Until then nothing is recorded.',
});

/** Source of the paths: Gemini CLI's documentation of its settings, and its program for `GEMINI_CLI_HOME`. Its time limits are milliseconds. On Windows it runs hooks with PowerShell. */
export const geminiInstallation: HookInstallation = groupedHooks({
  agent: gemini.name,
  title: gemini.title,
  events: ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd'],
  timeout: 30_000,
  isUntriedOnWindows: true,
  settingsPath: (scope, root, environment) => join(scope === 'project' ? root : environment['GEMINI_CLI_HOME'] || userHome(environment), '.gemini', 'settings.json'),
});

/** Source of the paths: Qwen Code's program. Its time limits are seconds by now and were milliseconds once, which numbers as large as this one are still read as. */
export const qwenInstallation: HookInstallation = groupedHooks({
  agent: qwen.name,
  title: qwen.title,
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'SessionEnd'],
  timeout: 30_000,
  isUntriedOnWindows: true,
  settingsPath: (scope, root, environment) => join(scope === 'project' ? join(root, '.qwen') : environment['QWEN_HOME'] || join(userHome(environment), '.qwen'), 'settings.json'),
});

/** Every agent that hooks can be installed for. */
export const installations: readonly HookInstallation[] = [
  claudeInstallation,
  codexInstallation,
  geminiInstallation,
  copilotInstallation,
  cursorInstallation,
  opencodeInstallation,
  qwenInstallation,
  clineInstallation,
];

export function installationFor(agent: string): HookInstallation | undefined {
  return installations.find(installation => installation.agent === agent || installation.also?.includes(agent) === true);
}
