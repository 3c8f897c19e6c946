import assert from 'node:assert/strict';
import { copilotInstallation } from '../../../src/agents/copilotInstallation.ts';
import { cursorInstallation } from '../../../src/agents/cursorInstallation.ts';
import { applyHookChange, type HookChange, type HookInstallation } from '../../../src/agents/hookFiles.ts';
import { installationFor } from '../../../src/agents/installations.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

const path = '/home/hooks.json';
const shim = '/store/bin/turnstone';

function apply(files: MemoryFiles, change: HookChange): HookChange['kind'] {
  if (change.kind === 'change') assert.ok(applyHookChange(files, change));
  return change.kind;
}

const install = ({ planInstall }: HookInstallation, files: MemoryFiles, at = shim): HookChange => planInstall(files, path, at, 'linux');
const remove = ({ planRemove }: HookInstallation, files: MemoryFiles, isOurs = false): HookChange => planRemove(files, path, () => isOurs);

/** Files of users: with hooks of theirs, with empty places, in other manners. */
const texts: readonly string[] = [
  '{\n  "version": 1,\n  "hooks": {\n    "preToolUse": [\n      { "command": "./mine.sh", "matcher": "Shell" }\n    ]\n  }\n}\n',
  '{"version":1,"hooks":{"preToolUse":[{"command":"./mine.sh"}],"PreToolUse":[{"type":"command","bash":"./mine.sh"}]}}',
  '{ "version": 1 }',
  '{\r\n\t"version": 1,\r\n\t"hooks": {}\r\n}\r\n',
  '{\n  "version": 1,\n  "hooks": { "stop": [], "Stop": [] }\n}',
  '{\n  // mine\n  "version": 1, /* and */ "other": [1],\n}\n',
];

for (const installation of [copilotInstallation, cursorInstallation]) {
  const { agent, events } = installation;
  describe(`the hooks file of ${agent}`, () => {
    it('is made where there is none, as its program reads it, and goes again', () => {
      const files = new MemoryFiles();
      assert.equal(apply(files, install(installation, files)), 'change');
      const written = JSON.parse(files.text(path) ?? '') as { readonly version: number; readonly hooks: Readonly<Record<string, readonly { readonly command: string }[]>> };
      assert.equal(written.version, 1);
      assert.deepEqual(Object.keys(written.hooks), events);
      for (const event of events) assert.deepEqual(written.hooks[event]?.map(({ command }) => command), [`[ -x '${shim}' ] || exit 0; exec '${shim}' hook ${agent} ${event}`]);
      assert.deepEqual(installation.installedEvents(files, path), events);
      assert.equal(apply(files, install(installation, files)), 'none');
      assert.equal(apply(files, remove(installation, files, true)), 'change');
      assert.equal(files.stat(path), undefined);
    });

    it('stays, without hooks, where it was there and blank', () => {
      const files = new MemoryFiles();
      files.put(path, '\n');
      apply(files, install(installation, files));
      apply(files, remove(installation, files));
      assert.equal(files.text(path), '{\n  "version": 1\n}\n');
    });

    for (const text of texts) {
      it(`keeps every byte of ${JSON.stringify(text)}`, () => {
        const files = new MemoryFiles();
        files.put(path, text);
        apply(files, install(installation, files));
        assert.deepEqual(new Set(installation.installedEvents(files, path)), new Set(events));
        const once = files.text(path);
        assert.equal(apply(files, install(installation, files)), 'none');
        apply(files, install(installation, files, '/elsewhere/bin/turnstone'));
        assert.match(files.text(path) ?? '', /elsewhere/);
        apply(files, install(installation, files));
        assert.equal(files.text(path), once);
        apply(files, remove(installation, files));
        assert.equal(files.text(path), text);
        assert.equal(apply(files, remove(installation, files)), 'none');
      });
    }

    it('is brought up to date where a hook of ours is not as it should be, or is there twice', () => {
      const files = new MemoryFiles();
      apply(files, install(installation, files));
      const wanted = files.text(path) ?? '';
      const changed = JSON.parse(wanted) as { hooks: Record<string, { command: string }[]> };
      const [first] = Object.values(changed.hooks);
      first?.push({ ...(first[0] as { command: string }) });
      Object.assign(first?.[0] ?? {}, { matcher: 'Shell', failClosed: true });
      files.put(path, JSON.stringify(changed, null, 2));
      apply(files, install(installation, files));
      assert.deepEqual(JSON.parse(files.text(path) ?? ''), JSON.parse(wanted));
    });

    const refused: Readonly<Record<string, RegExp>> = {
      '{ "version": 1, ': /not valid JSON.*Nothing was changed/,
      '[]': /holds an array where an object is expected/,
      '{}': /lacks "version": 1, without which its hooks are not read/,
      '{"version":1,"hooks":[]}': /"hooks" in the settings file is an array/,
      [`{"version":1,"hooks":{"${events[1] ?? ''}":{}}}`]: /is an object where an array is expected/,
    };
    for (const [text, reason] of Object.entries(refused)) {
      it(`that holds ${text} is refused, and left alone`, () => {
        const files = new MemoryFiles();
        files.put(path, text);
        const change = install(installation, files);
        assert.match(change.kind === 'refused' ? change.reason : change.kind, reason);
        assert.equal(files.text(path), text);
      });
    }

    it('is not written on Windows, where its commands could not be run', () => {
      const change = installation.planInstall(new MemoryFiles(), path, 'C:\\store\\bin\\turnstone.cmd', 'win32');
      assert.match(change.kind === 'refused' ? change.reason : change.kind, /Windows.*Nothing was changed/);
    });
  });
}

describe('one hooks file for Copilot CLI and VS Code', () => {
  it('is where both look for it', () => {
    assert.equal(installationFor('vscode'), installationFor('copilot'));
    assert.equal(copilotInstallation.settingsPath('user', '/p', { HOME: '/home' }), '/home/.copilot/hooks/turnstone.json');
    assert.equal(copilotInstallation.settingsPath('project', '/p', { HOME: '/home' }), '/p/.github/hooks/turnstone.json');
    assert.equal(cursorInstallation.settingsPath('user', '/p', { HOME: '/home' }), '/home/.cursor/hooks.json');
  });
});
