import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/core/base/digest.ts';
import type { OnConflict } from '../../../../src/core/rewind/plan.ts';
import { selectFor, type RestoreRequest } from '../../../../src/core/rewind/request.ts';
import type { RestoreResult } from '../../../../src/core/rewind/restore.ts';
import { actionsOf, project, World, type Actor } from '../../../twins/world.ts';

type Way = 'turn' | 'call' | 'workspace' | 'call of the workspace' | 'rollback';
const ways: readonly Way[] = ['turn', 'call', 'workspace', 'call of the workspace', 'rollback'];

function requestFor(agent: Actor, way: Way): RestoreRequest {
  agent.store.refresh();
  const call = agent.store.timeline.turns.get('t-1')?.calls[0] ?? 'none';
  switch (way) {
    case 'turn':
      return { kind: 'rewind', target: 't-1', scope: 'code' };
    case 'call':
      return { kind: 'rewind', target: call, scope: 'code' };
    case 'workspace':
      return { kind: 'rewind', target: 't-1', scope: 'code', reach: 'workspace' };
    case 'call of the workspace':
      return { kind: 'rewind', target: call, scope: 'code', reach: 'workspace' };
    case 'rollback':
      return { kind: 'rollback', target: 't-1', path: undefined };
  }
}

/** What is left in the two files by the user, while what goes back over them is asked for again. */
interface Left {
  readonly world: World;
  readonly agent: Actor;
  again(onConflict: OnConflict): Promise<RestoreResult>;
}

async function begun(way: Way): Promise<Left> {
  const world = await World.make({ 'a.txt': '0\n', 'b.txt': '0\n' });
  const agent = world.open();
  await agent.turn('t-1', [{ 'a.txt': '1\n', 'b.txt': '1\n' }]);
  return { world, agent, again: onConflict => agent.restore(selectFor(requestFor(agent, way)), onConflict) };
}

/** Gone back, edited by the user, and forward again for all but that file. */
async function undoneButOne(way: Way, isOnRecord: boolean): Promise<Left> {
  const left = await begun(way);
  const { world, agent, again } = left;
  await again('stop');
  world.write({ 'a.txt': 'mine\n' });
  if (isOnRecord) await agent.turn('t-s', [{ 'a.txt': 'mine\n' }], 's-other');
  assert.deepEqual(actionsOf(await agent.undo('skip')), { 'a.txt': 'conflict', 'b.txt': 'restore' });
  return left;
}

/** The user takes back himself what an agent did, and then goes on. */
async function takenBackByHand(way: Way): Promise<Left> {
  const left = await begun(way);
  left.world.write({ 'a.txt': '0\n' });
  await left.agent.turn('t-s', [{ 'a.txt': '0\n' }], 's-other');
  left.world.write({ 'a.txt': 'mine\n' });
  return left;
}

/** Another session's tool finds that the file is gone, and does nothing. */
async function seeGone(agent: Actor, world: World): Promise<void> {
  const call = { session: 's-other', turn: 't-s', call: `c-${world.nextCall()}`, paths: [`${project}/a.txt`] };
  await agent.openTurn(call.turn, call.session);
  await agent.recorder.begin({ ...call, tool: 'Edit' });
  await agent.recorder.end({ ...call, outcome: 'failed' });
}

const stories = [
  ['that an undo left to the user', (way: Way) => undoneButOne(way, false)],
  ['that an undo left to the user, and whose edit is on record', (way: Way) => undoneButOne(way, true)],
  ['in which the user took a call back by hand before he went on', takenBackByHand],
] as const;

describe('a file that what goes had changed and that holds nothing of it', () => {
  for (const way of ways) {
    for (const [name, story] of stories) {
      it(`is a conflict where it is one ${name} (${way})`, async () => {
        const { world, again } = await story(way);
        const was = world.tree();
        const stopped = await again('stop');
        assert.deepEqual([stopped.kind, actionsOf(stopped), world.tree()], ['blocked', { 'a.txt': 'conflict', 'b.txt': 'restore' }, was]);
        const skipped = await again('skip');
        assert.deepEqual([skipped.kind, actionsOf(skipped), world.tree()], ['applied', { 'a.txt': 'conflict', 'b.txt': 'restore' }, { 'a.txt': '644 mine\n', 'b.txt': '644 0\n' }]);
      });

      it(`is overwritten where that is decided, is kept in the store, and comes back with the undo: one ${name} (${way})`, async () => {
        const { world, agent, again } = await story(way);
        const was = world.tree();
        assert.deepEqual([actionsOf(await again('overwrite')), world.tree()], [{ 'a.txt': 'restore', 'b.txt': 'restore' }, { 'a.txt': '644 0\n', 'b.txt': '644 0\n' }]);
        assert.equal(Buffer.from(agent.store.blobs.read(sha256(Buffer.from('mine\n')))).toString(), 'mine\n');
        await agent.undo();
        assert.deepEqual(world.tree(), was);
      });

      it(`stays as the user has made it where it is to be merged: one ${name} (${way})`, async () => {
        const { world, again } = await story(way);
        const result = await again('merge');
        assert.deepEqual([result.kind, actionsOf(result), world.tree()], ['applied', { 'a.txt': 'unchanged', 'b.txt': 'restore' }, { 'a.txt': '644 mine\n', 'b.txt': '644 0\n' }]);
      });
    }
  }

  for (const way of ['turn', 'call', 'rollback'] as const) {
    it(`is named with the reason and stays where that is not in force any more (${way})`, async () => {
      const { world, agent, again } = await begun(way);
      await again('stop');
      world.write({ 'a.txt': 'mine\n' });
      await agent.turn('t-s', [{ 'a.txt': 'mine\n' }], 's-other');
      for (const decision of ['stop', 'overwrite'] as const) {
        const result = await again(decision);
        assert.deepEqual([result.kind, result.plan.items.filter(({ path }) => path === 'a.txt').map(({ action, reason }) => [action, reason])], ['already', [['unchanged', 'nothing of what goes is left in it, and it was changed outside the recorded calls: it stays']]]);
      }
      await agent.turn('t-2', [{ 'b.txt': '2\n' }], 's-b');
      await agent.call('t-2', { 'a.txt': 'theirs\n' }, 's-b');
      const result = await again('overwrite');
      assert.deepEqual([actionsOf(result)['a.txt'], world.tree()], ['unchanged', { 'a.txt': '644 theirs\n', 'b.txt': '644 2\n' }]);
    });
  }

  for (const way of ways) {
    for (const byHand of [false, true]) {
      it(`is the user's own, and stays, where he made it after a call had made it and that was taken back ${byHand ? 'by hand ' : ''}(${way})`, async () => {
        const world = await World.make();
        const agent = world.open();
        await agent.turn('t-1', [{ 'a.txt': '1' }]);
        const go = (onConflict: OnConflict): Promise<RestoreResult> => agent.restore(selectFor(requestFor(agent, way)), onConflict);
        if (!byHand) await go('stop');
        else {
          world.write({ 'a.txt': null });
          await seeGone(agent, world);
        }
        world.write({ 'a.txt': 'mine' });
        await agent.turn('t-s', [{ 'a.txt': 'mine' }], 's-other');
        if (!byHand) await agent.undo('skip');
        const result = await go('overwrite');
        assert.deepEqual([result.plan.items.map(({ path, action, reason }) => [path, action, reason]), world.tree()], [[['a.txt', 'unchanged', 'it is your own file, and stays']], { 'a.txt': '644 mine' }]);
      });
    }
  }
});
