import assert from 'node:assert/strict';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import type { OnConflict } from '../../../../src/core/rewind/plan.ts';
import { selectFor, type RestoreRequest } from '../../../../src/core/rewind/request.ts';
import type { RestoreResult } from '../../../../src/core/rewind/restore.ts';
import { sameContent } from '../../../../src/core/snapshot/state.ts';
import { branchesOf } from '../../../../src/core/timeline/branches.ts';
import { headsOf } from '../../../../src/core/timeline/activePath.ts';
import { viewTurns } from '../../../../src/core/timeline/view.ts';
import { World, actionsOf, project, type Actor } from '../../../twins/world.ts';

function go(agent: Actor, request: RestoreRequest, onConflict: OnConflict = 'stop'): Promise<RestoreResult> {
  return agent.restore(selectFor(request), onConflict);
}

const toWorkspace = { kind: 'rewind', scope: 'code', reach: 'workspace' } as const;

/** The turns whose code is in force. */
function active(agent: Actor): readonly string[] {
  agent.store.refresh();
  return viewTurns(agent.store.timeline, false).map(({ turn }) => turn.id).toReversed();
}

function heads(agent: Actor, session = 's-a'): readonly (string | undefined)[] {
  agent.store.refresh();
  const { code, conversation } = headsOf(agent.store.timeline, session);
  return [code, conversation];
}

function callOf(agent: Actor, turn: string): string {
  agent.store.refresh();
  return agent.store.timeline.turns.get(turn)?.calls[0] ?? 'none';
}

function operationOf(result: RestoreResult): string {
  if (result.kind !== 'applied') throw new Error(result.kind);
  return result.operation;
}

/** Two sessions and the user have worked, each on a file of their own and all on one. */
async function shared(): Promise<{ readonly world: World; readonly agent: Actor }> {
  const world = await World.make({ 'a.txt': '0', 'b.txt': '0', 'user.txt': '0' });
  const agent = world.open();
  await agent.turn('t-a', [{ 'a.txt': 'a' }, { 'user.txt': 'a' }]);
  await agent.turn('t-b', [{ 'b.txt': 'b' }], 's-b');
  world.write({ 'user.txt': 'mine' });
  return { world, agent };
}

