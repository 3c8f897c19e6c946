import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { recoverAll } from '../../../../src/core/rewind/recover.ts';
import { faultyFiles, type FaultPlan } from '../../../twins/faultyFiles.ts';
import { World, project, type Actor } from '../../../twins/world.ts';

/** Refuses so many syncs of a directory. */
function refusing(directory: string, times: number): FaultPlan {
  let left = times;
  return ({ method, path }) => {
    if (method !== 'syncDirectory' || path !== directory || left === 0) return undefined;
    left -= 1;
    return { kind: 'error', code: 'EIO' };
  };
}

/** In a folder that is closed for its owner nothing comes and nothing goes. */
function enforcing({ memory }: World, { method, path }: Parameters<FaultPlan>[0]): ReturnType<FaultPlan> {
  const isInside = ['open', 'rename', 'remove', 'makeDirectory', 'removeDirectory', 'symbolicLink'].includes(method) && path.startsWith(`${project}/`);
  const mode = isInside ? (memory.stat(path.slice(0, path.lastIndexOf('/')))?.mode ?? 0o700) : 0o700;
  return (mode & 0o300) === 0o300 ? undefined : { kind: 'error', code: 'EACCES' };
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

describe('folders that a command changed', () => {
  /** A command that removed folders, closed some and brought others, with the trees before and after. */
  async function worked(): Promise<{ readonly world: World; readonly before: unknown; readonly after: unknown }> {
    const world = await World.make({ 'private/key': 'k\n', 'closed/x': 'x\n', 'a.txt': 'a\n' });
    world.memory.folder(`${project}/gone/in`);
    for (const [folder, mode] of [['private', 0o500], ['gone', 0o700]] as const) world.memory.setMode(`${project}/${folder}`, mode);
    const before = world.tree();
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.shell('t-1', memory => {
      memory.remove(`${project}/private/key`);
      for (const path of ['private', 'gone/in', 'gone']) memory.removeDirectory(`${project}/${path}`);
      memory.put(`${project}/closed/x`, 'y\n');
      memory.setMode(`${project}/closed`, 0o555);
      memory.folder(`${project}/made/in`);
    });
    return { world, before, after: world.tree() };
  }

  const changing: ReadonlySet<string> = new Set(['makeDirectory', 'removeDirectory', 'setMode', 'syncDirectory', 'rename', 'remove', 'open', 'write', 'syncData', 'hardLink']);

  /** The process dies at an operation that changes something. */
  function dyingAt(index: number): FaultPlan {
    let count = 0;
    return ({ method }) => (changing.has(method) && count++ === index ? { kind: 'crash', written: 0 } : undefined);
  }

  async function restored(kind: 'rewind' | 'undo', open: () => Actor): Promise<unknown> {
    return kind === 'rewind' ? open().rewind('t-1') : open().undo();
  }

  for (const kind of ['rewind', 'undo'] as const) {
    it(`are as a ${kind} leaves them wherever it was cut short, and can be had back`, async () => {
      const { world: ground, before, after } = await worked();
      if (kind === 'undo') await ground.open().rewind('t-1');
      const [from, to] = kind === 'rewind' ? [after, before] : [before, after];
      let tried = 0;
      for (let index = 0; ; index += 1) {
        const world = ground.copy();
        const files = faultyFiles(world.memory, dyingAt(index));
        await restored(kind, () => world.open(files)).catch((error: unknown) => assert.ok(files.crashed, String(error)));
        if (!files.crashed) break;
        tried += 1;
        world.reboot();
        const heir = world.open();
        await heir.store.restoring(() => recoverAll(heir.context));
        if (isDeepStrictEqual(world.tree(), from)) await restored(kind, () => heir);
        assert.deepEqual(world.tree(), to, `cut short at ${index}`);
        await (kind === 'rewind' ? world.open().undo() : world.open().redo());
        assert.deepEqual(world.tree(), from, `taken back after ${index}`);
      }
      assert.ok(tried > 30, `${tried} operations`);
    });
  }

  it('may have been closed by it, and hold closed ones: what has to be written in them is written, and they are closed again', async () => {
    const world = await World.make({ 'shut/edited': '0', 'shut/in/gone': '0', 'wide/shut/kept': '0' });
    const closed = (folders: readonly string[]): void => folders.forEach(folder => world.memory.setMode(`${project}/${folder}`, 0o500));
    closed(['shut/in']);
    const before = world.tree();
    await world.open().openTurn('t-1');
    await world.open().shell('t-1', memory => {
      memory.put(`${project}/shut/edited`, '1');
      memory.remove(`${project}/shut/in/gone`);
      memory.removeDirectory(`${project}/shut/in`);
      memory.put(`${project}/wide/shut/new`, '1');
      memory.put(`${project}/made/in/new`, '1');
      memory.folder(`${project}/made/in/empty`);
      closed(['shut', 'wide/shut', 'made/in/empty', 'made/in', 'made']);
    });
    const after = world.tree();
    const enforced = (): Actor => world.open(faultyFiles(world.memory, operation => enforcing(world, operation)));
    await enforced().rewind('t-1');
    assert.deepEqual(world.tree(), before);
    await enforced().undo();
    assert.deepEqual(world.tree(), after);
    world.write({ 'made/in/mine': 'mine' });
    await enforced().redo();
    assert.deepEqual(world.tree(), { ...before, 'made/': '500', 'made/in/': '500', 'made/in/mine': '644 mine' });
  });

  it('that the user has closed are not opened: what can\'t be written in them is told, and done when he opens them', async () => {
    const world = await World.make({ 'mine/a': '0', 'b': '0' });
    await world.open().openTurn('t-1');
    await world.open().shell('t-1', memory => ['mine/a', 'b'].forEach(path => memory.put(`${project}/${path}`, '1')));
    world.memory.setMode(`${project}/mine`, 0o500);
    const enforced = (): Actor => world.open(faultyFiles(world.memory, operation => enforcing(world, operation)));
    await enforced().rewind('t-1');
    assert.deepEqual(world.tree(), { 'b': '644 0', 'mine/': '500', 'mine/a': '644 1' });
    world.memory.setMode(`${project}/mine`, 0o755);
    await enforced().rewind('t-1');
    assert.deepEqual(world.tree(), { 'b': '644 0', 'mine/': '755', 'mine/a': '644 0' });
  });

  it('keep permissions that the user gave them since, and what he put into them', async () => {
    const { world } = await worked();
    world.memory.setMode(`${project}/closed`, 0o750);
    world.write({ 'made/in/mine.txt': 'mine\n' });
    world.memory.folder(`${project}/private`);
    await world.open().rewind('t-1');
    const { 'closed/': closed, 'private/': own, 'made/in/mine.txt': mine, 'gone/': gone } = world.tree();
    assert.deepEqual([closed, own, mine, gone], ['750', '755', '644 mine\n', '700']);
  });

  it('come back with those above them that are missing by now, and not where a file is in the way', async () => {
    const { world } = await worked();
    const agent = world.open();
    await agent.rewind('t-1');
    for (const path of ['gone/in', 'gone']) world.memory.removeDirectory(`${project}/${path}`);
    assert.equal((await agent.rewind('t-1')).kind, 'applied');
    assert.equal(world.tree()['gone/in/'], '755');
    for (const path of ['gone/in', 'gone']) world.memory.removeDirectory(`${project}/${path}`);
    world.write({ gone: 'mine\n' });
    assert.equal((await agent.rewind('t-1')).kind, 'already');
    assert.equal(world.tree()['gone'], '644 mine\n');
  });

  it('are left where only one file of the call is rolled back, but those above it', async () => {
    const { world } = await worked();
    await world.open().rollback('t-1', 'stop', 'private/key');
    const { 'private/': own, 'closed/': closed, 'made/in/': made, 'gone/': gone } = world.tree();
    assert.deepEqual([own, closed, made, gone], ['500', '555', '755', undefined]);
  });
});
