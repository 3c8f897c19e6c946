import assert from 'node:assert/strict';
import type { Files } from '../../../src/core/base/files.ts';
import { applyHookChange } from '../../../src/agents/hookFiles.ts';
import { claudeInstallation } from '../../../src/agents/installations.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

const settings = '/home/.claude/settings.json';
const { installedEvents } = claudeInstallation;
const remove = (files: Files) => claudeInstallation.planRemove(files, settings, () => true);
const install = (files: Files) => claudeInstallation.planInstall(files, settings, '/store/bin/turnstone', 'linux');

/** Files with a pipe for settings: whoever opens it waits for ever, which is a failure here. */
function withPipe(memory: MemoryFiles): Files {
  const files = faultyFiles(memory);
  return {
    ...files,
    stat(path) {
      const stat = files.stat(path);
      return stat !== undefined && path === settings ? { ...stat, kind: 'other' } : stat;
    },
    read(path) {
      assert.notEqual(path, settings, 'a pipe was opened');
      return files.read(path);
    },
  };
}

describe('a settings file of Claude Code', () => {
  it('that is no file is refused with a sentence, and not opened', () => {
    const memory = new MemoryFiles();
    memory.put(settings, '{}');
    const files = withPipe(memory);
    for (const change of [install(files), remove(files)]) {
      assert.match(change.kind === 'refused' ? change.reason : change.kind, /settings\.json is no regular file\. Nothing was changed/);
    }
    assert.deepEqual(installedEvents(files, settings), []);
  });

  it('that is a folder is refused with a sentence', () => {
    const memory = new MemoryFiles();
    memory.folder(settings);
    for (const change of [install(memory), remove(memory)]) {
      assert.match(change.kind === 'refused' ? change.reason : change.kind, /settings\.json is a folder\. Nothing was changed/);
    }
    assert.deepEqual(installedEvents(memory, settings), []);
  });

  it('that stops being a file after the plan is left alone', () => {
    const memory = new MemoryFiles();
    memory.put(settings, '{}');
    const change = install(memory);
    assert.equal(change.kind, 'change');
    assert.equal(change.kind === 'change' && applyHookChange(withPipe(memory), change), false);
    assert.equal(memory.text(settings), '{}');
    assert.equal(change.kind === 'change' && applyHookChange(memory, change), true);
    assert.equal(installedEvents(memory, settings).length > 0, true);
  });
});
