import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFiles } from '../../../../src/core/base/files.ts';
import { defaultCaptureSettings, readCaptureSettings, soundCaptureSettings, writeCaptureSettings, type CaptureSettings } from '../../../../src/core/capture/captureSettings.ts';
import { excludePatterns } from '../../../../src/editor/excludePatterns.ts';
import { scratchDirectory } from '../../../support/scratch.ts';

const other: CaptureSettings = { exclude: ['*.sqlite', 'data/'], maxFileSize: 1024 * 1024, lookBudget: 100, copyLimit: 1024 * 1024 };

describe('the settings of a recorded folder', () => {
  const directory = (): string => scratchDirectory('capture-settings');

  it('come back as they were written, readable by their user only', () => {
    const at = directory();
    writeCaptureSettings(nodeFiles, at, other);
    assert.deepEqual(readCaptureSettings(nodeFiles, at), other);
    if (process.platform !== 'win32') assert.equal(statSync(join(at, 'settings.json')).mode & 0o777, 0o600);
    writeCaptureSettings(nodeFiles, at, defaultCaptureSettings);
    assert.deepEqual(readCaptureSettings(nodeFiles, at), defaultCaptureSettings);
  });

  it('are not written where they are what hooks find already', () => {
    const at = directory();
    writeCaptureSettings(nodeFiles, at, defaultCaptureSettings);
    assert.deepEqual(nodeFiles.readDirectory(at), []);
    writeCaptureSettings(nodeFiles, at, other);
    const { ino } = statSync(join(at, 'settings.json'));
    writeCaptureSettings(nodeFiles, at, other);
    assert.equal(statSync(join(at, 'settings.json')).ino, ino);
  });

  it('are the defaults, each by itself, where they are not what they should be', () => {
    const at = directory();
    const read = (text: string): CaptureSettings => {
      writeFileSync(join(at, 'settings.json'), text);
      return readCaptureSettings(nodeFiles, at);
    };
    const hostile: readonly (readonly [keyof CaptureSettings, unknown])[] = [
      ...(['maxFileSize', 'lookBudget', 'copyLimit'] as const).flatMap(name => [-1, 0, 1e300, 1.5, '5', null, [], {}].map(value => [name, value] as const)),
      ...['*.log', [1], [['a']], ['a\n!b'], ['a\0'], Array.from({ length: 1001 }, () => 'a'), ['a'.repeat(1001)], { length: 1, 0: 'a' }, null].map(value => ['exclude', value] as const),
    ];
    for (const [name, value] of hostile) assert.deepEqual(read(JSON.stringify({ format: 1, ...other, [name]: value })), { ...other, [name]: defaultCaptureSettings[name] }, `${name} ${JSON.stringify(value).slice(0, 40)}`);
    for (const text of ['', '{', '[]', 'null', '{"format":2,"exclude":["a"]}', JSON.stringify({ ...other }), `{"format":1,"exclude":["a"]${' '.repeat(300 * 1024)}}`]) assert.deepEqual(read(text), defaultCaptureSettings, text.slice(0, 40));
    assert.deepEqual(read('{"format":1,"__proto__":{"maxFileSize":2000000}}'), defaultCaptureSettings);
    rmSync(join(at, 'settings.json'));
    mkdirSync(join(at, 'settings.json'));
    assert.deepEqual(readCaptureSettings(nodeFiles, at), defaultCaptureSettings);
    chmodSync(at, 0o700);
  });

  it('of an editor that go too far are the defaults', () => {
    assert.deepEqual(soundCaptureSettings({ exclude: undefined, maxFileSize: Number.NaN, lookBudget: 60_000, copyLimit: Number.POSITIVE_INFINITY }), defaultCaptureSettings);
  });

  it('a workspace adds patterns, and brings nothing back that its user excludes', () => {
    const levels = { globalValue: ['*.key', '!public.key'], workspaceValue: ['data/', '!*.key', 'a\n!b'], workspaceFolderValue: ['*.key', 7] };
    assert.deepEqual(excludePatterns(levels), ['data/', 'a', '*.key', '!public.key']);
    for (const value of [undefined, null, 'x', {}]) assert.deepEqual(excludePatterns({ globalValue: value, workspaceValue: value }), []);
  });
});