describe('the whole workspace', () => {
  it('goes back over all sessions, and stops at what the user changed himself', async () => {
    const { world, agent } = await shared();
    const before = world.tree();
    const blocked = await go(agent, { ...toWorkspace, target: 't-a' });
    assert.deepEqual([blocked.kind, actionsOf(blocked)], ['blocked', { 'a.txt': 'restore', 'b.txt': 'restore', 'user.txt': 'conflict' }]);
    assert.deepEqual([world.tree(), active(agent)], [before, ['t-a', 't-b']]);
    assert.deepEqual(actionsOf(await go(agent, { ...toWorkspace, target: 't-a' }, 'skip')), { 'a.txt': 'restore', 'b.txt': 'restore', 'user.txt': 'conflict' });
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 0', 'b.txt': '644 0', 'user.txt': '644 mine' }, []]);
  });

  it('takes the user\'s changes along when that is decided, and brings them back with the undo', async () => {
    const { world, agent } = await shared();
    const before = world.tree();
    await go(agent, { ...toWorkspace, target: 't-a' }, 'overwrite');
    assert.deepEqual(new Set(Object.values(world.tree())), new Set(['644 0']));
    await agent.undo();
    assert.deepEqual([world.tree(), active(agent)], [before, ['t-a', 't-b']]);
  });

  it('goes back over what the user changed after the point and before the first call there, if that is decided', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    await agent.openTurn('t-2');
    world.write({ 'a.txt': 'mine' });
    await agent.call('t-2', { 'a.txt': 'mine and 2' });
    assert.deepEqual(actionsOf(await go(agent, { ...toWorkspace, target: 't-2' })), { 'a.txt': 'conflict' });
    assert.equal(world.memory.text('/project/a.txt'), 'mine and 2');
    // What the call itself found was there before it.
    assert.deepEqual(actionsOf(await agent.restore(selectFor({ ...toWorkspace, target: callOf(agent, 't-2') }), 'stop', true)), { 'a.txt': 'restore' });
    await go(agent, { ...toWorkspace, target: 't-2' }, 'overwrite');
    assert.equal(world.memory.text('/project/a.txt'), '1');
    await agent.undo();
    assert.equal(world.memory.text('/project/a.txt'), 'mine and 2');
  });

  it('leaves a file that the user made as he made it, where an agent went on with it', async () => {
    const world = await World.make({ 'new.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'new.txt': null }]);
    await agent.openTurn('t-2');
    world.write({ 'new.txt': 'mine' });
    await agent.call('t-2', { 'new.txt': '2' });
    await go(agent, { ...toWorkspace, target: 't-2' }, 'overwrite');
    assert.equal(world.memory.text('/project/new.txt'), 'mine');
  });

  it('names a file that the user made, and leaves it whatever is decided', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'new.txt': 'made' }]);
    await agent.turn('t-2', [{ 'new.txt': null }]);
    await agent.recorder.addCheckpoint('k-1', 'before mine');
    world.write({ 'new.txt': 'mine' });
    const result = await go(agent, { ...toWorkspace, target: 'k-1' }, 'overwrite');
    assert.equal(result.plan.items.find(({ path }) => path === 'new.txt')?.reason, 'it is your own file, and stays');
    assert.equal(world.memory.text(`${project}/new.txt`), 'mine');
  });

  it('takes only what is of the session, where that is asked for', async () => {
    const { world, agent } = await shared();
    assert.deepEqual(actionsOf(await go(agent, { kind: 'rewind', target: 't-b', scope: 'code' })), { 'b.txt': 'restore' });
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 a', 'b.txt': '644 0', 'user.txt': '644 mine' }, ['t-a']]);
  });

  it('keeps a call that had begun by then, with all that it did after', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    const end = await agent.begin('t-1', { 'a.txt': '1' });
    await agent.recorder.addCheckpoint('k-1', undefined);
    await end();
    await agent.call('t-1', { 'b.txt': '1' });
    assert.deepEqual(actionsOf(await go(agent, { ...toWorkspace, target: 'k-1' })), { 'b.txt': 'restore' });
    assert.deepEqual(world.tree(), { 'a.txt': '644 1', 'b.txt': '644 0' });
  });
});

describe('a call that had begun before a point, and was given up after it', () => {
  it('is in force again with its file, wherever one goes back to', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.begin('t-1', { 'a.txt': '1' });
    await agent.openTurn('t-c', 's-c');
    await agent.rewind(callOf(agent, 't-1'));
    // Where the other session began, the call was still at work.
    const forked = await go(agent, { kind: 'fork', target: 't-c', scope: 'code', reach: 'workspace' });
    assert.equal(world.memory.text(`${project}/a.txt`), '1');
    await agent.openTurn('t-2');
    await go(agent, { kind: 'undo', operation: operationOf(forked) });
    assert.equal(world.memory.text(`${project}/a.txt`), '0');
    await agent.rewind('t-2');
    assert.equal(world.memory.text(`${project}/a.txt`), '1');
  });
});

describe('what a restore finds done by somebody else', () => {
  it('is on record before it counts as done, so that what becomes of the file later is told from it', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }, { 'b.txt': '1' }]);
    world.write({ 'a.txt': '0' });
    assert.deepEqual(actionsOf(await agent.rewind('t-1')), { 'a.txt': 'unchanged', 'b.txt': 'restore' });
    world.write({ 'a.txt': '1' });
    await agent.openTurn('t-2');
    agent.store.refresh();
    const who = agent.store.timeline.changes.get('a.txt')?.map(({ by, before, after }) => [by.kind, sameContent(before, after)]);
    assert.deepEqual(who, [['call', false], ['drift', false], ['drift', false]]);
  });
});

