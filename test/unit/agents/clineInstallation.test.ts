import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clineInstallation } from '../../../src/agents/clineInstallation.ts';
import { applyHookChange } from '../../../src/agents/hookFiles.ts';
import type { Files } from '../../../src/core/base/files.ts';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { makeScratch } from '../../agents/scratch.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

const settings = '/home/Documents/Cline/Hooks';
const { installedEvents, planInstall, planRemove, settingsPath, events } = clineInstallation;
const install = (files: Files, shim = '/store/bin/turnstone') => planInstall(files, settings, shim, 'linux');
const remove = (files: Files) => planRemove(files, settings, () => true);

function apply(files: Files, change: ReturnType<typeof install>): void {
  assert.equal(change.kind, 'change', JSON.stringify(change));
  assert.equal(change.kind === 'change' && applyHookChange(files, change), true);
}

describe('Cline\'s hooks', () => {
  it('are executables that are installed once, brought up to date, and taken away again', () => {
    const files = new MemoryFiles();
    files.put(`${settings}/UserPromptSubmit`, '#!/bin/sh\nexit 0\n', 0o755);
    apply(files, install(files));
    assert.equal(
      files.text(`${settings}/PreToolUse`),
      "#!/bin/sh\n# Written by Turnstone, which records with it what Cline does.\n[ -x '/store/bin/turnstone' ] || exit 0; exec '/store/bin/turnstone' hook cline PreToolUse\n",
    );
    assert.deepEqual(events.map(event => (files.stat(`${settings}/${event}`)?.mode ?? 0) & 0o777), events.map(() => 0o755));
    assert.deepEqual(installedEvents(files, settings), events);
    assert.equal(install(files).kind, 'none');
    apply(files, install(files, '/other/bin/turnstone'));
    assert.match(files.text(`${settings}/TaskStart`), /exec '\/other\/bin\/turnstone' hook cline TaskStart/);
    apply(files, remove(files));
    assert.deepEqual([installedEvents(files, settings), remove(files).kind], [[], 'none']);
    assert.equal(files.text(`${settings}/UserPromptSubmit`), '#!/bin/sh\nexit 0\n');
  });

  it('are brought back where one is missing', () => {
    const files = new MemoryFiles();
    apply(files, install(files));
    files.remove(`${settings}/PostToolUse`);
    assert.deepEqual(installedEvents(files, settings), events.filter(event => event !== 'PostToolUse'));
    const change = install(files);
    assert.deepEqual(change.kind === 'change' && change.files.map(({ path }) => path), [`${settings}/PostToolUse`]);
  });

  it('are all refused where one is the user\'s own, and removing leaves it', () => {
    const files = new MemoryFiles();
    const own = '#!/bin/sh\necho mine\n';
    files.put(`${settings}/TaskComplete`, own, 0o755);
    const change = install(files);
    assert.match(change.kind === 'refused' ? change.reason : change.kind, /Hooks\/TaskComplete is not Turnstone's, or was changed since\. It was left as it is, and nothing was written/);
    assert.deepEqual([remove(files).kind, files.text(`${settings}/TaskComplete`), files.stat(`${settings}/TaskStart`)], ['none', own, undefined]);
  });

  it('are refused where somebody has added to one, or made it no executable any more', () => {
    const files = new MemoryFiles();
    apply(files, install(files));
    const text = files.text(`${settings}/PreToolUse`);
    files.put(`${settings}/PreToolUse`, `${text}echo more\n`);
    assert.match(JSON.stringify(install(files)), /PreToolUse is not Turnstone's, or was changed since/);
    files.put(`${settings}/PreToolUse`, text);
    files.setMode(`${settings}/PreToolUse`, 0o644);
    assert.match(JSON.stringify(install(files)), /PreToolUse can't be run any more\. Nothing was changed/);
  });

  it('are refused on Windows', () => {
    const change = planInstall(new MemoryFiles(), settings, 'C:/store/bin/turnstone.cmd', 'win32');
    assert.match(change.kind === 'refused' ? change.reason : change.kind, /PowerShell scripts as hooks on Windows.*Nothing was changed/);
  });

  it('lie where Cline looks for hooks of a user and of a project', () => {
    assert.equal(settingsPath('user', '/w', { HOME: '/home' }), settings);
    assert.equal(settingsPath('project', '/w', { HOME: '/home' }), '/w/.clinerules/hooks');
  });

  it('run the shim, and do nothing and succeed without it', () => {
    const { home } = makeScratch({});
    const [folder, shim, told] = [join(home, 'Hooks'), join(home, 'it\'s here', 'turnstone'), join(home, 'told')];
    apply(nodeFiles, planInstall(nodeFiles, folder, shim, 'linux'));
    const run = () => spawnSync(join(folder, 'PreToolUse'), { input: '{"a":1}', encoding: 'utf8' });
    assert.deepEqual([run().status, run().stdout, run().stderr], [0, '', '']);
    nodeFiles.makeDirectory(join(home, 'it\'s here'), 0o755);
    writeFileSync(shim, `#!/bin/sh\n{ echo "$@"; cat; } > '${told}'\n`);
    chmodSync(shim, 0o755);
    assert.deepEqual([run().status, readFileSync(told, 'utf8')], [0, 'hook cline PreToolUse\n{"a":1}']);
    rmSync(shim);
    rmSync(told);
    assert.deepEqual([run().status, existsSync(told)], [0, false]);
  });
});
