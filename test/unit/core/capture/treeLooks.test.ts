import assert from 'node:assert/strict';
import type { FolderWork } from '../../../../src/core/timeline/model.ts';
import { faultyFiles, at, type Fault } from '../../../twins/faultyFiles.ts';
import { project, World, type Actor, type Contents } from '../../../twins/world.ts';

const start: Contents = { 'a.txt': '0', 'b.txt': '0', 'gone.txt': '0' };
const work: Contents = { 'a.txt': '1', 'new/c.txt': '1', 'gone.txt': null };

async function prompted(contents: Contents = start): Promise<{ readonly world: World; readonly agent: Actor }> {
  const world = await World.make(contents);
  const agent = world.open();
  await agent.openTurn('t-1');
  return { world, agent };
}

/** By path, whose the changes are. */
function owners(agent: Actor): Readonly<Record<string, readonly string[]>> {
  agent.store.refresh();
  const { changes } = agent.store.timeline;
  return Object.fromEntries([...changes].map(([path, all]) => [path, all.map(({ by }) => (by.kind === 'call' ? by.turn : by.kind))]));
}

function gaps(agent: Actor, turn: string): readonly string[] {
  agent.store.refresh();
  return agent.store.timeline.turns.get(turn)?.gaps ?? [];
}

describe('looks at all files', () => {
  it('find what a command changed, created and deleted, and nothing else', async () => {
    const { world, agent } = await prompted();
    const before = world.tree();
    await agent.shell('t-1', work);
    assert.deepEqual([owners(agent), gaps(agent, 't-1')], [{ 'a.txt': ['t-1'], 'gone.txt': ['t-1'], 'new/c.txt': ['t-1'] }, []]);
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), before);
  });

  it('leave what the user did between two commands to him', async () => {
    const { world, agent } = await prompted();
    await agent.shell('t-1', { 'a.txt': '1' });
    world.write({ 'a.txt': 'mine', 'b.txt': 'mine' });
    await agent.shell('t-1', { 'a.txt': '2' });
    assert.deepEqual(owners(agent), { 'a.txt': ['t-1', 'drift', 't-1'] });
  });

  it('give what changed under one command of a turn to it, also where a declared edit was open', async () => {
    const { agent } = await prompted();
    const endShell = await agent.beginShell('t-1', { 'b.txt': '1' });
    const endEdit = await agent.begin('t-1', { 'a.txt': '1' });
    await endShell();
    await endEdit();
    await agent.shell('t-1', {});
    assert.deepEqual([owners(agent), gaps(agent, 't-1')], [{ 'a.txt': ['t-1'], 'b.txt': ['t-1'] }, []]);
  });

  it('begin with what an edit left that was recorded since the last look', async () => {
    const { world, agent } = await prompted();
    const end = await agent.beginShell('t-1', {});
    await agent.call('t-1', { 'a.txt': 'edited' });
    world.write({ 'a.txt': 'formatted' });
    await end();
    agent.store.refresh();
    const texts = agent.store.timeline.changes.get('a.txt')?.map(({ before, after }) => [before, after].map(state => (state.kind === 'content' ? Buffer.from(agent.store.blobs.read(state.hash)).toString() : state.kind)));
    assert.deepEqual(texts, [['0', 'edited'], ['edited', 'formatted']]);
  });

  it('say of two turns at once that nobody knows whose it is', async () => {
    const { world, agent } = await prompted();
    await agent.openTurn('t-2', 's-b');
    const end = await agent.beginShell('t-1', {});
    const endOther = await agent.beginShell('t-2', { 'b.txt': '1' }, 's-b');
    await endOther();
    await end();
    assert.deepEqual(owners(agent), { 'b.txt': ['drift'] });
    for (const turn of ['t-1', 't-2']) assert.deepEqual(gaps(agent, turn), ['b.txt: changed while several calls were open, and which of them did it is not known']);
    await agent.rewind('t-1');
    assert.equal(world.memory.text('/project/b.txt'), '1');
  });

  it('find what a command did that nobody reported, when its turn is over', async () => {
    const { agent } = await prompted();
    await agent.beginShell('t-1', work);
    await agent.openTurn('t-2');
    assert.deepEqual(owners(agent), { 'a.txt': ['t-1'], 'gone.txt': ['t-1'], 'new/c.txt': ['t-1'] });
    await agent.shell('t-2', { 'b.txt': '2' });
    assert.deepEqual(owners(agent)['b.txt'], ['t-2']);
  });

  it('know folders by themselves: the user\'s empty one stays, and what a command did to folders goes and comes back', async () => {
    const { world, agent } = await prompted({ ...start, 'private/key': '0', 'old/er/x': '0' });
    for (const folder of ['out', 'gone/in']) world.memory.folder(`${project}/${folder}`);
    for (const [folder, mode] of [['private', 0o700], ['gone', 0o2750], ['old/er', 0o555]] as const) world.memory.setMode(`${project}/${folder}`, mode);
    const before = world.tree();
    await agent.shell('t-1', memory => {
      for (const path of ['out/x', 'new/deep/y']) memory.put(`${project}/${path}`, '1');
      memory.folder(`${project}/made/in`);
      for (const path of ['private/key', 'old/er/x']) memory.remove(`${project}/${path}`);
      for (const path of ['private', 'gone/in', 'gone', 'old/er']) memory.removeDirectory(`${project}/${path}`);
      memory.setMode(`${project}/old`, 0o711);
    });
    const after = world.tree();
    assert.deepEqual(gaps(agent, 't-1'), []);
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), before);
    assert.equal((await agent.rewind('t-1')).kind, 'already');
    await agent.undo();
    assert.deepEqual(world.tree(), after);
    await agent.redo();
    assert.deepEqual(world.tree(), before);
    await agent.undo();
    await agent.rollback('t-1');
    assert.deepEqual(world.tree(), before);
  });

  it('come to nothing where a command\'s later work takes back what it did to folders', async () => {
    const { world, agent } = await prompted();
    world.memory.folder(`${project}/there`);
    const end = await agent.beginShell('t-1', memory => {
      memory.folder(`${project}/passing`);
      memory.removeDirectory(`${project}/there`);
    });
    await agent.recorder.addCheckpoint('k-1', undefined);
    world.memory.removeDirectory(`${project}/passing`);
    world.memory.folder(`${project}/there`);
    await end();
    assert.deepEqual(folderWork(agent, 't-1'), { made: [], removed: [] });
  });

  it('leave folders to the user, to declared edits and to restores that made or changed them', async () => {
    const { world, agent } = await prompted({ ...start, 'd/x': '0' });
    await agent.shell('t-1', {});
    world.memory.folder(`${project}/mine`);
    world.memory.setMode(`${project}/d`, 0o700);
    await agent.openTurn('t-2', 's-b');
    await agent.call('t-2', { 'restored/x': '1' }, 's-b');
    const end = await agent.beginShell('t-1', {});
    await agent.call('t-1', { 'edited/x': '1' });
    await agent.rewind('t-2');
    await end();
    assert.deepEqual([folderWork(agent, 't-1'), gaps(agent, 't-1')], [{ made: [], removed: [] }, []]);
  });

  it('say of folders, too, that nobody knows whose work they are', async () => {
    const { world, agent } = await prompted({ ...start, 'd/x': '0' });
    await agent.openTurn('t-2', 's-b');
    const end = await agent.beginShell('t-1', {});
    const endOther = await agent.beginShell('t-2', memory => {
      memory.folder(`${project}/empty`);
      memory.put(`${project}/new/x`, '1');
      memory.setMode(`${project}/d`, 0o777);
    }, 's-b');
    await endOther();
    await end();
    const doubt = 'changed while several calls were open, and which of them did it is not known';
    for (const turn of ['t-1', 't-2']) assert.deepEqual(gaps(agent, turn), [`new/x: ${doubt}`, `d: ${doubt}`, `empty: ${doubt}`]);
    const before = world.tree();
    await agent.rewind('t-2');
    assert.deepEqual(world.tree(), before);
  });

  it('say that the root has other permissions, which nobody brings back', async () => {
    const { agent } = await prompted();
    await agent.shell('t-1', memory => memory.setMode(project, 0o700));
    assert.deepEqual(gaps(agent, 't-1'), ['Bash: not tracked, the permissions of the folder itself became 0700, were 0755, and stay']);
  });

  it('say so where a call has nothing to compare with', async () => {
    const { world, agent } = await prompted();
    const end = await agent.beginShell('t-1', work);
    world.memory.remove('/store/roots/' + world.memory.readDirectory('/store/roots')[0] + '/tree/open.json');
    await end();
    assert.deepEqual(gaps(agent, 't-1'), ['Bash: what it changed is not tracked']);
  });

  for (const kind of ['crash', 'error'] as const) {
    it(`lose and invent nothing where ${kind === 'crash' ? 'a process dies' : 'the disk refuses'} at any operation`, async () => {
      const ground = (await prompted()).world;
      let tried = 0;
      for (let index = 0; ; index += 1) {
        const world = ground.copy();
        const fault: Fault = kind === 'crash' ? { kind: 'crash', written: 0 } : { kind: 'error', code: 'EIO' };
        const files = faultyFiles(world.memory, at(index, fault));
        try {
          await world.open(files).shell('t-1', work);
        } catch (error) {
          if (!files.crashed && !(error instanceof Error)) throw error;
        }
        // A hook's process is gone either way.
        world.reboot();
        const hasRun = world.memory.text('/project/a.txt') === '1';
        if (files.operations.length <= index) break;
        tried += 1;
        const next = world.open();
        await next.openTurn('t-2');
        check(next, hasRun, `${kind} at ${index}`);
        const before = world.tree();
        await next.shell('t-2', { 'b.txt': '2' });
        assert.deepEqual(owners(next)['b.txt'], ['t-2'], `${kind} at ${index}`);
        await next.rewind('t-2');
        assert.deepEqual(world.tree(), before, `${kind} at ${index}`);
      }
      assert.ok(tried > 20, `${tried} operations`);
    });
  }
});

