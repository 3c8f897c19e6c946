import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { hookCommand, isTurnstoneCommand } from '../../../src/agents/hookCommand.ts';
import { TurnstoneError } from '../../../src/core/base/errors.ts';

describe('hook command', () => {
  it('has the form that agents trust by its hash', () => {
    assert.equal(
      hookCommand('/home/me/bin/turnstone', 'claude-code', 'PreToolUse', 'darwin'),
      "[ -x '/home/me/bin/turnstone' ] || exit 0; exec '/home/me/bin/turnstone' hook claude-code PreToolUse",
    );
    assert.equal(
      hookCommand(String.raw`C:\Users\Jo O'Hara\bin\turnstone.cmd`, 'claude-code', 'Stop', 'win32'),
      String.raw`[ -f 'C:/Users/Jo O'\''Hara/bin/turnstone.cmd' ] || exit 0; exec 'C:/Users/Jo O'\''Hara/bin/turnstone.cmd' hook claude-code Stop`,
    );
  });

  const refused: readonly [shim: string, agent: string, event: string, platform: NodeJS.Platform][] = [
    ['/a\nb/turnstone', 'claude-code', 'Stop', 'linux'],
    ['/a\u0000/turnstone', 'claude-code', 'Stop', 'linux'],
    ['bin/turnstone', 'claude-code', 'Stop', 'linux'],
    ['/bin/other', 'claude-code', 'Stop', 'linux'],
    ['/bin/turnstone', 'claude-code', 'Stop', 'win32'],
    ['/bin/turnstone', 'claude code', 'Stop', 'linux'],
    ['/bin/turnstone', 'claude-code', 'Stop; rm', 'linux'],
    ['/bin/turnstone', 'claude-code', '', 'linux'],
  ];
  for (const [shim, agent, event, platform] of refused) {
    it(`is refused for ${JSON.stringify([shim, agent, event])} on ${platform}`, () => {
      assert.throws(() => hookCommand(shim, agent, event, platform), error => TurnstoneError.is(error));
    });
  }

  it('is recognised for any path and platform', () => {
    const part = fc.oneof(fc.constantFrom("'", "' ] || exit 0; exec '", '\u2028', "'\\''", '$&', '`id`', '"', ' '), fc.string({ unit: 'grapheme' }));
    const path = fc.array(part, { maxLength: 5 }).map(parts => `/${parts.join('')}/turnstone`);
    const printable = path.filter(text => !/[\u0000-\u001f\u007f]/.test(text));
    fc.assert(
      fc.property(printable, fc.boolean(), (shim, windows) => {
        const command = hookCommand(windows ? `C:${shim}.cmd` : shim, 'codex', 'Stop', windows ? 'win32' : 'linux');
        assert.ok(isTurnstoneCommand(command));
        assert.ok(!isTurnstoneCommand(`${command} `) && !isTurnstoneCommand(command.slice(1)) && !isTurnstoneCommand(`true; ${command}`));
      }),
      { numRuns: 2000 },
    );
  });

  const theirs = [
    '',
    'turnstone hook claude-code Stop',
    "exec '/bin/turnstone' hook claude-code Stop",
    "[ -x '/bin/turnstone' ] || exit 0; exec '/bin/other/turnstone' hook claude-code Stop",
    "[ -x '/bin/notturnstone' ] || exit 0; exec '/bin/notturnstone' hook claude-code Stop",
    "[ -x '/bin/turnstone' ] || exit 0; exec '/bin/turnstone' hook claude-code Stop; rm x",
    "[ -x '/bin/turnstone' ] || exit 0; exec '/bin/turnstone' hook claude-code Stop\n",
    "[ -x '/it's/turnstone' ] || exit 0; exec '/it's/turnstone' hook claude-code Stop",
    String.raw`[ -f 'C:\bin\turnstone' ] || exit 0; exec 'C:\bin\turnstone' hook claude-code Stop`,
  ];
  for (const command of theirs) {
    it(`is not ${JSON.stringify(command)}`, () => assert.ok(!isTurnstoneCommand(command)));
  }

  it('runs the shim under a shell, whatever its folder is called, and nothing once it is gone', function () {
    if (process.platform === 'win32') this.skip();
    const home = mkdtempSync(join(tmpdir(), 'turnstone-hook-command-'));
    try {
      for (const name of ['plain', "it's", 'a b', '$HOME', '`id`', '"q"', 'back\\slash', '-x', '*', '!!', "'; exit 3; '", 'ü 漢']) {
        const folder = join(home, name);
        const shim = `${folder}/turnstone`;
        mkdirSync(folder);
        writeFileSync(shim, '#!/bin/sh\necho "$@"\n');
        chmodSync(shim, 0o755);
        const command = hookCommand(shim, 'claude-code', 'PreToolUse', process.platform);
        const run = () => spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });

        const { status, stdout, stderr } = run();
        assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'hook claude-code PreToolUse\n', stderr: '' }, name);
        rmSync(shim);
        const gone = run();
        assert.deepEqual([gone.status, gone.stdout, gone.stderr], [0, '', ''], name);
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
