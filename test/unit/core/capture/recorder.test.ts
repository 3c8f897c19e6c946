import assert from 'node:assert/strict';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { viewTurns } from '../../../../src/core/timeline/view.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { World, project, storage, type Actor } from '../../../twins/world.ts';

/** Turns, oldest first: id, state, and per file its status. */
function told(actor: Actor): readonly unknown[] {
  actor.store.refresh();
  return viewTurns(actor.store.timeline, true)
    .toReversed()
    .map(({ turn, files }) => [turn.id, turn.state, Object.fromEntries(files.map(({ path, status }) => [path, status]))]);
}

function gaps(actor: Actor, turn: string): readonly string[] {
  actor.store.refresh();
  return actor.store.timeline.turns.get(turn)?.gaps ?? [];
}

describe('recording', () => {
  it('shows each turn with its files, all in all', async () => {
    const world = await World.make({ 'a.txt': '0', 'b.txt': '0', 'same.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }, { 'new.txt': 'n' }, { 'same.txt': '1' }, { 'same.txt': '0' }]);
    await agent.turn('t-2', [{ 'b.txt': null, 'new.txt': null }]);
    assert.deepEqual(told(agent), [
      ['t-1', 'closed', { 'a.txt': 'modified', 'new.txt': 'added' }],
      ['t-2', 'closed', { 'b.txt': 'deleted', 'new.txt': 'deleted' }],
    ]);
  });

  it('stores the states before, durably, before the tool runs', async () => {
    const world = await World.make({ 'a.txt': 'precious' });
    let ran = false;
    const full = world.open(faultyFiles(world.memory, whenever('write', /pack$/, { kind: 'error', code: 'ENOSPC' })));
    const run = full.recorder.run({ session: 's-a', turn: 't-1', call: 'c-1', tool: 'Write', paths: [`${project}/a.txt`] }, async () => void (ran = true));
    await assert.rejects(run, error => TurnstoneError.is(error, 'readOnly'));
    assert.equal(ran, false);
  });

  it('charges what the user did between two turns to nobody', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'a.txt': '1' }]);
    world.write({ 'a.txt': '1 mine' });
    await agent.turn('t-2', [{ 'a.txt': '1 mine 2' }]);
    assert.deepEqual(agent.store.timeline.changes.get('a.txt')?.map(change => change.by.kind), ['call', 'drift', 'call']);
    await agent.rewind('t-2');
    assert.equal(world.memory.text(`${project}/a.txt`), '1 mine');
  });

  it('closes what a new prompt, or the end of the session, leaves open as interrupted', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.begin('t-1', { 'a.txt': 'half' });
    await agent.openTurn('t-2');
    await agent.begin('t-2', { 'b.txt': 'half' });
    await agent.recorder.closeSession('s-a');
    assert.deepEqual(told(agent), [
      ['t-1', 'interrupted', { 'a.txt': 'modified' }],
      ['t-2', 'interrupted', { 'b.txt': 'added' }],
    ]);
  });

  it('leaves the open calls of another session open', async () => {
    const world = await World.make();
    const agent = world.open();
    await agent.openTurn('t-1', 's-a');
    const end = await agent.begin('t-1', { 'a.txt': 'a' }, 's-a');
    await agent.turn('t-2', [{ 'b.txt': 'b' }], 's-b');
    await end();
    assert.deepEqual(told(agent), [
      ['t-1', 'open', { 'a.txt': 'added' }],
      ['t-2', 'closed', { 'b.txt': 'added' }],
    ]);
  });

  it('counts an event that comes twice once', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    const call = { session: 's-a', turn: 't-1', call: 'c-1', tool: 'Write', paths: [`${project}/a.txt`] };
    for (let times = 0; times < 2; times += 1) await agent.openTurn('t-1');
    for (let times = 0; times < 2; times += 1) await agent.recorder.begin(call);
    world.write({ 'a.txt': '1' });
    for (let times = 0; times < 2; times += 1) await agent.recorder.end({ ...call, outcome: 'done' });
    for (let times = 0; times < 2; times += 1) await agent.recorder.closeTurn('s-a', 't-1');
    agent.store.refresh();
    assert.deepEqual([told(agent), agent.store.timeline.changes.get('a.txt')?.length], [[['t-1', 'closed', { 'a.txt': 'modified' }]], 1]);
  });

  it('says that a call whose beginning was missed is not reversible', async () => {
    const world = await World.make({ 'a.txt': '1' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.recorder.end({ session: 's-a', turn: 't-1', call: 'c-1', outcome: 'done', paths: [`${project}/a.txt`] });
    assert.deepEqual([told(agent), gaps(agent, 't-1')], [[['t-1', 'open', {}]], ['a.txt: not recorded, what was there before the call is not known']]);
  });

  it('says what is outside, in .git, and what a tool does not declare', async () => {
    const world = await World.make({ 'a.txt': '0' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.recorder.begin({ session: 's-a', turn: 't-1', call: 'c-1', tool: 'Write', paths: ['/etc/x', `${project}/.git/config`, `${storage}/roots.json`] });
    await agent.recorder.end({ session: 's-a', turn: 't-1', call: 'c-1', outcome: 'done', paths: [] });
    await agent.recorder.begin({ session: 's-a', turn: 't-1', call: 'c-2', tool: 'Bash', paths: undefined });
    await agent.recorder.end({ session: 's-a', turn: 't-1', call: 'c-2', outcome: 'done', paths: [] });
    assert.deepEqual(gaps(agent, 't-1'), [
      'Write /etc/x: not tracked, it is outside the root',
      `Write ${project}/.git/config: not tracked, it is in .git`,
      `Write ${storage}/roots.json: not tracked, it is outside the root`,
      'Bash: what it changed is not tracked',
    ]);
  });

  it('lets two agents work at the same time, each with its own files', async () => {
    const world = await World.make();
    const [a, b] = [world.open(), world.open()];
    await Promise.all([a.openTurn('t-1', 's-a'), b.openTurn('t-2', 's-b')]);
    await Promise.all([a.call('t-1', { 'a.ts': 'a' }, 's-a'), b.call('t-2', { 'b.ts': 'b' }, 's-b')]);
    await Promise.all([a.recorder.closeTurn('s-a', 't-1'), b.recorder.closeTurn('s-b', 't-2')]);
    assert.deepEqual(Object.fromEntries(told(world.open()).map(turn => [(turn as unknown[])[0], (turn as unknown[])[2]])), { 't-1': { 'a.ts': 'added' }, 't-2': { 'b.ts': 'added' } });
  });

  it('keeps no content of a file that is too large, and says so when it is to come back', async () => {
    const world = await World.make({ 'big.bin': 'x'.repeat(11 * 1024 * 1024) });
    const agent = world.open();
    await agent.turn('t-1', [{ 'big.bin': 'small' }]);
    const result = await agent.rewind('t-1');
    assert.deepEqual(result.plan.items.map(({ action, reason }) => [action, reason]), [['unavailable', 'it was too large to be kept']]);
  });
});
