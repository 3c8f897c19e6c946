import { join } from 'node:path';
import { cursor } from './cursor.ts';
import { flatHooks } from './flatHooks.ts';
import type { HookInstallation } from './hookFiles.ts';
import { userHome } from './userHome.ts';

/** Source of the paths and the format: Cursor's documentation of its hooks. Its time limits are seconds; a hook that fails lets the tool run. */
export const cursorInstallation: HookInstallation = flatHooks({
  agent: cursor.name,
  title: cursor.title,
  events: ['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'stop', 'sessionEnd'],
  handler: ({ command, timeout }) => ({ command, timeout }),
  settingsPath: (scope, root, environment) => join(scope === 'project' ? root : userHome(environment), '.cursor', 'hooks.json'),
});