describe('points', () => {
  it('a step and a checkpoint are gone back to as they were, not to before them', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.call('t-1', { 'a.txt': '1' });
    await agent.recorder.addStep({ session: 's-a', turn: 't-1', step: 'p-1', label: 'tests green' });
    await agent.call('t-1', { 'a.txt': '2' });
    await agent.recorder.addCheckpoint('k-1', undefined);
    await agent.call('t-1', { 'a.txt': '3' });
    await go(agent, { kind: 'rewind', target: 'k-1', scope: 'code' });
    assert.equal(world.memory.text(`${project}/a.txt`), '2');
    await go(agent, { kind: 'rewind', target: 'p-1', scope: 'code' });
    assert.deepEqual([world.memory.text(`${project}/a.txt`), active(agent)], ['1', ['t-1']]);
    assert.equal((await go(agent, { kind: 'rewind', target: 'p-1', scope: 'code' })).kind, 'already');
  });

  it('a checkpoint holds what the user had made of recorded files by then', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    world.write({ 'a.txt': 'mine' });
    await agent.recorder.addCheckpoint('k-1', undefined);
    await agent.turn('t-2', [{ 'a.txt': '2' }]);
    await go(agent, { kind: 'rewind', target: 'k-1', scope: 'code' });
    assert.equal(world.memory.text(`${project}/a.txt`), 'mine');
  });

  it('a checkpoint belongs to no session', async () => {
    const agent = (await World.make()).open();
    await agent.recorder.addCheckpoint('k-1', undefined);
    await assert.rejects(go(agent, { kind: 'rewind', target: 'k-1', scope: 'code', reach: 'session' }), error => TurnstoneError.is(error, 'usage'));
  });

  it('what several open calls of a turn have done so far goes, each with the file that it was to leave', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.recorder.begin({ session: 's-a', turn: 't-1', call: 'c-1', tool: 'Write', paths: [`${project}/a.txt`], expected: () => Buffer.from('one') });
    await agent.begin('t-1', { 'a.txt': 'two' });
    assert.equal((await agent.rewind('t-1')).kind, 'applied');
    assert.equal(world.memory.text(`${project}/a.txt`), '0');
  });
});

describe('scopes', () => {
  async function three(): Promise<{ readonly world: World; readonly agent: Actor }> {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    for (const turn of ['t-1', 't-2', 't-3']) await agent.turn(turn, [{ 'a.txt': turn }]);
    return { world, agent };
  }

  it('the conversation goes back without any file, and has its own undo', async () => {
    const { world, agent } = await three();
    const stamp = world.memory.stat(`${project}/a.txt`)?.stamp;
    assert.deepEqual(actionsOf(await go(agent, { kind: 'rewind', target: 't-2', scope: 'conversation' })), {});
    assert.deepEqual([heads(agent), active(agent)], [['t-3', 't-1'], ['t-1', 't-2', 't-3']]);
    await agent.undo();
    assert.deepEqual(heads(agent), ['t-3', 't-3']);
    await agent.redo();
    assert.deepEqual(heads(agent), ['t-3', 't-1']);
    assert.equal((await go(agent, { kind: 'rewind', target: 't-2', scope: 'conversation' })).kind, 'already');
    assert.equal(world.memory.stat(`${project}/a.txt`)?.stamp, stamp);
  });

  it('the code goes back without the conversation, which tells the next turn on what it stands', async () => {
    const { agent } = await three();
    await agent.rewind('t-2');
    assert.deepEqual([heads(agent), active(agent)], [['t-1', 't-3'], ['t-1']]);
  });

  it('both go back together, and only that is undone which is still in force', async () => {
    const { world, agent } = await three();
    const both = operationOf(await go(agent, { kind: 'rewind', target: 't-3', scope: 'both' }));
    assert.deepEqual(heads(agent), ['t-2', 't-2']);
    await agent.rewind('t-1');
    assert.deepEqual(heads(agent), [undefined, 't-2']);
    // The code has gone back past it; the conversation has not.
    const undone = await go(agent, { kind: 'undo', operation: both });
    assert.deepEqual([actionsOf(undone), undone.plan.selection.scope], [{}, 'conversation']);
    assert.deepEqual([heads(agent), world.memory.text(`${project}/a.txt`)], [[undefined, 't-3'], '0']);
  });
});

