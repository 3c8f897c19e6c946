import assert from 'node:assert/strict';
import { World, project } from '../../../twins/world.ts';

describe('foreign work in a path', () => {
  it('is guarded again after an undo brought it back', async () => {
    const world = await World.make({ 'a.txt': 'v0\n' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': 'v1\n' }]);
    world.write({ 'a.txt': 'v1\nmine\n' });
    await agent.rewind('t-1', 'overwrite');
    await agent.undo();
    const again = await agent.rewind('t-1');
    assert.deepEqual([again.kind, world.memory.text(`${project}/a.txt`)], ['blocked', 'v1\nmine\n']);
  });

  it('is what a late call of an earlier turn did', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    const late = { session: 's-a', turn: 't-1', call: 'c-late', paths: [`${project}/a.txt`] };
    await agent.recorder.begin({ ...late, tool: 'Write' });
    await agent.openTurn('t-2');
    await agent.call('t-2', { 'a.txt': '2' });
    world.write({ 'a.txt': '3' });
    await agent.recorder.end({ ...late, outcome: 'done' });
    const result = await agent.rewind('t-2');
    assert.deepEqual([result.kind, world.memory.text(`${project}/a.txt`)], ['blocked', '3']);
  });

  it('is merged around when an undo brought it back', async () => {
    const world = await World.make({ 'a.txt': '1\n2\n3\n' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': 'agent\n2\n3\n' }]);
    world.write({ 'a.txt': 'agent\n2\n3\nmine\n' });
    await agent.rewind('t-1', 'overwrite');
    await agent.undo();
    await agent.rewind('t-1', 'merge');
    assert.equal(world.memory.text(`${project}/a.txt`), '1\n2\n3\nmine\n');
  });

  it('is not what the session itself has done before the point', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    await agent.rollback('t-1');
    await agent.openTurn('t-2');
    await agent.undo();
    const result = await agent.rewind('t-2');
    assert.deepEqual([result.kind, world.memory.text(`${project}/a.txt`)], ['applied', '0']);
  });
});
