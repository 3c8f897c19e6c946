import assert from 'node:assert/strict';
import { Pause } from '../../../src/core/capture/pause.ts';
import { viewTurns } from '../../../src/core/timeline/view.ts';
import type { TurnstoneErrorCode } from '../../../src/api/turnstone.d.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { neighbour, project, storage } from '../../twins/world.ts';
import { ApiGround } from './ground.ts';

function turnsIn(ground: ApiGround, index = 0): readonly unknown[] {
  const { timeline } = ground.store(index);
  return viewTurns(timeline, true).toReversed().map(({ turn, agent, files }) => [agent, turn.state, ...files.map(({ path, status, state }) => `${status} ${path} ${state}`)]);
}

const code = (expected: TurnstoneErrorCode) => (error: any): boolean => error.name === 'TurnstoneApiError' && error.code === expected;

describe('the API for other extensions records', () => {
  it('what a call declares, exactly, and nothing else as its own', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0', 'b.txt': '0' });
    const turn = ground.openTurn();
    const result = await turn.run({ tool: 'edit', paths: ['a.txt', { scheme: 'file', fsPath: `${project}/new/c.txt` }] }, () => {
      ground.world.write({ 'a.txt': '1', 'b.txt': 'mine', 'new/c.txt': 'c' });
      return 7;
    });
    await turn.close();
    assert.equal(result, 7);
    assert.deepEqual(turnsIn(ground), [['example', 'closed', 'modified a.txt active', 'added new/c.txt active']]);
    assert.equal((await ground.api.rewind(turn.id)).kind, 'done');
    assert.deepEqual([ground.text('a.txt'), ground.text('b.txt'), ground.text('new/c.txt')], ['0', 'mine', undefined]);
  });

  it('what a call that declares nothing has changed, by looking, in every folder', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' }, { inTwo: true });
    const turn = ground.openTurn();
    await turn.run({ tool: 'shell' }, () => {
      ground.world.write({ 'a.txt': null, 'made.txt': 'm' });
      ground.world.write({ 'b.txt': '1' }, neighbour);
    });
    await turn.close();
    assert.deepEqual([turnsIn(ground), turnsIn(ground, 1)], [
      [['example', 'closed', 'deleted a.txt active', 'added made.txt active']],
      [['example', 'closed', 'modified b.txt active']],
    ]);
    const { kind, files } = await ground.api.rewind(turn.id);
    assert.deepEqual([kind, files.map(({ path, action }) => `${action} ${path}`).sort()], ['done', [`create ${project}/a.txt`, `delete ${project}/made.txt`, `restore ${neighbour}/b.txt`]]);
    assert.deepEqual([ground.text('a.txt'), ground.text('made.txt'), ground.text('b.txt', neighbour)], ['0', undefined, '0']);
  });

  it('a call over two folders in both, and the other folder knows that the turn came from elsewhere', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' }, { inTwo: true });
    const turn = ground.openTurn('both');
    ground.world.clock.advance(1000);
    await turn.run({ tool: 'edit', paths: [`${project}/a.txt`, `${neighbour}/b.txt`] }, () => {
      ground.world.write({ 'a.txt': '1' });
      ground.world.write({ 'b.txt': '1' }, neighbour);
    });
    assert.deepEqual([0, 1].map(index => ground.store(index).timeline.turns.get(turn.id)?.elsewhere), [false, true]);
    assert.deepEqual([turnsIn(ground), turnsIn(ground, 1)], [[['example', 'open', 'modified a.txt active']], [['example', 'open', 'modified b.txt active']]]);
  });

  it('what a tool did before it failed, and passes on what it threw', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    const failure = new Error('the tool failed');
    await assert.rejects(turn.run({ tool: 'edit', paths: ['a.txt'] }, () => {
      ground.world.write({ 'a.txt': 'half' });
      throw failure;
    }), (error: unknown) => error === failure);
    assert.deepEqual(turnsIn(ground), [['example', 'open', 'modified a.txt active']]);
    await ground.api.rollback(turn.id);
    assert.equal(ground.text('a.txt'), '0');
  });

  it('nothing where the states before can\'t be kept, and runs nothing', async () => {
    let isFull = false;
    const ground = await ApiGround.make({ 'a.txt': '0' }, { filesOf: world => faultyFiles(world.memory, ({ method }) => (isFull && (method === 'write' || method === 'append' || method === 'open') ? { kind: 'error', code: 'ENOSPC' } : undefined)) });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    isFull = true;
    for (const paths of [['a.txt'], ['new.txt']]) {
      let ran = false;
      await assert.rejects(turn.run({ tool: 'edit', paths }, () => (ran = true)), code('notRecording'));
      assert.equal(ran, false);
    }
    isFull = false;
    await ground.write(turn, { 'a.txt': '2' });
    assert.deepEqual(turnsIn(ground), [['example', 'open', 'modified a.txt active']]);
  });

  it('nothing where one of two folders can\'t keep them: what had begun in the other never ran', async () => {
    let full: string | undefined;
    const ground = await ApiGround.make({ 'a.txt': '0' }, { inTwo: true, filesOf: world => faultyFiles(world.memory, ({ method, path }) => (full !== undefined && path.includes(full) && method === 'open' ? { kind: 'error', code: 'ENOSPC' } : undefined)) });
    const turn = ground.openTurn();
    await ground.write(turn, { 'a.txt': '1' });
    await ground.write(turn, { 'b.txt': '1' }, neighbour);
    full = ground.store(1).identity.key;
    let ran = false;
    await assert.rejects(turn.run({ tool: 'edit', paths: [`${project}/a.txt`, `${neighbour}/b.txt`] }, () => (ran = true)), code('notRecording'));
    assert.deepEqual([ran, [...ground.store().timeline.calls.values()].map(({ outcome }) => outcome)], [false, ['done', 'cancelled']]);
  });

  it('nothing outside, in Turnstone\'s own storage, or where no folder is recorded', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const turn = ground.openTurn();
    let ran = 0;
    for (const path of ['/elsewhere/x.txt', '../x.txt']) await assert.rejects(turn.run({ tool: 'edit', paths: ['a.txt', path] }, () => (ran += 1)), code('outside'));
    const uri = (fsPath: string, scheme = 'file') => ({ scheme, fsPath });
    assert.deepEqual([uri(`${project}/any.txt`), uri('/elsewhere/x.txt'), uri(`${project}/a.txt`, 'untitled')].map(one => ground.api.isRecording(one)), [true, false, false]);
    ground.folders = [];
    await assert.rejects(turn.run({ tool: 'edit', paths: ['a.txt'] }, () => (ran += 1)), code('notRecording'));
    await assert.rejects(turn.run({ tool: 'shell' }, () => (ran += 1)), code('notRecording'));
    await assert.rejects(turn.step('x'), code('notRecording'));
    assert.deepEqual([ran, ground.api.isRecording(uri(`${project}/a.txt`))], [0, false]);
  });

  it('nothing while the user has paused recording, and the other folder goes on', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' }, { inTwo: true });
    const pause = new Pause(ground.world.memory, storage);
    const uri = { scheme: 'file', fsPath: `${project}/a.txt` };
    pause.begin(ground.store().identity);
    const turn = ground.openTurn('secret');
    let ran = 0;
    await assert.rejects(turn.run({ tool: 'edit', paths: ['a.txt'] }, () => (ran += 1)), code('notRecording'));
    await assert.rejects(turn.run({ tool: 'edit', paths: [`${neighbour}/b.txt`, 'a.txt'] }, () => (ran += 1)), code('notRecording'));
    await turn.run({ tool: 'shell' }, () => ground.world.write({ 'b.txt': '1' }, neighbour));
    assert.deepEqual([ran, turnsIn(ground), turnsIn(ground, 1), ground.api.isRecording(uri)], [0, [], [['example', 'open', 'modified b.txt active']], false]);
    pause.begin();
    await assert.rejects(turn.run({ tool: 'shell' }, () => (ran += 1)), code('notRecording'));
    pause.endAll([ground.store().identity]);
    await ground.write(turn, { 'a.txt': '1' });
    assert.deepEqual([ran, turnsIn(ground), ground.api.isRecording(uri)], [0, [['example', 'open', 'modified a.txt active']], true]);
  });

  it('in a turn that was opened before its folder was recorded', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const { folders } = ground;
    ground.folders = [];
    const turn = ground.openTurn();
    await assert.rejects(ground.write(turn, { 'a.txt': '1' }), code('notRecording'));
    ground.folders = folders;
    await ground.write(turn, { 'a.txt': '1' });
    assert.deepEqual(turnsIn(ground), [['example', 'open', 'modified a.txt active']]);
  });

  it('what is asked for in order, also where nobody waits: a turn, its step, its end, and the next one', async () => {
    const ground = await ApiGround.make({ 'a.txt': '0' });
    const session = ground.api.openSession({ agent: 'example' });
    const first = session.openTurn({ prompt: 'one' });
    const call = ground.write(first, { 'a.txt': '1' });
    void first.close();
    const second = session.openTurn({ prompt: 'two' });
    const step = second.step('half way');
    const third = session.openTurn({ prompt: 'three' });
    await Promise.all([call, step, third.close()]);
    await assert.rejects(first.run({ tool: 'x', paths: [] }, () => 0), code('closed'));
    await assert.rejects(second.run({ tool: 'x', paths: [] }, () => 0), code('closed'));
    assert.deepEqual(turnsIn(ground).map(turn => (turn as readonly string[])[1]), ['closed', 'interrupted', 'closed']);
    assert.deepEqual(ground.api.checkpoints().map(({ kind, label, rewound }) => [kind, label, rewound]), [['turn', 'one', false], ['turn', 'two', false], ['step', 'half way', false], ['turn', 'three', false]]);
    assert.deepEqual(ground.warnings, []);
  });

  it('what a session is called, once, in every folder, and after a restart from a generation', async () => {
    const ground = await ApiGround.make({}, { inTwo: true });
    const session = ground.api.openSession({ agent: 'example', title: 'Add a login' });
    for (const prompt of ['one', 'two']) {
      const turn = session.openTurn({ prompt });
      await ground.write(turn, { 'a.txt': prompt });
      await ground.write(turn, { 'b.txt': prompt }, neighbour);
      await turn.close();
    }
    for (const folder of [project, neighbour]) {
      const { store } = ground.world.open(undefined, undefined, folder);
      store.refresh();
      assert.equal(Buffer.from(store.blobs.read(store.timeline.sessions.get(session.id)?.title ?? '')).toString(), 'Add a login');
      assert.equal(store.missingContents, undefined);
    }
  });

  it('ends what is open when the editor ends', async () => {
    const ground = await ApiGround.make();
    ground.openTurn();
    await ground.api.end();
    assert.deepEqual(turnsIn(ground), [['example', 'interrupted']]);
  });

  const session = { agent: 'example' };
  const wrong: readonly (readonly [what: string, use: (ground: ApiGround) => unknown])[] = [
    ['a session without an agent', ({ api }) => api.openSession({} as never)],
    ['a conversation that can\'t go back', ({ api }) => api.openSession({ ...session, conversation: {} as never })],
    ['a turn without a prompt', ({ api }) => api.openSession(session).openTurn({} as never)],
    ['a call without a tool', ground => ground.openTurn().run({ paths: [] } as never, () => 0)],
    ['paths that are none', ground => ground.openTurn().run({ tool: 't', paths: [7] } as never, () => 0)],
    ['a path with another scheme', ground => ground.openTurn().run({ tool: 't', paths: [{ scheme: 'http', fsPath: '/project/a' }] }, () => 0)],
    ['a call that runs nothing', ground => ground.openTurn().run({ tool: 't', paths: [] }, undefined as never)],
    ['an empty step', ground => ground.openTurn().step('')],
    ['an unknown scope', ground => ground.api.rewind('t-x', { scope: 'all' } as never)],
    ['overwriting the user', ground => ground.api.rewind('t-x', { onConflict: 'overwrite' } as never)],
  ];
  for (const [what, use] of wrong) {
    it(`refuses ${what}`, async () => {
      const ground = await ApiGround.make();
      await assert.rejects(async () => use(ground), code('input'));
    });
  }
});
