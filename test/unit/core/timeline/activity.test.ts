import assert from 'node:assert/strict';
import { activityOf } from '../../../../src/core/timeline/activity.ts';
import { findNamed } from '../../../../src/core/timeline/names.ts';
import { viewTurns } from '../../../../src/core/timeline/view.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { World, type Actor } from '../../../twins/world.ts';

/** By turn: the states of its files, and whether it is on the active path. */
function standing(actor: Actor): Readonly<Record<string, string>> {
  actor.store.refresh();
  return Object.fromEntries(viewTurns(actor.store.timeline, true).map(({ turn, files, abandonedBy }) => [turn.id, `${abandonedBy === undefined ? 'active' : 'rewound'} ${files.map(file => file.state).join(' ')}`]));
}

async function threeTurns(): Promise<Actor> {
  const agent = (await World.make({ 'a.txt': '0', 'b.txt': '0' })).open();
  await agent.turn('t-1', [{ 'a.txt': '1' }]);
  await agent.turn('t-2', [{ 'b.txt': '2' }]);
  await agent.turn('t-3', [{ 'a.txt': '3' }]);
  return agent;
}

describe('what is in force', () => {
  it('follows rewinds, undos and redos', async () => {
    const agent = await threeTurns();
    await agent.rewind('t-2');
    const rewound = { 't-1': 'active active', 't-2': 'rewound rolledBack', 't-3': 'rewound rolledBack' };
    assert.deepEqual(standing(agent), rewound);
    await agent.undo();
    assert.deepEqual(standing(agent), { 't-1': 'active active', 't-2': 'active active', 't-3': 'active active' });
    await agent.redo();
    assert.deepEqual(standing(agent), rewound);
  });

  it('a rewind covers earlier restores of its stretch, and its undo brings those back', async () => {
    const agent = await threeTurns();
    await agent.rewind('t-3');
    await agent.rewind('t-1');
    assert.equal(activityOf(agent.store.timeline).effective.length, 1);
    await agent.undo();
    assert.deepEqual(standing(agent), { 't-1': 'active active', 't-2': 'active active', 't-3': 'rewound rolledBack' });
  });

  it('a turn in which the agent works on after it was rewound is in force again', async () => {
    const agent = await threeTurns();
    await agent.rewind('t-3');
    await agent.call('t-3', { 'b.txt': 'late' });
    assert.deepEqual(standing(agent), { 't-1': 'active active', 't-2': 'active active', 't-3': 'active rolledBack active' });
    await agent.rewind('t-3');
    assert.deepEqual(standing(agent)['t-3'], 'rewound rolledBack rolledBack');
  });

  it('a rollback of one file leaves the turn partly in force', async () => {
    const agent = (await World.make({ 'a.txt': '0' })).open();
    await agent.turn('t-1', [{ 'a.txt': '1', 'b.txt': '1' }]);
    await agent.rollback('t-1', 'stop', 'a.txt');
    assert.deepEqual(standing(agent), { 't-1': 'active rolledBack active' });
  });

  it('a file that was left in conflict is not rolled back', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1', 'b.txt': '1' }]);
    world.write({ 'a.txt': 'mine' });
    await agent.rewind('t-1', 'skip');
    assert.deepEqual(standing(agent), { 't-1': 'rewound active rolledBack' });
  });

  it('a rewind to a turn that was rewound goes forward to it', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    await agent.turn('t-2', [{ 'b.txt': '2' }]);
    await agent.rewind('t-1');
    await agent.rewind('t-2');
    assert.deepEqual([standing(agent), world.tree()], [{ 't-1': 'active active', 't-2': 'rewound rolledBack' }, { 'a.txt': '644 1', 'b.txt': '644 0' }]);
  });
});

describe('ids', () => {
  it('are found by any unique beginning of the right kind', async () => {
    const agent = await threeTurns();
    agent.store.refresh();
    const { timeline } = agent.store;
    assert.deepEqual(findNamed(timeline, 't-2', ['turn', 'call']), { kind: 'turn', id: 't-2' });
    assert.deepEqual(findNamed(timeline, 's-', ['session']), { kind: 'session', id: 's-a' });
    const refused = (prefix: string): string | undefined => {
      try {
        findNamed(timeline, prefix, ['turn', 'call']);
        return undefined;
      } catch (error) {
        return TurnstoneError.is(error) ? error.code : 'other';
      }
    };
    assert.deepEqual(['t-', '', 's-a', 't-4', 'c-t-1-1x'].map(refused), ['usage', 'notFound', 'notFound', 'notFound', 'notFound']);
  });
});
