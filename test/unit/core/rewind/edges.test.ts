import assert from 'node:assert/strict';
import { selectFor } from '../../../../src/core/rewind/request.ts';
import { FakeWorkspace } from '../../../twins/fakeWorkspace.ts';
import { faultyFiles } from '../../../twins/faultyFiles.ts';
import { World, actionsOf, project } from '../../../twins/world.ts';

describe('a restore among others', () => {
  it('C4: an edit during it stays, and goes when tried again', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${String(index).padStart(2, '0')}.txt`);
    const world = await World.make(Object.fromEntries(names.map(name => [name, 'v0'])));
    await world.open().turn('t-1', [Object.fromEntries(names.map(name => [name, 'v1']))]);
    const workspace = new FakeWorkspace(world.memory);
    const agent = world.open();
    let yields = 0;
    const edits: Promise<void>[] = [];
    workspace.onYield = () => {
      yields += 1;
      if (yields === 10) edits.push(agent.call('t-1', { '40.txt': 'late' }));
    };
    const slow = { ...workspace, unsaved: () => workspace.unsaved(), unsavedBytes: async () => undefined, replaceUnsaved: async () => false, yield: async () => {
      await workspace.yield();
      await Promise.all(edits);
    } };
    const result = await world.open(faultyFiles(world.memory), slow).rewind('t-1');
    assert.deepEqual(Object.entries(actionsOf(result)).filter(([, action]) => action !== 'restore'), [['40.txt', 'restore skipped']]);
    assert.equal(world.memory.text(`${project}/40.txt`), 'late');
    await agent.rewind('t-1');
    assert.deepEqual(new Set(Object.values(world.tree())), new Set(['644 v0']));
  });

  it('never removes or replaces a folder that is where a file was, whatever it is told', async () => {
    const world = await World.make({ 'a.txt': 'v0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': 'v1' }]);
    world.write({ 'a.txt': null, 'a.txt/mine.txt': 'mine' });
    for (const decision of ['stop', 'merge', 'overwrite'] as const) assert.equal((await agent.rewind('t-1', decision)).kind, 'blocked', decision);
    assert.deepEqual(Object.keys(world.tree()), ['a.txt/', 'a.txt/mine.txt']);
  });

  it('leaves a file alone whose folder became a file', async () => {
    const world = await World.make();
    const agent = world.open();
    await agent.turn('t-1', [{ 'd/a.txt': 'v1' }]);
    world.write({ 'd/a.txt': null });
    world.memory.removeDirectory(`${project}/d`);
    world.write({ d: 'mine' });
    assert.deepEqual(actionsOf(await agent.rewind('t-1')), { 'd/a.txt': 'unavailable' });
    assert.deepEqual(world.tree(), { d: '644 mine' });
  });

  it('keeps folders that somebody uses, and brings back those that it removed with their permissions', async () => {
    const world = await World.make();
    const agent = world.open();
    await agent.turn('t-1', [{ 'x/y/made.txt': '1' }]);
    world.memory.setMode(`${project}/x/y`, 0o700);
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), {});
    await agent.undo();
    assert.deepEqual(world.tree(), { 'x/': '755', 'x/y/': '700', 'x/y/made.txt': '644 1' });
    world.memory.folder(`${project}/x/mine`);
    await agent.redo();
    assert.deepEqual(world.tree(), { 'x/': '755', 'x/mine/': '755' });
  });

  it('removes a folder of a call that was given up and whose file another session worked on', async () => {
    const world = await World.make();
    const agent = world.open();
    await agent.openTurn('t-a');
    await agent.begin('t-a', { 'new/a.txt': '1' });
    await agent.turn('t-b', [{ 'new/a.txt': '2' }], 's-b');
    // It is closed here as interrupted: by now the file holds another session's work.
    await agent.openTurn('t-a2');
    await agent.restore(selectFor({ kind: 'rewind', target: 't-a', scope: 'code', reach: 'workspace' }));
    assert.deepEqual(world.tree(), {});
  });

  it('does not bring back a folder that a call made, because that call is heard of again after it', async () => {
    const world = await World.make();
    const agent = world.open();
    await agent.openTurn('t-1');
    const end = await agent.begin('t-1', { 'new/a.txt': '1' });
    await agent.rewind('t-1');
    await end();
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), {});
  });

  it('of a turn in the middle is merged around later ones only where they don\'t overlap', async () => {
    const world = await World.make({ 'a.txt': '1\n2\n3\n4\n5\n' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': 'one\n2\n3\n4\n5\n' }]);
    await agent.turn('t-2', [{ 'a.txt': 'one\n2\n3\n4\nfive\n' }]);
    await agent.turn('t-3', [{ 'a.txt': 'one\n2\nthree\n4\nfive\n' }]);
    assert.equal((await agent.rollback('t-1')).kind, 'blocked');
    await agent.rollback('t-1', 'merge');
    assert.equal(world.memory.text(`${project}/a.txt`), '1\n2\nthree\n4\nfive\n');
    await agent.undo();
    assert.equal(world.memory.text(`${project}/a.txt`), 'one\n2\nthree\n4\nfive\n');
    await agent.turn('t-4', [{ 'a.txt': 'ONE\n2\nthree\n4\nfive\n' }]);
    assert.equal((await agent.rollback('t-1', 'merge')).kind, 'blocked');
  });
});
