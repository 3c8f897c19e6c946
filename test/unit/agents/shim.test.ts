import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shimPath, shimTells, shimText, writeShim } from '../../../src/agents/shim.ts';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { scratchDirectory } from '../../support/scratch.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

describe('shim', () => {
  it('runs the bundle with the runtime and the store, whatever their folders are called, and succeeds without them', function () {
    if (process.platform === 'win32') this.skip();
    const top = scratchDirectory('shim');
    for (const name of ['plain', "it's", 'a b', '$HOME', '`id`', '"q"', 'ü 漢']) {
      const storage = join(top, name);
      mkdirSync(storage);
      const runtime = join(storage, 'runtime');
      const bundle = join(storage, 'cli.js');
      writeFileSync(runtime, '#!/bin/sh\nprintf "%s|" "$@" "$TURNSTONE_STORE" "$ELECTRON_RUN_AS_NODE" "$NODE_OPTIONS"\n');
      chmodSync(runtime, 0o755);
      writeFileSync(bundle, '');
      const shim = writeShim(nodeFiles, storage, { executable: runtime, bundle }, 'linux');
      const run = () => spawnSync(shim, ['hook', 'claude-code', 'Stop'], { encoding: 'utf8', env: { NODE_OPTIONS: '--inspect' } });
      assert.deepEqual([run().stdout, run().status], [`${[bundle, 'hook', 'claude-code', 'Stop', storage, '1', ''].join('|')}|`, 0], name);
      rmSync(bundle);
      assert.deepEqual([run().stdout, run().stderr, run().status], ['', '', 0], name);
    }
  });

  it('is written anew only when it has to run something else', () => {
    const memory = new MemoryFiles();
    memory.folder('/store');
    const runtime = { executable: '/bin/node', bundle: '/ext/cli.js' };
    writeShim(memory, '/store', runtime, 'linux');
    const again = faultyFiles(memory);
    writeShim(again, '/store', runtime, 'linux');
    assert.deepEqual(again.operations.filter(({ method }) => method === 'open'), []);
    writeShim(memory, '/store', { ...runtime, bundle: '/ext-2/cli.js' }, 'linux');
    assert.match(memory.text('/store/bin/turnstone'), /'\/ext-2\/cli\.js'/);
    assert.equal(memory.stat('/store/bin/turnstone')?.mode, 0o700);
  });

  it('tells what it runs and of which storage, on either platform', () => {
    for (const platform of ['linux', 'win32'] as const) {
      for (const name of ['plain', "it's", 'a b', '$HOME', "'", 'ü 漢']) {
        const memory = new MemoryFiles();
        memory.folder('/store');
        const told = { executable: `/bin/${name}/node`, bundle: `/ext ${name}/cli.js` };
        writeShim(memory, '/store', told, platform);
        assert.deepEqual(shimTells(memory, shimPath('/store', platform), platform), { ...told, storage: '/store' }, `${platform} ${name}`);
      }
    }
    const memory = new MemoryFiles();
    memory.put('/other', '#!/bin/sh\nexit 0\n');
    assert.deepEqual([shimTells(memory, '/other', 'linux'), shimTells(memory, '/nowhere', 'linux')], [undefined, undefined]);
  });

  it('for Windows does nothing and succeeds without its runtime or its bundle', () => {
    const lines = shimText('C:\\store', { executable: 'C:\\Code.exe', bundle: 'C:\\ext\\cli.js' }, 'win32').split('\r\n');
    assert.deepEqual(lines.filter(line => line.startsWith('if not exist')), ['if not exist "C:\\Code.exe" exit /b 0', 'if not exist "C:\\ext\\cli.js" exit /b 0']);
  });
});
