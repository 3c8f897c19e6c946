import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyHookChange } from '../../../src/agents/hookFiles.ts';
import { testHooks } from '../../../src/agents/hookTest.ts';
import { claudeInstallation, installations } from '../../../src/agents/installations.ts';
import { shimPath, writeShim } from '../../../src/agents/shim.ts';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';
import { scratchDirectory } from '../../support/scratch.ts';

describe('a test of hooks', () => {
  it('knows of every agent how it runs what is installed, and of no agent before', () => {
    const shim = "/it's a store/bin/turnstone";
    for (const installation of installations) {
      const memory = new MemoryFiles();
      const settings = installation.settingsPath('user', '/project', { HOME: '/home' });
      assert.equal(installation.installedHook(memory, settings, 'linux'), undefined, installation.agent);
      const change = installation.planInstall(memory, settings, shim, 'linux');
      assert.ok(change.kind === 'change' && applyHookChange(memory, change), installation.agent);
      const hook = installation.installedHook(memory, settings, 'linux');
      assert.equal(hook?.shim, shim, installation.agent);
      assert.ok(installation.events.includes(hook.event), installation.agent);
    }
  });

  it('does not wait for ever, and leaves nothing', async function () {
    if (process.platform === 'win32') this.skip();
    const top = scratchDirectory('hook-test');
    const [storage, settings] = [join(top, 'store'), join(top, 'settings.json')];
    mkdirSync(storage);
    const runtime = join(top, 'runtime');
    writeFileSync(runtime, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
    writeShim(nodeFiles, storage, { executable: runtime, bundle: settings }, 'linux');
    const change = claudeInstallation.planInstall(nodeFiles, settings, shimPath(storage, 'linux'), 'linux');
    assert.ok(change.kind === 'change' && applyHookChange(nodeFiles, change));
    const test = { files: nodeFiles, storage, directory: top, environment: process.env, platform: 'linux' as const, limit: 100 };
    const arrival = await testHooks(test, claudeInstallation, settings, false);
    assert.match(arrival.arrives ? '' : arrival.reason, /It had not ended after 0\.1 seconds/);
    assert.deepEqual(nodeFiles.readDirectory(storage), ['bin']);
    const idle = await testHooks(test, claudeInstallation, settings, true);
    assert.match(idle.arrives ? '' : idle.reason, /No folder is recorded/);
  });
});
