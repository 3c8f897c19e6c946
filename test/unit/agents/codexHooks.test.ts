import assert from 'node:assert/strict';
import type { Files } from '../../../src/core/base/files.ts';
import { applyHookChange, type HookChange } from '../../../src/agents/hookFiles.ts';
import { codexInstallation } from '../../../src/agents/installations.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

const settings = codexInstallation.settingsPath('user', '/work', { HOME: '/home/me' });
const install = (files: Files): HookChange => codexInstallation.planInstall(files, settings, '/store/bin/turnstone', 'linux');
const remove = (files: Files, mayGo = false): HookChange => codexInstallation.planRemove(files, settings, () => mayGo);

function apply(files: Files, change: HookChange): void {
  assert.equal(change.kind === 'change' && applyHookChange(files, change), true, change.kind);
}

describe('hooks of Codex', () => {
  it('are in its own file: of the user, of a project, or where CODEX_HOME says', () => {
    assert.equal(settings, '/home/me/.codex/hooks.json');
    assert.equal(codexInstallation.settingsPath('user', '/work', { HOME: '/home/me', CODEX_HOME: '/other' }), '/other/hooks.json');
    assert.equal(codexInstallation.settingsPath('project', '/work', { CODEX_HOME: '/other' }), '/work/.codex/hooks.json');
  });

  it('are installed once, with commands that stay the same, and what the user has to do is said', () => {
    const files = new MemoryFiles();
    apply(files, install(files));
    const text = files.text(settings);
    assert.equal(install(files).kind, 'none');
    assert.deepEqual(codexInstallation.installedEvents(files, settings), codexInstallation.events);
    // The program trusts a hook by the hash of this: a change of it asks every user again.
    assert.deepEqual((JSON.parse(text ?? '') as { readonly hooks: Readonly<Record<string, unknown>> }).hooks['PreToolUse'], [
      { hooks: [{ type: 'command', command: "[ -x '/store/bin/turnstone' ] || exit 0; exec '/store/bin/turnstone' hook codex PreToolUse", timeout: 30 }] },
    ]);
    assert.match(codexInstallation.note ?? '', /\/hooks/);
    apply(files, remove(files, true));
    assert.equal(files.stat(settings), undefined);
  });

  it('ask for no longer a wait than the program allows, which it would complain of at every start', () => {
    const files = new MemoryFiles();
    apply(files, install(files));
    const { hooks } = JSON.parse(files.text(settings) ?? '') as { readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly timeout: number }[] }[]>> };
    assert.deepEqual(['Interrupt', 'SessionEnd', 'Stop'].map(event => hooks[event]?.[0]?.hooks[0]?.timeout), [3, 3, 30]);
  });

  it("leave the user's own where they are, and give the bytes back", () => {
    const files = new MemoryFiles();
    const own = '{\n  "hooks": {\n    "Stop": [{ "hooks": [{"type": "command", "command": "say done"}] }]\n  }\n}\n';
    files.put(settings, own);
    apply(files, install(files));
    const { hooks } = JSON.parse(files.text(settings) ?? '') as { readonly hooks: Readonly<Record<string, readonly unknown[]>> };
    assert.deepEqual(hooks['Stop']?.[0], { hooks: [{ type: 'command', command: 'say done' }] });
    apply(files, remove(files));
    assert.equal(files.text(settings), own);
  });

  it('are refused on Windows, where nobody has seen them run', () => {
    const files = new MemoryFiles();
    const change = codexInstallation.planInstall(files, settings, 'C:\\store\\bin\\turnstone.cmd', 'win32');
    assert.match(change.kind === 'refused' ? change.reason : change.kind, /Codex can't be recorded on Windows yet.*Nothing was changed/);
    assert.equal(files.stat(settings), undefined);
  });

  it("in a file that can't be read are refused, and it is left as it is", () => {
    const files = new MemoryFiles();
    files.put(settings, '{ "hooks": ');
    for (const change of [install(files), remove(files)]) assert.match(change.kind === 'refused' ? change.reason : change.kind, /hooks\.json: The settings file is not valid JSON .*Nothing was changed/);
    assert.equal(files.text(settings), '{ "hooks": ');
  });
});
