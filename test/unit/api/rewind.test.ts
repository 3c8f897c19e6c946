import assert from 'node:assert/strict';
import type { TurnstoneErrorCode } from '../../../src/api/turnstone.d.ts';
import { carryOut, type RestoreRequest } from '../../../src/core/rewind/request.ts';
import { neighbour, project } from '../../twins/world.ts';
import { ApiGround, pausing, untilAborted } from './ground.ts';

const code = (expected: TurnstoneErrorCode) => (error: any): boolean => error.name === 'TurnstoneApiError' && error.code === expected;

/** The user rewinds in the same window. */
async function userDoes(ground: ApiGround, request: RestoreRequest, index = 0): Promise<string> {
  const store = ground.store(index);
  const { result } = await carryOut(ground.contextOf(store), request, ground.neighboursOf(store), { decide: () => 'stop', dryRun: false });
  ground.changed.fire();
  return result.kind;
}

const before = (target: string): RestoreRequest => ({ kind: 'rewind', target, scope: 'code' });

describe('a rewind and the calls of other extensions', () => {
  it('stops a call that runs, waits for it, takes back what it did, and lets no later one begin', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    const order: string[] = [];
    const { arrived, tool } = pausing();
    const call = turn.run({ tool: 'edit', paths: ['a.txt'] }, async signal => {
      ground.world.write({ 'a.txt': 'half' });
      void tool(signal);
      await untilAborted(signal).catch(() => undefined);
      ground.world.write({ 'a.txt': 'cleaned up' });
      order.push('tool ended');
      return 'not to be believed';
    });
    const rejected = assert.rejects(call, code('superseded'));
    await arrived;
    assert.equal(await userDoes(ground, before(turn.id)), 'applied');
    order.push('rewound');
    await rejected;
    assert.deepEqual([order, ground.text('a.txt')], [['tool ended', 'rewound'], '0']);
    let ran = false;
    await assert.rejects(turn.run({ tool: 'edit', paths: ['a.txt'] }, () => (ran = true)), code('superseded'));
    await assert.rejects(turn.step('x'), code('superseded'));
    assert.equal(ran, false);
  });

  it('stops one that declared nothing, too, and undoes what it had done by then', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    const { arrived, tool } = pausing();
    const call = turn.run({ tool: 'shell' }, async signal => {
      ground.world.write({ 'a.txt': 'half', 'made.txt': 'm' });
      void tool(signal);
      return untilAborted(signal);
    });
    const rejected = assert.rejects(call, code('superseded'));
    await arrived;
    assert.equal(await userDoes(ground, before(turn.id)), 'applied');
    await rejected;
    assert.deepEqual([ground.text('a.txt'), ground.text('made.txt')], ['0', undefined]);
  });

  it('stops nothing where the user does not agree, or a conflict stops it', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0', 'b.txt': '0' });
    const turn = ground.openTurn();
    await ground.write(turn, { 'b.txt': '1' });
    const { arrived, tool, goOn } = pausing();
    const call = turn.run({ tool: 'edit', paths: ['a.txt'] }, tool);
    const signal = await arrived;
    const store = ground.store();
    const context = ground.contextOf(store);
    assert.equal((await carryOut(context, before(turn.id), [], { decide: () => 'stop', dryRun: false, agrees: () => false })).result.kind, 'planned');
    ground.world.write({ 'b.txt': 'mine' });
    assert.equal((await carryOut(context, before(turn.id), [], { decide: () => 'stop', dryRun: false })).result.kind, 'blocked');
    assert.equal(signal.aborted, false);
    goOn();
    assert.equal(await call, 'result');
  });

  it('does not wait for ever for one that won\'t stop: what that does later is nobody\'s', async () => {
    let giveUp: () => void = () => undefined;
    const waited = (): Promise<void> => new Promise(resolve => (giveUp = resolve));
    const ground = await ApiGround.make({ 'a.txt': '0' }, { waited });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    const { arrived, tool, goOn } = pausing();
    const call = turn.run({ tool: 'edit', paths: ['a.txt'] }, async signal => {
      await tool(signal);
      ground.world.write({ 'a.txt': 'late' });
    });
    const rejected = assert.rejects(call, code('superseded'));
    const signal = await arrived;
    signal.addEventListener('abort', () => setImmediate(() => giveUp()));
    assert.equal(await userDoes(ground, before(turn.id)), 'applied');
    assert.equal(ground.text('a.txt'), '0');
    goOn();
    await rejected;
    const { timeline } = ground.store();
    assert.equal(ground.text('a.txt'), 'late');
    assert.deepEqual(timeline.changes.get('a.txt')?.map(({ by }) => by.kind), ['call', 'operation', 'drift']);
  });

  it('and a call that begins at the same time: it is stopped, or never runs, or was before it', async () => {
    const seen = new Set<string>();
    for (let ticks = 0; ticks < 120; ticks += 1) {
      const ground = await ApiGround.make({ 'a.txt': '0' });
      const turn = ground.openTurn();
      await ground.write(turn, { 'a.txt': '1' });
      const call = (): Promise<string> => ground.write(turn, { 'a.txt': '2' }).then(() => 'done', (error: { readonly code: string }) => error.code);
      const rewind = (): Promise<string> => userDoes(ground, before(turn.id));
      // One begins, and the other after so many steps of it.
      const both = [ticks % 2 === 0 ? call() : rewind()];
      for (let tick = 0; tick < ticks / 2; tick += 1) await null;
      both.push(ticks % 2 === 0 ? rewind() : call());
      const ended = await Promise.all(both);
      seen.add(ended.find(outcome => outcome === 'done') ?? 'superseded');
      assert.equal(ended.includes('applied'), true);
      assert.equal(ground.text('a.txt'), '0', `after ${ticks / 2} ticks: ${ended.join(', ')}`);
    }
    assert.deepEqual([...seen].sort(), ['done', 'superseded']);
  });

  it('from its own tool does not hang', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' }, { waited: async () => undefined });
    const turn = ground.openTurn();
    await assert.rejects(turn.run({ tool: 'edit', paths: ['a.txt'] }, () => ground.api.rewind(turn.id)), code('superseded'));
  });

  it('by another process stops what runs as soon as it is heard of', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    const { arrived, tool } = pausing();
    const call = turn.run({ tool: 'edit', paths: ['a.txt'] }, signal => {
      void tool(signal);
      return untilAborted(signal);
    });
    const rejected = assert.rejects(call, code('superseded'));
    await arrived;
    await ground.world.open().rewind(turn.id);
    ground.changed.fire();
    await rejected;
    assert.deepEqual([ground.text('a.txt'), ground.events.map(({ session, paths }) => [session, paths])], ['0', [[ground.store().timeline.turns.get(turn.id)?.session, [`${project}/a.txt`]]]]);
  });

  it('lets a call begin again in the turn once the rewind is undone', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    await userDoes(ground, before(turn.id));
    await assert.rejects(ground.write(turn, { 'a.txt': '2' }), code('superseded'));
    await userDoes(ground, { kind: 'undo', operation: undefined });
    await ground.write(turn, { 'a.txt': '2' });
    assert.equal(ground.text('a.txt'), '2');
  });

  it('to a step keeps what came before it, and ends the turn', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    const step = await turn.step('tests green');
    assert.equal((await ground.api.rewind(step)).kind, 'already');
    await ground.write(turn, { 'a.txt': '2' });
    assert.equal((await ground.api.rewind(step)).kind, 'done');
    assert.equal(ground.text('a.txt'), '1');
    await assert.rejects(ground.write(turn, { 'a.txt': '3' }), code('superseded'));
    await assert.rejects(ground.api.rollback(step), code('input'));
  });

  it('asked for in the folder that a turn came to last takes the first one along', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' }, { inTwo: true });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    ground.world.clock.advance(1000);
    await ground.write(turn, { 'b.txt': '1' }, neighbour);
    assert.equal(await userDoes(ground, before(turn.id), 1), 'applied');
    assert.deepEqual([ground.text('a.txt'), ground.text('b.txt', neighbour)], ['0', '0']);
    assert.deepEqual(ground.events.map(({ kind, paths }) => [kind, [...paths].sort()]), [['rewind', [`${neighbour}/b.txt`, `${project}/a.txt`]]]);
  });

  it('over two folders is told once, when it has ended in both', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' }, { inTwo: true });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    await ground.write(turn, { 'b.txt': '1' }, neighbour);
    const store = ground.store();
    const lengths: number[] = [];
    await carryOut(ground.contextOf(store), before(turn.id), ground.neighboursOf(store), { decide: () => 'stop', dryRun: false, onPath: () => {
      ground.changed.fire();
      lengths.push(ground.events.length);
    } });
    ground.changed.fire();
    assert.deepEqual([lengths, ground.events.map(({ paths }) => paths.length)], [[0, 0], [2]]);
  });

  it('is a result where it meets work of the user: nothing is written, or the rest is', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0', 'b.txt': '0' });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1', 'b.txt': '1' });
    ground.world.write({ 'b.txt': 'mine' });
    const { kind, operation, files } = await ground.api.rewind(turn.id);
    assert.deepEqual([kind, operation, files.map(({ path, action }) => [path, action])], ['conflict', undefined, [[`${project}/a.txt`, 'restore'], [`${project}/b.txt`, 'conflict']]]);
    assert.deepEqual([ground.text('a.txt'), ground.events], ['1', []]);
    assert.equal((await ground.api.rewind(turn.id, { onConflict: 'skip' })).kind, 'partly');
    assert.deepEqual([ground.text('a.txt'), ground.text('b.txt')], ['0', 'mine']);
  });

  it('tells each extension of its own sessions only', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0', 'b.txt': '0' });
    const other = ground.newClient();
    const otherEvents: unknown[] = [];
    other.onDidRewind(event => otherEvents.push(event));
    const [mine, theirs] = [ground.openTurn('my prompt'), ground.openTurn('their secret', other)];
    await ground.write(mine, { 'a.txt': '1' });
    await ground.write(theirs, { 'b.txt': '1' });
    assert.deepEqual([ground.api, other].map(client => client.checkpoints().map(({ label }) => label)), [['my prompt'], ['their secret']]);
    for (const use of [ground.api.rewind(theirs.id), ground.api.rollback(theirs.id), ground.api.rewind('t-nobody')]) await assert.rejects(use, code('notFound'));
    await userDoes(ground, before(mine.id));
    assert.deepEqual([ground.events.map(({ kind, heads, paths, prompt }) => ({ kind, heads, paths, prompt })), otherEvents], [
      [{ kind: 'rewind', heads: { code: undefined, conversation: mine.id }, paths: [`${project}/a.txt`], prompt: 'my prompt' }],
      [],
    ]);
    // One of the whole workspace concerns both, each with its own files.
    await userDoes(ground, { kind: 'undo', operation: undefined });
    const workspace = await userDoes(ground, { kind: 'rewind', target: mine.id, scope: 'code', reach: 'workspace' });
    assert.equal(workspace, 'applied');
    assert.deepEqual(ground.events.slice(1).map(({ kind, paths }) => [kind, paths]), [['undo', [`${project}/a.txt`]], ['rewind', [`${project}/a.txt`]]]);
    assert.deepEqual(otherEvents.map(event => (event as { readonly paths: unknown; readonly prompt?: string })).map(({ paths, prompt }) => [paths, prompt]), [[[`${project}/b.txt`], undefined]]);
    ground.changed.fire();
    assert.deepEqual([ground.events.length, otherEvents.length], [3, 1]);
  });

  it('names only an extension\'s own files in the result of one of the whole workspace', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0', 'b.txt': '0' });
    const other = ground.newClient();
    const mine = ground.openTurn();
    await ground.write(mine, { 'a.txt': '1' });
    await ground.write(ground.openTurn('x', other), { 'b.txt': '1' });
    const { kind, files } = await ground.api.rewind(mine.id, { reach: 'workspace' });
    assert.deepEqual([kind, files.map(({ path }) => path), ground.text('b.txt')], ['done', [`${project}/a.txt`], '0']);
  });

  it('of a conversation needs one, moves it, and leaves the files', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const heads: unknown[] = [];
    await assert.rejects(ground.api.rewind(ground.openTurn().id, { scope: 'both' }), code('unsupported'));
    const session = ground.api.openSession({ agent: 'example', conversation: { rewindTo: async turn => void heads.push(turn) } });
    const first = session.openTurn({ prompt: 'one' });
    await ground.write(first, { 'a.txt': '1' });
    await first.close();
    const second = session.openTurn({ prompt: 'two' });
    await ground.write(second, { 'a.txt': '2' });
    assert.equal((await ground.api.rewind(second.id, { scope: 'conversation' })).kind, 'done');
    assert.deepEqual([ground.text('a.txt'), heads], ['2', [first.id]]);
    await assert.rejects(ground.write(second, { 'a.txt': '3' }), code('superseded'));
    assert.equal((await ground.api.rewind(first.id, { scope: 'both' })).kind, 'done');
    assert.deepEqual([ground.text('a.txt'), heads], ['0', [first.id, undefined]]);
  });

  it('goes on for all where a listener or a conversation fails, and the log has it', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    ground.api.onDidRewind(() => {
      throw new Error('a bad listener');
    });
    const rewindTo = (): never => {
      throw new Error('a bad conversation');
    };
    const turn = ground.api.openSession({ agent: 'example', conversation: { rewindTo } }).openTurn({ prompt: 'x' });
    await ground.write(turn, { 'a.txt': '1' });
    assert.equal((await ground.api.rewind(turn.id, { scope: 'both' })).kind, 'done');
    assert.equal(ground.events.length, 1);
    assert.deepEqual(ground.warnings.map(sentence => /a bad \w+/.exec(sentence)?.[0]), ['a bad listener', 'a bad conversation']);
  });
});