describe('a turn that was abandoned', () => {
  it('is gone to, with what came before it on its branch', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    for (const turn of ['t-1', 't-2', 't-3']) await agent.turn(turn, [{ 'a.txt': turn }]);
    await agent.rewind('t-1');
    await agent.turn('t-4', [{ 'b.txt': 't-4' }]);
    await agent.rewind('t-3');
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 t-2', 'b.txt': '644 0' }, ['t-1', 't-2']]);
    await agent.undo();
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 0', 'b.txt': '644 t-4' }, ['t-4']]);
  });

  it('by a rewind of the whole workspace is gone to for its own session alone', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-a1', [{ 'a.txt': '1' }]);
    await agent.turn('t-b1', [{ 'b.txt': '1' }], 's-b');
    await agent.turn('t-a2', [{ 'a.txt': '2' }]);
    await go(agent, { ...toWorkspace, target: 't-a1' });
    assert.deepEqual(actionsOf(await agent.rewind('t-a2')), { 'a.txt': 'restore' });
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 1', 'b.txt': '644 0' }, ['t-a1']]);
  });

  it('shares a file with another session\'s abandoned work: then the two are not taken apart unasked', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-a1', [{ 'a.txt': '1' }]);
    await agent.turn('t-b1', [{ 'a.txt': '2' }], 's-b');
    await agent.turn('t-a2', [{ 'c.txt': '1' }]);
    await go(agent, { ...toWorkspace, target: 't-a1' });
    const result = await agent.rewind('t-a2');
    assert.deepEqual([result.kind, actionsOf(result), world.tree()], ['blocked', { 'a.txt': 'conflict', 'c.txt': 'unchanged' }, { 'a.txt': '644 0' }]);
  });
});

