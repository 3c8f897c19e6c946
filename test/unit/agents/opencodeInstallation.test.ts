import assert from 'node:assert/strict';
import { applyHookChange } from '../../../src/agents/hookFiles.ts';
import { opencodeInstallation } from '../../../src/agents/opencodeInstallation.ts';
import { isPluginText, pluginText } from '../../../src/agents/opencodePlugin.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

const settings = '/home/.config/opencode/plugin/turnstone.js';
const { installedEvents, planInstall, planRemove, settingsPath, events } = opencodeInstallation;
const install = (files: MemoryFiles, shim = '/store/bin/turnstone') => planInstall(files, settings, shim, 'linux');
const remove = (files: MemoryFiles) => planRemove(files, settings, () => true);

function apply(files: MemoryFiles, change: ReturnType<typeof install>): void {
  assert.equal(change.kind, 'change', JSON.stringify(change));
  assert.equal(change.kind === 'change' && applyHookChange(files, change), true);
}

describe('OpenCode\'s plugin', () => {
  it('is installed once, brought up to date, and taken away again', () => {
    const files = new MemoryFiles();
    files.put('/home/.config/opencode/plugin/own.js', 'export const Own = 1;\n');
    apply(files, install(files));
    assert.equal(files.text(settings), pluginText('/store/bin/turnstone'));
    assert.deepEqual(installedEvents(files, settings), events);
    assert.equal(install(files).kind, 'none');
    apply(files, install(files, '/other/bin/turnstone'));
    assert.equal(files.text(settings), pluginText('/other/bin/turnstone'));
    apply(files, remove(files));
    assert.equal(files.stat(settings), undefined);
    assert.equal(files.text('/home/.config/opencode/plugin/own.js'), 'export const Own = 1;\n');
    assert.deepEqual([remove(files).kind, installedEvents(files, settings)], ['none', []]);
  });

  const foreign = { 'of the user': 'export const Mine = async () => ({});\n', 'that is empty': '', 'that was changed since': `${pluginText('/store/bin/turnstone')}// mine\n` };
  for (const [what, text] of Object.entries(foreign)) {
    it(`is refused where there is a file ${what}, which stays as it is`, () => {
      const files = new MemoryFiles();
      files.put(settings, text);
      const change = install(files);
      assert.match(change.kind === 'refused' ? change.reason : change.kind, /turnstone\.js is not Turnstone's, or was changed since\. It was left as it is/);
      assert.deepEqual([remove(files).kind, installedEvents(files, settings), files.text(settings)], ['none', [], text]);
    });
  }

  it('is refused where there is a folder, or bytes that are no text', () => {
    const files = new MemoryFiles();
    files.folder(settings);
    assert.match(JSON.stringify(install(files)), /is a folder\. Nothing was changed/);
    files.put('/other.js', Uint8Array.of(0xff, 0xfe));
    assert.match(JSON.stringify(planInstall(files, '/other.js', '/store/bin/turnstone', 'linux')), /is not UTF-8 text\. Nothing was changed/);
  });

  it('is refused on Windows', () => {
    const files = new MemoryFiles();
    const change = planInstall(files, settings, 'C:/store/bin/turnstone.cmd', 'win32');
    assert.match(change.kind === 'refused' ? change.reason : change.kind, /not been tried on Windows yet\. Nothing was changed/);
  });

  it('is the same text for the same shim, whatever is in its path', () => {
    for (const shim of ['/a "b"/turnstone', '/a ${b} `c` \'d\'/turnstone', '/ä\u2028/turnstone']) {
      assert.equal(pluginText(shim), pluginText(shim));
      assert.ok(isPluginText(pluginText(shim)));
      assert.ok(pluginText(shim).includes(`const shim = ${JSON.stringify(shim)};`));
    }
  });

  it('lies where OpenCode looks for plugins of a user and of a project', () => {
    assert.equal(settingsPath('user', '/w', { HOME: '/home' }), settings);
    assert.equal(settingsPath('user', '/w', { HOME: '/home', XDG_CONFIG_HOME: '/x' }), '/x/opencode/plugin/turnstone.js');
    assert.equal(settingsPath('project', '/w', { HOME: '/home' }), '/w/.opencode/plugin/turnstone.js');
  });
});