/** What all calls of a turn did to folders. */
function folderWork(agent: Actor, turn: string): FolderWork {
  agent.store.refresh();
  const works = [...agent.store.timeline.calls.values()].filter(call => call.turn === turn).map(({ folders }) => folders);
  return { made: works.flatMap(({ made }) => made), removed: works.flatMap(({ removed }) => removed) };
}

/** Of each path that the command changed, that is on record as its own, with what was there before in the store; or its turn says that it is not. */
function check(agent: Actor, hasRun: boolean, where: string): void {
  const found = owners(agent);
  if (!hasRun) return assert.deepEqual(found, {}, where);
  const [told, isCalled] = [gaps(agent, 't-1').join(), [...agent.store.timeline.calls.values()].some(({ turn }) => turn === 't-1')];
  for (const [path, before] of [['a.txt', '0'], ['gone.txt', '0'], ['new/c.txt', undefined]] as const) {
    const [change] = agent.store.timeline.changes.get(path) ?? [];
    if (change === undefined) {
      // A call that could not be recorded at all is told by its agent's hooks.
      assert.ok(!isCalled || told.includes(path) || told.includes(`Bash ${path.split('/')[0]}: not tracked`) || /Bash: (not tracked|what it changed is not tracked)/.test(told), `${where}: ${path} is not on record, and nothing says so (${told})`);
      continue;
    }
    assert.deepEqual(found[path], ['t-1'], `${where}: ${path}`);
    const state = change.before;
    assert.equal(state.kind === 'content' ? Buffer.from(agent.store.blobs.read(state.hash)).toString() : undefined, before, `${where}: ${path}`);
  }
}
