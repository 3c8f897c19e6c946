import assert from 'node:assert/strict';
import { Pause } from '../../../src/core/capture/pause.ts';
import { storage } from '../../twins/world.ts';
import { ToolGround, versionIn } from './ground.ts';

describe('a tool that builds on an older file', () => {
  it('is refused after the user changed what the model wrote, and says what to do', async () => {
    const ground = await ToolGround.make();
    await ground.done('write_file', { path: 'a.txt', content: 'one' });
    ground.world.write({ 'a.txt': 'one mine' });
    for (const [tool, input] of [['edit_file', { old_text: 'one', new_text: '1' }], ['write_file', { content: 'x' }], ['delete_file', {}], ['move_file', { new_path: 'b.txt' }]] as const) {
      assert.match(await ground.refused('changed', tool, { path: 'a.txt', ...input }), /changed after you last saw it\. Nothing was written\. Read the file again/);
    }
    const version = versionIn(await ground.refused('changed', 'edit_file', { path: 'a.txt', old_text: 'one', new_text: '1' }));
    await ground.done('edit_file', { path: 'a.txt', old_text: 'one', new_text: '1', version });
    assert.equal(ground.text('a.txt'), '1 mine');
    await ground.done('edit_file', { path: 'a.txt', old_text: '1', new_text: '2' });
  });

  it('is refused while recording is paused, and looks all the same', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'one' });
    const pause = new Pause(ground.world.memory, storage);
    pause.begin(ground.user.store.identity);
    assert.match(await ground.refused('notRecording', 'edit_file', { path: 'a.txt', old_text: 'one', new_text: '1' }), /Nothing was done\. Recording is paused in .*Resume Recording/);
    assert.match(await ground.done('list_checkpoints', {}), /No turns/);
    pause.end(ground.user.store.identity);
    await ground.done('edit_file', { path: 'a.txt', old_text: 'one', new_text: '1' });
  });

  it('is refused where it names a version that is not the file\'s any more', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'one' });
    const version = versionIn(await ground.refused('changed', 'write_file', { path: 'a.txt', content: 'x', version: 'guess' }));
    ground.world.write({ 'a.txt': 'two' });
    await ground.refused('changed', 'write_file', { path: 'a.txt', content: 'x', version });
  });

  it('is refused after a rewind of the file, once, also where other calls come with it', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a b' });
    await ground.done('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'A' });
    await ground.user.rewind(ground.newestTurn());
    assert.equal(ground.text('a.txt'), 'a b');
    // Its text would be found: only the history tells that the model means another file.
    const edits = ['a', 'b'].map(old_text => ground.refused('restored', 'edit_file', { path: 'a.txt', old_text, new_text: 'X' }));
    const [text = ''] = await Promise.all(edits);
    assert.match(text, /changed by a rewind.*Read the file again.*version "\w{12}"/);
    await ground.done('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'X', version: versionIn(text) });
    await ground.done('edit_file', { path: 'a.txt', old_text: 'b', new_text: 'Y' });
    assert.equal(ground.text('a.txt'), 'X Y');
  });

  it('is refused also where the rewind took the file away, or the model never named it', async () => {
    const ground = await ToolGround.make({ 'b.txt': 'b' });
    await ground.user.turn('t-1', [{ 'b.txt': 'B' }]);
    await ground.done('write_file', { path: 'a.txt', content: 'a' });
    await ground.user.rewind(ground.newestTurn());
    await ground.user.rewind('t-1');
    const text = await ground.refused('restored', 'write_file', { path: 'a.txt', content: 'a' });
    assert.match(text, /not there now/);
    await ground.refused('restored', 'edit_file', { path: 'b.txt', old_text: 'b', new_text: 'x' });
    await ground.done('write_file', { path: 'a.txt', content: 'a', version: versionIn(text) });
    // Who comes only now knows nothing older.
    ground.session = ground.newSession('two');
    await ground.done('edit_file', { path: 'b.txt', old_text: 'b', new_text: 'x' });
  });

  it('is refused after a rewind and its undo, although the bytes are the same', async () => {
    const ground = await ToolGround.make();
    await ground.done('write_file', { path: 'a.txt', content: 'a' });
    await ground.user.rewind(ground.newestTurn());
    await ground.user.undo();
    await ground.refused('restored', 'write_file', { path: 'a.txt', content: 'b' });
  });
});

describe('turns of tool calls', () => {
  it('are one until a call names another, and one more after a rewind', async () => {
    const ground = await ToolGround.make();
    await ground.done('write_file', { path: 'a.txt', content: '1' });
    await ground.done('write_file', { path: 'b.txt', content: '1' });
    await ground.done('write_file', { path: 'c.txt', content: '1' }, { turn: { name: 'p1', prompt: 'make c' } });
    await ground.done('write_file', { path: 'd.txt', content: '1' });
    await ground.session.endTurn();
    await ground.done('write_file', { path: 'e.txt', content: '1' });
    await ground.user.rewind(ground.newestTurn());
    await ground.done('write_file', { path: 'f.txt', content: '1' });
    await ground.session.endTurn();
    assert.deepEqual(ground.turns(), [
      ['closed', 'write_file done: a.txt', 'write_file done: b.txt'],
      ['closed', 'write_file done: c.txt', 'write_file done: d.txt'],
      ['closed', 'write_file done: e.txt'],
      ['closed', 'write_file done: f.txt'],
    ]);
    const { timeline, blobs } = ground.user.store;
    const prompts = [...timeline.turns.values()].map(({ prompt }) => prompt && Buffer.from(blobs.read(prompt)).toString());
    assert.deepEqual(prompts, [undefined, 'make c', undefined, undefined]);
    assert.deepEqual([...timeline.sessions.values()].map(({ agent, agentSession }) => [agent, agentSession]), [['model', 'one']]);
  });

  it('that were rewound take no more calls where the agent goes on in them by name', async () => {
    const ground = await ToolGround.make();
    const turn = { name: 'p1' };
    await ground.done('write_file', { path: 'a.txt', content: '1' }, { turn });
    await ground.user.rewind(ground.newestTurn());
    await ground.refused('superseded', 'write_file', { path: 'b.txt', content: '1' }, { turn });
    await ground.done('write_file', { path: 'b.txt', content: '1' }, { turn: { name: 'p2' } });
  });
});

describe('looking tools', () => {
  it('list turns, steps and checkpoints, and show what they changed', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'one\n' });
    assert.match(await ground.done('list_checkpoints', {}), /No turns are recorded here yet/);
    await ground.done('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' }, { turn: { name: 'p', prompt: 'say two' } });
    await ground.user.recorder.addCheckpoint('k-1', 'before three');
    await ground.done('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' });
    const turn = ground.newestTurn();
    const list = await ground.done('list_checkpoints', { limit: 5 });
    assert.match(list, new RegExp(`${turn}  .*  model  say two \\(open\\)\n    M a.txt \\+1 -1\n`));
    assert.match(list, /k-1 {2}.* {2}checkpoint {2}before three/);
    assert.match(await ground.done('diff', { id: turn, path: 'a.txt' }), /^-one\n\+three$/m);
    assert.match(await ground.done('diff', { id: 'k-1' }), /^-two\n\+three$/m);
    assert.match(await ground.done('diff', { id: turn, second_id: 'k-1' }), /^-one\n\+two$/m);
    await ground.refused('notFound', 'diff', { id: 't-none' });
    assert.match(await ground.done('diff', { id: turn, path: 'other.txt' }), /does not differ/);
  });
});
