import assert from 'node:assert/strict';
import { selectFor, type RestoreRequest } from '../../../../src/core/rewind/request.ts';
import type { RestoreResult } from '../../../../src/core/rewind/restore.ts';
import { branchesOf, findBranch, firstBranch, type Branch } from '../../../../src/core/timeline/branches.ts';
import { World, type Actor } from '../../../twins/world.ts';

function go(agent: Actor, request: RestoreRequest): Promise<RestoreResult> {
  return agent.restore(selectFor(request));
}

function switchTo(agent: Actor, branch: Branch | undefined): Promise<RestoreResult> {
  return go(agent, { kind: 'switch', target: branch?.id ?? 'none', scope: 'code' });
}

function branches(agent: Actor): readonly Branch[] {
  agent.store.refresh();
  return branchesOf(agent.store.timeline);
}

/** `* turns` for the one that is checked out, `from: turns` for the others. */
function told(agent: Actor): readonly string[] {
  return branches(agent).map(({ current, from, turns }) => `${current ? '*' : `${from ?? 'the beginning'}:`} ${turns.join(' ')}`.trim());
}

async function threeTurns(): Promise<{ readonly world: World; readonly agent: Actor }> {
  const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
  const agent = world.open();
  await agent.turn('t-1', [{ 'a.txt': '1' }]);
  await agent.turn('t-2', [{ 'b.txt': '2' }]);
  await agent.turn('t-3', [{ 'a.txt': '3' }]);
  return { world, agent };
}

