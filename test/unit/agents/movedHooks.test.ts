import assert from 'node:assert/strict';
import { applyHookChange } from '../../../src/agents/hookFiles.ts';
import { geminiInstallation, qwenInstallation } from '../../../src/agents/installations.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

/** The agents that keep their hooks in Claude Code's format, but in settings, events and units of their own. */
const cases = [
  { installation: geminiInstallation, settings: '/h/.gemini/settings.json', project: '/w/.gemini/settings.json', moved: { GEMINI_CLI_HOME: '/other' }, movedTo: '/other/.gemini/settings.json', before: 'BeforeTool', timeout: 30_000 },
  { installation: qwenInstallation, settings: '/h/.qwen/settings.json', project: '/w/.qwen/settings.json', moved: { QWEN_HOME: '/other' }, movedTo: '/other/settings.json', before: 'PreToolUse', timeout: 30_000 },
];

const theirs = '{\n\t// mine\n\t"theme": "dark",\n\t"hooks": {"Notification": [{"matcher": "x", "hooks": [{"type": "command", "command": "mine"}]}]}\n}\n';

for (const { installation, settings, project, moved, movedTo, before, timeout } of cases) {
  describe(`hooks in the settings of ${installation.title}`, () => {
    const install = (memory: MemoryFiles): boolean => {
      const change = installation.planInstall(memory, settings, '/store/bin/turnstone', 'linux');
      return change.kind === 'change' && applyHookChange(memory, change);
    };
    const remove = (memory: MemoryFiles, isOurs = false): boolean => {
      const change = installation.planRemove(memory, settings, () => isOurs);
      return change.kind === 'change' && applyHookChange(memory, change);
    };

    it('are where the program looks for them', () => {
      assert.deepEqual([installation.settingsPath('user', '/w', { HOME: '/h' }), installation.settingsPath('project', '/w', { HOME: '/h' })], [settings, project]);
      assert.equal(installation.settingsPath('user', '/w', { HOME: '/h', ...moved }), movedTo);
    });

    it('guard themselves, and have a time limit in the program\'s own unit', () => {
      const memory = new MemoryFiles();
      assert.equal(install(memory), true);
      const { hooks } = JSON.parse(memory.text(settings)) as { hooks: Record<string, unknown> };
      const command = `[ -x '/store/bin/turnstone' ] || exit 0; exec '/store/bin/turnstone' hook ${installation.agent} ${before}`;
      assert.deepEqual(hooks[before], [{ hooks: [{ type: 'command', command, timeout }] }]);
      assert.deepEqual(Object.keys(hooks), installation.events);
    });

    it('are installed once however often, and a removal gives the user\'s bytes back', () => {
      const memory = new MemoryFiles();
      memory.put(settings, theirs);
      assert.equal(install(memory), true);
      const once = memory.text(settings);
      assert.deepEqual([once.includes('"command": "mine"'), install(memory), memory.text(settings)], [true, false, once]);
      assert.deepEqual(installation.installedEvents(memory, settings).toSorted(), installation.events.toSorted());
      assert.deepEqual([remove(memory), memory.text(settings), installation.installedEvents(memory, settings)], [true, theirs, []]);
    });

    it('take the file along that was made for them', () => {
      const memory = new MemoryFiles();
      assert.deepEqual([install(memory), remove(memory, true), memory.stat(settings)], [true, true, undefined]);
    });

    it('are refused where the settings can not be read, and on Windows', () => {
      const memory = new MemoryFiles();
      memory.put(settings, '{ "hooks": ');
      for (const platform of ['linux', 'win32'] as const) {
        const change = installation.planInstall(memory, settings, platform === 'win32' ? 'C:\\s\\bin\\turnstone.cmd' : '/store/bin/turnstone', platform);
        assert.match(change.kind === 'refused' ? change.reason : change.kind, /Nothing was changed/);
      }
      assert.equal(memory.text(settings), '{ "hooks": ');
    });
  });
}