describe('work that another session has deleted before it was taken back', () => {
  /** One session makes a file, another one deletes it, and the first one goes back to before it made it. */
  async function deleted(): Promise<{ readonly world: World; readonly agent: Actor; readonly back: string }> {
    const world = await World.make({ 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-a', [{ 'a.txt': 'made', 'b.txt': '1' }]);
    await agent.turn('t-b', [{ 'a.txt': null }], 's-b');
    const back = operationOf(await agent.rewind('t-a'));
    return { world, agent, back };
  }

  it('does not come back with the undone deletion', async () => {
    const { world, agent } = await deleted();
    await agent.rewind('t-b');
    assert.deepEqual([world.tree(), active(agent)], [{ 'b.txt': '644 0' }, []]);
  });

  it('comes back with it where it is in force again', async () => {
    const { world, agent, back } = await deleted();
    await go(agent, { kind: 'undo', operation: back });
    await agent.rewind('t-b');
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 made', 'b.txt': '644 1' }, ['t-a']]);
  });
});

describe('an undo that was itself undone twice', () => {
  it('brings nothing back while one of the two is in force', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    await agent.rewind('t-1');
    const undone = operationOf(await agent.undo());
    await agent.redo();
    agent.store.refresh();
    const [, left] = branchesOf(agent.store.timeline);
    await go(agent, { kind: 'switch', target: left?.id ?? 'none', scope: 'code' });
    // The redo is not in force here, so the undo is, and is undone by name; then the way back brings the redo into force as well.
    await go(agent, { kind: 'undo', operation: undone });
    await agent.undo();
    await agent.undo();
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 0' }, []]);
  });
});

describe('an undo of what was gone back past for a session', () => {
  for (const kind of ['rewind', 'fork'] as const) {
    it(`undoes nothing for that session, also when the ${kind} past it is undone`, async () => {
      const world = await World.make({ 'a.txt': '0' });
      const agent = world.open();
      await agent.turn('t-0', [{ 'a.txt': '1' }]);
      await agent.turn('t-1', [{ 'b.txt': '1' }]);
      const whole = world.tree();
      const first = operationOf(await go(agent, { ...toWorkspace, target: 't-1' }));
      const second = operationOf(await go(agent, { kind, target: 't-0', scope: 'code' }));
      await go(agent, { kind: 'undo', operation: first });
      await go(agent, { kind: 'undo', operation: second });
      // What is in force is what the files hold: the first one is, again.
      assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 1' }, ['t-0']]);
      await go(agent, { kind: 'undo', operation: first });
      assert.deepEqual([world.tree(), active(agent)], [whole, ['t-0', 't-1']]);
    });
  }
});

describe('an undo by name', () => {
  it('stops where another restore has changed since what it had found as it was to be', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    const forked = operationOf(await go(agent, { kind: 'fork', target: 't-1', scope: 'code' }));
    // Between the turn's beginning and its call the file was as it is now: there is nothing to write.
    const rewound = operationOf(await agent.rewind(callOf(agent, 't-1')));
    await agent.undo();
    await go(agent, { kind: 'undo', operation: forked });
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 1' }, ['t-1']]);
    const redone = await go(agent, { kind: 'redo', operation: rewound });
    assert.deepEqual([redone.kind, actionsOf(redone)], ['blocked', { 'a.txt': 'conflict' }]);
  });

  it('of a restore that was gone back past writes nothing', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    await agent.turn('t-2', [{ 'b.txt': '2' }]);
    const inner = operationOf(await agent.rewind('t-2'));
    await agent.rewind('t-1');
    const result = await go(agent, { kind: 'undo', operation: inner });
    assert.deepEqual([result.kind, world.tree(), active(agent)], ['already', { 'a.txt': '644 0', 'b.txt': '644 0' }, []]);
  });

  for (const [name, reach] of [['its session', undefined], ['the whole workspace', 'workspace']] as const) {
    it(`of one of ${name} that every session has gone back past says so, and records nothing`, async () => {
      const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
      const agent = world.open();
      await agent.turn('t-a', [{ 'a.txt': '1' }]);
      await agent.turn('t-b', [{ 'b.txt': '1' }], 's-b');
      await agent.turn('t-c', [{ 'a.txt': '2' }]);
      const inner = operationOf(await go(agent, { kind: 'rewind', target: 't-c', scope: 'code', reach }));
      const outer = [await go(agent, { kind: 'rewind', target: 't-a', scope: 'code' }), await go(agent, { kind: 'rewind', target: 't-b', scope: 'code' })].map(operationOf);
      const tree = world.tree();
      agent.store.refresh();
      const { seq } = agent.store.timeline;
      const result = await go(agent, { kind: 'undo', operation: inner });
      agent.store.refresh();
      assert.deepEqual([result.kind, result.plan.warnings, world.tree(), agent.store.timeline.seq], ['already', [`${inner} was taken back by a later restore that went back past it, so there is nothing of it left to take back.`], tree, seq]);
      // Where they come back to it, it is in force and undone as ever.
      for (const operation of outer.toReversed()) await go(agent, { kind: 'undo', operation });
      const undone = await go(agent, { kind: 'undo', operation: inner });
      assert.deepEqual([undone.kind, undone.plan.warnings, world.tree()], ['applied', [], { 'a.txt': '644 2', 'b.txt': '644 1' }]);
      const again = await go(agent, { kind: 'undo', operation: inner });
      assert.deepEqual([again.kind, again.plan.warnings], ['already', []]);
    });
  }

  it('of one of the whole workspace leaves alone the session that has gone back past it', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-a', [{ 'a.txt': '1' }]);
    await agent.turn('t-b', [{ 'b.txt': '1' }], 's-b');
    const whole = operationOf(await go(agent, { ...toWorkspace, target: 't-a' }));
    await agent.turn('t-c', [{ 'c.txt': '1' }]);
    // Before its first turn: that its head had been moved there by the other one is as if it had not been.
    await agent.rewind(callOf(agent, 't-a'));
    await go(agent, { kind: 'undo', operation: whole });
    assert.deepEqual([world.tree(), active(agent)], [{ 'a.txt': '644 0', 'b.txt': '644 1' }, ['t-a', 't-b']]);
  });
});