describe('branches', () => {
  it('are one, with all turns, where nothing was left', async () => {
    const { agent } = await threeTurns();
    assert.deepEqual(branches(agent), [{ id: firstBranch, current: true, from: undefined, turns: ['t-1', 't-2', 't-3'], reach: { session: undefined }, end: agent.store.timeline.seq + 1 }]);
  });

  it('keep their ids over rewind, work, switch and switch back', async () => {
    const { world, agent } = await threeTurns();
    const whole = world.tree();
    await agent.rewind('t-2');
    await agent.turn('t-4', [{ 'a.txt': '4', 'new.txt': '4' }]);
    const other = world.tree();
    const [mine, first] = branches(agent);
    assert.deepEqual([first?.id, told(agent)], [firstBranch, ['* t-4', 't-1: t-2 t-3']]);
    await switchTo(agent, first);
    assert.deepEqual(world.tree(), whole);
    assert.deepEqual([branches(agent).map(({ id }) => id), told(agent)], [[firstBranch, mine?.id], ['* t-1 t-2 t-3', 't-1: t-4']]);
    await switchTo(agent, mine);
    assert.deepEqual(world.tree(), other);
    assert.deepEqual([branches(agent).map(({ id }) => id), told(agent)], [[mine?.id, firstBranch], ['* t-4', 't-1: t-2 t-3']]);
  });

  it('goes on where it is checked out again', async () => {
    const { agent } = await threeTurns();
    await agent.rewind('t-2');
    await agent.turn('t-4', [{ 'a.txt': '4' }]);
    await switchTo(agent, findBranch(agent.store.timeline, firstBranch));
    await agent.turn('t-5', [{ 'b.txt': '5' }]);
    assert.deepEqual(told(agent), ['* t-1 t-2 t-3 t-5', 't-1: t-4']);
    await switchTo(agent, branches(agent)[1]);
    assert.deepEqual(told(agent), ['* t-4', 't-1: t-2 t-3 t-5']);
  });

  it('of nested rewinds are one, because the shorter stretch is a part of the longer', async () => {
    const { agent } = await threeTurns();
    await agent.rewind('t-3');
    await agent.rewind('t-2');
    assert.deepEqual(told(agent), ['*', 't-1: t-2 t-3']);
    await agent.rewind('t-1');
    assert.deepEqual(told(agent), ['*', 'the beginning: t-1 t-2 t-3']);
  });

  it('of a branch are told from what is checked out', async () => {
    const { world, agent } = await threeTurns();
    await agent.rewind('t-3');
    await agent.turn('t-4', [{ 'a.txt': '4' }]);
    await agent.turn('t-5', [{ 'b.txt': '5' }]);
    await agent.rewind('t-5');
    await agent.turn('t-6', [{ 'c.txt': '6' }]);
    assert.deepEqual(told(agent), ['* t-6', 't-4: t-5', 't-2: t-3']);
    const here = world.tree();
    const [mine, , first] = branches(agent);
    await switchTo(agent, first);
    assert.deepEqual(told(agent), ['* t-1 t-2 t-3', 't-2: t-4 t-6', 't-2: t-4 t-5']);
    await switchTo(agent, mine);
    assert.deepEqual([told(agent), world.tree()], [['* t-6', 't-2: t-3', 't-4: t-5'], here]);
  });

  it('come back with the undo of a switch', async () => {
    const { world, agent } = await threeTurns();
    await agent.rewind('t-2');
    await agent.turn('t-4', [{ 'a.txt': '4' }]);
    const [before, list, tree] = [branches(agent).map(({ id }) => id), told(agent), world.tree()];
    await switchTo(agent, branches(agent)[1]);
    await agent.undo();
    assert.deepEqual([branches(agent).map(({ id }) => id), told(agent), world.tree()], [before, list, tree]);
    await agent.redo();
    assert.deepEqual([branches(agent)[0]?.id, told(agent)], [firstBranch, ['* t-1 t-2 t-3', 't-1: t-4']]);
  });

  it('of two forks from one point leave each other alone', async () => {
    const { world, agent } = await threeTurns();
    await go(agent, { kind: 'fork', target: 't-2', scope: 'code' });
    await agent.turn('t-4', [{ 'b.txt': 'one' }]);
    const one = world.tree();
    await go(agent, { kind: 'fork', target: 't-4', scope: 'code' });
    await agent.turn('t-5', [{ 'b.txt': 'two' }]);
    const two = world.tree();
    const [second, first] = branches(agent);
    assert.deepEqual(told(agent), ['* t-5', 't-1: t-4', 't-1: t-2 t-3']);
    await switchTo(agent, first);
    assert.deepEqual([world.tree(), told(agent)], [one, ['* t-4', 't-1: t-5', 't-1: t-2 t-3']]);
    await switchTo(agent, second);
    assert.deepEqual(world.tree(), two);
  });

  it('is not gone to where it is checked out already, and what the user changed since is nobody\'s business', async () => {
    const { world, agent } = await threeTurns();
    world.write({ 'a.txt': 'mine' });
    const [here] = branches(agent);
    const { seq } = agent.store.timeline;
    assert.equal((await switchTo(agent, here)).kind, 'already');
    assert.deepEqual([world.memory.text('/project/a.txt'), branches(agent).length, agent.store.timeline.seq], ['mine', 1, seq]);
  });

  it('is not gone to again past a turn that was begun on it', async () => {
    const { world, agent } = await threeTurns();
    await agent.rewind('t-3');
    world.write({ 'a.txt': 'mine' });
    const [, first] = branches(agent);
    await agent.restore(selectFor({ kind: 'switch', target: first?.id ?? 'none', scope: 'code' }), 'skip');
    await agent.openTurn('t-4');
    // What the way here has left would be tried again, if nothing had come after it.
    await agent.restore(selectFor({ kind: 'switch', target: first?.id ?? 'none', scope: 'code' }), 'overwrite');
    assert.deepEqual([told(agent), world.memory.text('/project/a.txt')], [['* t-1 t-2 t-3 t-4'], 'mine']);
  });

  it('that was left with an open call has what that call had done', async () => {
    const { world, agent } = await threeTurns();
    await agent.openTurn('t-4');
    await agent.begin('t-4', { 'a.txt': 'half' });
    await agent.rewind('t-2');
    assert.deepEqual([world.memory.text('/project/a.txt'), told(agent)], ['1', ['*', 't-1: t-2 t-3 t-4']]);
    await switchTo(agent, branches(agent)[1]);
    assert.equal(world.memory.text('/project/a.txt'), 'half');
  });

  it('have no turn for their own that is checked out too', async () => {
    const { agent } = await threeTurns();
    await agent.rewind('t-2');
    await agent.turn('t-4', [{ 'c.txt': '4' }]);
    await agent.undo();
    // What was checked out meanwhile can be gone to, though all its turns are in force now.
    assert.deepEqual(told(agent), ['* t-1 t-2 t-3 t-4', 't-1:']);
  });

  it('list turns in the order in which they were begun, also where an older one went on', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-b', 's-b');
    await agent.openTurn('t-a');
    await agent.call('t-a', { 'a.txt': '1' });
    await agent.call('t-b', { 'b.txt': '1' }, 's-b');
    agent.store.refresh();
    const [call = 'none'] = agent.store.timeline.turns.get('t-a')?.calls ?? [];
    await go(agent, { kind: 'rewind', target: call, scope: 'code', reach: 'workspace' });
    assert.deepEqual(branches(agent)[1]?.turns, ['t-b', 't-a']);
  });

  it('that went on are not taken for what they were before, by an undo', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    const forked = await go(agent, { kind: 'fork', target: 't-1', scope: 'code' });
    await agent.turn('t-2', [{ 'b.txt': '2' }], 's-b');
    await switchTo(agent, branches(agent)[1]);
    // The whole workspace goes back to where the fork was in force; its undo does not bring t-2 back.
    await go(agent, { kind: 'rewind', target: 't-2', scope: 'code', reach: 'workspace' });
    await go(agent, { kind: 'undo', operation: forked.kind === 'applied' ? forked.operation : 'none' });
    assert.equal(world.memory.text('/project/a.txt'), '1');
    assert.deepEqual(told(agent), ['*', 't-1: t-2']);
    await switchTo(agent, branches(agent)[1]);
    assert.deepEqual([world.memory.text('/project/b.txt'), told(agent)[0]], ['2', '* t-1 t-2']);
  });

  describe('of several sessions', () => {
    /** Two sessions, each with two turns on a file of its own. */
    async function twoSessions(): Promise<{ readonly world: World; readonly agent: Actor; readonly whole: ReturnType<World['tree']> }> {
      const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
      const agent = world.open();
      for (const text of ['1', '2']) {
        await agent.turn(`t-a${text}`, [{ 'a.txt': text }]);
        await agent.turn(`t-b${text}`, [{ 'b.txt': text }], 's-b');
      }
      return { world, agent, whole: world.tree() };
    }

    it('are gone back to whole, wherever each session has gone since', async () => {
      const { world, agent, whole } = await twoSessions();
      const [noted] = branches(agent);
      await agent.rewind('t-a2');
      await agent.turn('t-a3', [{ 'a.txt': '3', 'c.txt': '3' }]);
      await agent.rewind('t-b1');
      await agent.turn('t-b3', [{ 'b.txt': '3' }], 's-b');
      const tried = world.tree();
      const [other] = branches(agent);
      assert.deepEqual(told(agent), ['* t-b3', 't-a1: t-b1 t-b2', 't-a1: t-b1 t-a2 t-b2']);
      await switchTo(agent, noted);
      assert.deepEqual([world.tree(), told(agent)[0]], [whole, '* t-a1 t-b1 t-a2 t-b2']);
      await switchTo(agent, other);
      assert.deepEqual(world.tree(), tried);
    });

    it('leave alone who only went on since', async () => {
      const { world, agent } = await twoSessions();
      const [noted] = branches(agent);
      await agent.rewind('t-a2');
      await agent.turn('t-b3', [{ 'b.txt': '3' }], 's-b');
      await switchTo(agent, noted);
      assert.deepEqual([world.memory.text('/project/a.txt'), world.memory.text('/project/b.txt')], ['2', '3']);
      assert.deepEqual(told(agent), ['* t-a1 t-b1 t-a2 t-b2 t-b3']);
    });

    it('are not taken for checked out while another session is elsewhere', async () => {
      const { world, agent, whole } = await twoSessions();
      const [noted] = branches(agent);
      const forth = await agent.rewind('t-a2');
      await agent.rewind('t-b2');
      await go(agent, { kind: 'undo', operation: forth.kind === 'applied' ? forth.operation : 'none' });
      await switchTo(agent, noted);
      assert.deepEqual([world.tree(), told(agent)[0]], [whole, '* t-a1 t-b1 t-a2 t-b2']);
    });
  });
});
