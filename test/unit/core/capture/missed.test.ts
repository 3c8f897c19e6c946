import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { Recorders } from '../../../../src/core/capture/recorders.ts';
import { history } from '../../../../src/core/capture/history.ts';
import { RootRegistry } from '../../../../src/core/timeline/rootRegistry.ts';
import type { Files } from '../../../../src/core/base/files.ts';
import { faultyFiles, type FaultPlan } from '../../../twins/faultyFiles.ts';
import { World, project, storage } from '../../../twins/world.ts';

const context = { session: 's-a', turn: 't-1', tool: 'Write' };

function recorders(world: World, files: Files): Recorders {
  return new Recorders(files, world.clock, new RootRegistry(files, world.clock, storage), async () => history);
}

async function begin(world: World, files: Files): Promise<string | undefined> {
  const all = recorders(world, files);
  const root = all.rootOf(project);
  if (root === undefined) throw new Error('no root');
  return all.recordCall(root, context, recorder => recorder.begin({ ...context, call: 'c-1', paths: [`${project}/a.txt`] }));
}

function gaps(world: World): readonly string[] {
  const { store } = world.open();
  store.refresh();
  return store.timeline.turns.get('t-1')?.gaps ?? [];
}

describe('an event that can\'t be recorded', () => {
  const troubles: readonly (readonly [what: string, plan: FaultPlan, reason: RegExp])[] = [
    ['on a full disk', ({ method, path }) => (method === 'write' && path.startsWith(storage) ? { kind: 'error', code: 'ENOSPC', written: 3 } : undefined), /ENOSPC/],
    ['on a disk that is read-only', ({ method, path }) => (/open|makeDirectory/.test(method) && path.startsWith(storage) ? { kind: 'error', code: 'EROFS' } : undefined), /EROFS/],
    ['on a disk that fails', ({ method, path }) => (method === 'syncData' && path.startsWith(storage) ? { kind: 'error', code: 'EIO' } : undefined), /EIO/],
  ];
  for (const [what, plan, reason] of troubles) {
    it(`${what} stops nobody, and is told with the next record, once`, async () => {
      const world = await World.make({ 'a.txt': '0' });
      world.memory.folder(tmpdir());
      assert.match((await begin(world, faultyFiles(world.memory, plan))) ?? '', reason);
      assert.deepEqual(gaps(world), []);
      for (let times = 0; times < 2; times += 1) assert.equal(await begin(world, faultyFiles(world.memory)), undefined);
      const [gap, ...more] = gaps(world);
      assert.match(gap ?? '', reason);
      assert.match(gap ?? '', /^Write: not recorded, /);
      assert.deepEqual(more, []);
    });
  }

  it('on a disk that takes nothing but names any more is told with the next record, once', async () => {
    const world = await World.make({ 'a.txt': '0' });
    world.memory.folder(tmpdir());
    const full: FaultPlan = ({ method }) => (method === 'write' ? { kind: 'error', code: 'ENOSPC', written: 0 } : undefined);
    for (let times = 0; times < 2; times += 1) assert.match((await begin(world, faultyFiles(world.memory, full))) ?? '', /ENOSPC/);
    for (let times = 0; times < 2; times += 1) assert.equal(await begin(world, faultyFiles(world.memory)), undefined);
    assert.deepEqual([...new Set(gaps(world))], ['Write: not recorded, it could not be written to the history, and neither could the reason']);
  });

  it('is not believed from a folder that others can write', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const key = world.memory.readDirectory(`${storage}/roots`)[0] as string;
    const place = `${tmpdir()}/turnstone-${process.getuid?.() ?? 'user'}/${key}`;
    world.memory.put(`${place}/1.json`, JSON.stringify({ session: 's-a', turn: 't-1', happenedAt: 1, reason: 'forged' }));
    await begin(world, faultyFiles(world.memory));
    assert.deepEqual(gaps(world), []);
    world.memory.setMode(place, 0o700);
    await begin(world, faultyFiles(world.memory));
    assert.deepEqual(gaps(world), ['an event: not recorded, forged']);
  });

  it('half-written by a process that died is passed over', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const key = world.memory.readDirectory(`${storage}/roots`)[0] as string;
    world.memory.put(`${storage}/roots/${key}/missed/1.json`, '{"session":');
    world.memory.setMode(`${storage}/roots/${key}/missed`, 0o700);
    assert.equal(await begin(world, faultyFiles(world.memory)), undefined);
  });
});
