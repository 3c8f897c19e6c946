import assert from 'node:assert/strict';
import { recoverAll } from '../../../../src/core/rewind/recover.ts';
import { faultyFiles, type FaultPlan } from '../../../twins/faultyFiles.ts';
import { World, project } from '../../../twins/world.ts';

/** Refuses so many syncs of a directory. */
function refusing(directory: string, times: number): FaultPlan {
  let left = times;
  return ({ method, path }) => {
    if (method !== 'syncDirectory' || path !== directory || left === 0) return undefined;
    left -= 1;
    return { kind: 'error', code: 'EIO' };
  };
}

/** The power fails, and of names that were not synced those are there that came, and those too that went. */
function bringBackNames(world: World): void {
  world.memory.powerFailure({ nameSurvives: ({ steps }) => steps.every(({ node }) => node !== undefined), surviving: changes => changes });
  world.reboot();
}

async function rewound(files: Readonly<Record<string, string>>): Promise<World> {
  const world = await World.make();
  await world.open().turn('t-1', [files]);
  await world.open().rewind('t-1');
  assert.deepEqual(world.tree(), {});
  return world;
}

describe('folders that the system refuses to sync', () => {
  for (const [where, parent] of [['', project], ['new/', `${project}/new`]] as const) {
    for (const times of [1, 2]) {
      it(`and that the power brings back are gone when everything is taken back (${where || 'the top'}, refused ${times} times)`, async () => {
        const world = await rewound({ 'new/folder/made.txt': 'made\n' });
        await world.open(faultyFiles(world.memory, refusing(parent, times))).undo();
        bringBackNames(world);
        await world.open().undo();
        assert.equal(world.tree()['new/folder/made.txt'], '644 made\n');
        for (let steps = 0; steps < 2 && Object.keys(world.tree()).length > 0; steps += 1) await world.open().redo();
        assert.deepEqual(world.tree(), {});
      });
    }
  }

  it('and that a restore removed come back with their permissions when it is taken back', async () => {
    const world = await World.make();
    await world.open().turn('t-1', [{ 'new/folder/made.txt': 'made\n' }]);
    world.memory.setMode(`${project}/new/folder`, 0o700);
    const before = world.tree();
    await world.open(faultyFiles(world.memory, refusing(`${project}/new`, Number.POSITIVE_INFINITY))).rewind('t-1');
    assert.deepEqual(world.tree(), {});
    await world.open().undo();
    assert.deepEqual(world.tree(), before);
  });

  const cutShort = [
    { what: 'made', by: 'undo', from: 'makeDirectory', dies: { method: 'open', path: /\.tmp$/ }, refused: `${project}/new` },
    { what: 'removed', by: 'redo', from: 'removeDirectory', dies: { method: 'write', path: /journal/ }, refused: project },
  ] as const;
  for (const { what, by, from, dies, refused } of cutShort) {
    it(`are on record as ${what} also where another process finishes the restore`, async () => {
      const world = await World.make();
      await world.open().turn('t-1', [{ 'new/folder/made.txt': 'made\n' }]);
      for (const folder of ['new', 'new/folder']) world.memory.setMode(`${project}/${folder}`, 0o700);
      await world.open().rewind('t-1');
      if (by === 'redo') await world.open().undo();
      const before = world.tree();
      let hasBegun = false;
      const dying = world.open(faultyFiles(world.memory, ({ method, path }) => {
        hasBegun ||= method === from && path.startsWith(project);
        return hasBegun && method === dies.method && dies.path.test(path) ? { kind: 'crash' } : undefined;
      }));
      await assert.rejects(dying[by](), /the process is dead/);
      world.reboot();
      const heir = world.open(faultyFiles(world.memory, refusing(refused, 1)));
      await heir.store.restoring(() => recoverAll(heir.context));
      assert.notDeepEqual(world.tree(), before);
      await world.open()[by === 'undo' ? 'redo' : 'undo']();
      assert.deepEqual(world.tree(), before);
    });
  }
});

describe('folders that the user removed', () => {
  it('and that a restore which was cut short has brought go again when it is taken back', async () => {
    const world = await World.make({ 'old/er/gone.txt': 'v0\n' });
    await world.open().turn('t-1', [{ 'old/er/gone.txt': null }]);
    for (const folder of ['old/er', 'old']) world.memory.removeDirectory(`${project}/${folder}`);
    const dying = world.open(faultyFiles(world.memory, ({ method, path }) => (method === 'open' && path.startsWith(project) && path.endsWith('.tmp') ? { kind: 'crash' } : undefined)));
    await assert.rejects(dying.rewind('t-1'), /the process is dead/);
    assert.deepEqual(Object.keys(world.tree()), ['old/', 'old/er/']);
    world.reboot();
    const heir = world.open();
    await heir.store.restoring(() => recoverAll(heir.context));
    assert.equal(world.tree()['old/er/gone.txt'], '644 v0\n');
    await world.open().undo();
    assert.deepEqual(world.tree(), {});
  });
});
