import assert from 'node:assert/strict';
import { HookLog } from '../../../src/agents/hookLog.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

const entry = { at: 0, agent: 'claude-code', event: 'Stop', message: 'something' };

describe('hook log', () => {
  it('is one JSON object a line, and never longer than two halves', () => {
    const files = new MemoryFiles();
    files.folder('/store');
    const log = new HookLog(files, '/store');
    log.write(entry);
    assert.deepEqual(JSON.parse(files.text('/store/logs/hook.log')), { ...entry, at: '1970-01-01T00:00:00.000Z' });
    for (let count = 0; count < 5; count += 1) log.write({ ...entry, message: 'x'.repeat(600 * 1024) });
    const sizes = files.readDirectory('/store/logs').map(name => [name, (files.stat(`/store/logs/${name}`)?.size ?? 0) < 2 * 1024 * 1024]);
    assert.deepEqual(sizes, [['hook.log', true], ['hook.log.1', true]]);
  });

  it('keeps what could not be read once, and not without end', () => {
    const files = new MemoryFiles();
    files.folder('/store');
    const log = new HookLog(files, '/store');
    for (let count = 0; count < 50; count += 1) log.keepPayload(Buffer.from(`payload ${count % 30}`));
    assert.equal(files.readDirectory('/store/logs').length, 20);
  });

  it('keeps nothing of who the user is', () => {
    const files = new MemoryFiles();
    files.folder('/store');
    const name = new HookLog(files, '/store').keepPayload(Buffer.from('{"a": "\u00e9", "user_email" : "some\\"body@example.com", "b": "c'));
    assert.equal(files.text(`/store/logs/${name ?? ''}`), '{"a": "\u00e9", "user_email" : "", "b": "c');
  });

  it('never throws', () => {
    const log = new HookLog(faultyFiles(new MemoryFiles(), () => ({ kind: 'error', code: 'EROFS' })), '/store');
    log.write(entry);
    assert.equal(log.keepPayload(Buffer.from('x')), undefined);
  });
});
