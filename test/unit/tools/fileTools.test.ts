import assert from 'node:assert/strict';
import type { RefusalCode } from '../../../src/tools/toolResult.ts';
import { ToolSession } from '../../../src/tools/toolSession.ts';
import { faultyFiles, whenever } from '../../twins/faultyFiles.ts';
import { neighbour, project, storage, type Contents, type World } from '../../twins/world.ts';
import { ToolGround } from './ground.ts';

describe('the file tools', () => {
  it('write, edit, move and delete, and a rewind of their turn gives everything back', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'b', 'old/c.txt': 'c' });
    ground.world.memory.setMode(`${project}/a.txt`, 0o755);
    const before = ground.world.tree();
    await ground.done('write_file', { path: 'new/deep/d.txt', content: 'd' });
    await ground.done('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'zwei\nthree' });
    await ground.done('multi_edit', { path: `${project}/a.txt`, edits: [{ old_text: 'one', new_text: '1' }, { old_text: 'zwei', new_text: '2' }] });
    await ground.done('delete_file', { path: 'b.txt' });
    await ground.done('move_file', { path: 'old/c.txt', new_path: 'lib/e.txt' });
    const { 'a.txt': a, 'b.txt': b, 'old/c.txt': c, 'lib/e.txt': e, 'new/deep/d.txt': d } = ground.world.tree();
    assert.deepEqual([a, b, c, e, d], ['755 1\r\n2\r\nthree\r\n', undefined, undefined, '644 c', '644 d']);
    assert.deepEqual(ground.turns(), [['open', 'write_file done: new/deep/d.txt', 'edit_file done: a.txt', 'multi_edit done: a.txt', 'delete_file done: b.txt', 'move_file done: old/c.txt lib/e.txt']]);
    await ground.user.rewind(ground.newestTurn());
    assert.deepEqual(ground.world.tree(), before);
  });

  it('leave no trace of a call that is refused', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' });
    await ground.refused('textNotFound', 'edit_file', { path: 'a.txt', old_text: 'x', new_text: 'y' });
    await ground.refused('notFound', 'delete_file', { path: 'none.txt' });
    await ground.refused('input', 'write_file', { path: 'a.txt', content: 1 });
    await ground.refused('input', 'write_file', { path: 'a.txt', content: 'x', contents: 'x' });
    assert.deepEqual([ground.turns(), ground.user.store.timeline.seq], [[], 0]);
  });

  it('make all edits of a file or none', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'one two' });
    const text = await ground.refused('textNotFound', 'multi_edit', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1' }, { old_text: 'three', new_text: '3' }] });
    assert.match(text, /edit 2 of 2.*Nothing was written.*Read the file again/);
  });

  it('go nowhere outside the folder, by no name and no link', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' });
    await ground.world.addNeighbour({ 'n.txt': 'n' });
    const { memory } = ground.world;
    memory.symbolicLink(neighbour, `${project}/out`);
    memory.symbolicLink(`${neighbour}/n.txt`, `${project}/n.txt`);
    memory.symbolicLink(`${neighbour}/dangling`, `${project}/dangling`);
    memory.symbolicLink('a.txt', `${project}/inside`);
    const elsewhere = ground.world.tree(neighbour);
    for (const path of ['../neighbour/n.txt', `${neighbour}/n.txt`, 'out/n.txt', 'out/new.txt', 'n.txt', 'dangling', '.git/config', 'sub/.GIT/hooks/x', `${storage}/roots.json`, '', '.', 'a\0b']) {
      const code = path === '' || path.includes('\0') ? 'input' : 'outside';
      await ground.refused(code, 'write_file', { path, content: 'evil' });
      await ground.refused(code, 'delete_file', { path });
      await ground.refused(code, 'move_file', { path: 'a.txt', new_path: path });
    }
    assert.deepEqual(ground.world.tree(neighbour), elsewhere);
    // A link inside the folder is written through, as by any program, and is not what it points to where it is to go.
    await ground.done('write_file', { path: 'inside', content: 'b' });
    assert.deepEqual([ground.text('a.txt'), ground.world.tree()['inside']], ['b', '-> a.txt']);
    await ground.refused('notFile', 'delete_file', { path: 'inside' });
    await ground.refused('notFile', 'move_file', { path: 'inside', new_path: 'b.txt' });
  });

  /** Something happens when the call's beginning is being recorded: after the tool has looked, and before it writes. */
  async function meanwhile(contents: Contents, event: (world: World) => void): Promise<ToolGround> {
    let isOver = false;
    return ToolGround.make(contents, world =>
      faultyFiles(world.memory, ({ method, path }) => {
        if (isOver || method !== 'write' || !path.includes('/journal/') || !world.memory.text(path).includes('turn.open')) return undefined;
        isOver = true;
        event(world);
        return undefined;
      }),
    );
  }

  it('see a folder on the way that became a link after the look', async () => {
    const ground = await meanwhile({ 'sub/a.txt': 'a' }, ({ memory }) => {
      memory.rename(`${project}/sub`, `${project}/elsewhere`);
      memory.symbolicLink('/outside', `${project}/sub`);
    });
    ground.world.memory.put('/outside/a.txt', 'a');
    const result = await ground.session.call('turnstone_write_file', { path: 'sub/a.txt', content: 'evil' });
    assert.deepEqual([result.kind === 'refused' && result.code, ground.world.memory.text('/outside/a.txt'), ground.text('elsewhere/a.txt')], ['outside', 'a', 'a']);
  });

  const happenings: readonly (readonly [what: string, code: RefusalCode, event: (world: World) => void])[] = [
    ['was changed', 'changed', world => world.write({ 'a.txt': 'mine' })],
    ['was removed', 'changed', world => world.write({ 'a.txt': null })],
    ['became a folder', 'notFile', world => {
      world.write({ 'a.txt': null });
      world.memory.folder(`${project}/a.txt`);
    }],
  ];
  for (const [what, code, event] of happenings) {
    it(`leave alone a file that ${what} after the look`, async () => {
      let after: unknown;
      const ground = await meanwhile({ 'a.txt': 'a' }, world => {
        event(world);
        after = world.tree();
      });
      const result = await ground.session.call('turnstone_edit_file', { path: 'a.txt', old_text: 'a', new_text: 'x' });
      assert.equal(result.kind === 'refused' && result.code, code, result.text);
      assert.deepEqual(ground.world.tree(), after);
      assert.deepEqual(ground.turns(), [['open', 'edit_file failed: a.txt']]);
      // It was somebody else's doing, and stays where the call's turn is taken back.
      await ground.user.rewind(ground.newestTurn());
      assert.deepEqual(ground.world.tree(), after);
    });
  }

  it('leave alone what was typed after the look, and a file that came where one was to be moved', async () => {
    let type = (): void => undefined;
    const typing = await meanwhile({ 'a.txt': 'a' }, () => type());
    type = () => typing.workspace.type(`${project}/a.txt`, 'typed');
    await typing.refused('unsaved', 'write_file', { path: 'a.txt', content: 'x' });
    const moving = await meanwhile({ 'a.txt': 'a' }, world => world.write({ 'b.txt': 'mine' }));
    const result = await moving.session.call('turnstone_move_file', { path: 'a.txt', new_path: 'b.txt' });
    assert.deepEqual([result.kind === 'refused' && result.code, moving.text('a.txt'), moving.text('b.txt')], ['changed', 'a', 'mine']);
  });

  it('refuse folders, what is there already, what is write-protected and what is too large', async () => {
    const ground = await ToolGround.make({ 'dir/a.txt': 'a', 'b.txt': 'b', 'ro.txt': 'r' });
    ground.world.memory.setMode(`${project}/ro.txt`, 0o444);
    await ground.refused('notFile', 'write_file', { path: 'dir', content: 'x' });
    await ground.refused('notFile', 'delete_file', { path: 'dir' });
    await ground.refused('outside', 'write_file', { path: 'b.txt/x', content: 'x' });
    await ground.refused('exists', 'move_file', { path: 'dir/a.txt', new_path: 'b.txt' });
    await ground.refused('protected', 'write_file', { path: 'ro.txt', content: 'x' });
    await ground.refused('protected', 'delete_file', { path: 'ro.txt' });
    await ground.refused('tooLarge', 'write_file', { path: 'new.txt', content: 'x'.repeat(10 * 1024 * 1024 + 1) });
    ground.world.memory.put(`${project}/big.bin`, new Uint8Array(10 * 1024 * 1024 + 1));
    await ground.refused('tooLarge', 'write_file', { path: 'big.bin', content: 'x' });
  });

  it('do not overwrite what an editor holds unsaved', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a', 'b.txt': 'b' });
    ground.workspace.type(`${project}/a.txt`, 'typed');
    ground.workspace.typeElsewhere(`${project}/b.txt`);
    for (const path of ['a.txt', 'b.txt']) {
      assert.match(await ground.refused('unsaved', 'write_file', { path, content: 'x' }), /save or revert it/);
      await ground.refused('unsaved', 'delete_file', { path });
      await ground.refused('unsaved', 'move_file', { path, new_path: 'c.txt' });
    }
    ground.workspace.save(`${project}/a.txt`);
    await ground.done('edit_file', { path: 'a.txt', old_text: 'typed', new_text: 'x' });
  });

  it('write nothing where it can\'t be recorded, and say so', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' }, world => faultyFiles(world.memory, whenever('write', /pack$/, { kind: 'error', code: 'ENOSPC' })));
    assert.match(await ground.refused('notRecording', 'write_file', { path: 'a.txt', content: 'x' }), /^Not recording: .*Nothing was written/);
    const nobody = { ...ground.host, folders: () => [] };
    ground.session = new ToolSession(nobody, { agent: 'model', agentSession: 'x' });
    assert.equal(await ground.refused('notRecording', 'write_file', { path: 'a.txt', content: 'x' }), 'Not recording: nobody has agreed. Nothing was written.');
  });

  it('leave a file as it was where the disk refuses, and the folders made for it gone', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' }, world => faultyFiles(world.memory, whenever('rename', new RegExp(`^${project}/`), { kind: 'error', code: 'EACCES' })));
    for (const [tool, input] of [['write_file', { path: 'a.txt', content: 'x' }], ['write_file', { path: 'new/b.txt', content: 'x' }], ['move_file', { path: 'a.txt', new_path: 'new/deep/a.txt' }]] as const) {
      assert.match(await ground.refused('failed', tool, input), /EACCES.*left as it was/);
    }
    assert.deepEqual(ground.turns(), [['open', 'write_file failed: a.txt', 'write_file failed: new/b.txt', 'move_file failed: a.txt new/deep/a.txt']]);
  });

  it('say that a file was written where only what comes after that failed', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' }, world => faultyFiles(world.memory, whenever('syncDirectory', new RegExp(`^${project}$`), { kind: 'error', code: 'EIO' })));
    assert.match(await ground.done('write_file', { path: 'a.txt', content: 'x' }), /replaced.*did not confirm it \(EIO\)/);
    assert.deepEqual(ground.turns(), [['open', 'write_file done: a.txt']]);
  });

  it('stop where they are cancelled, before they begin and while they wait for their record', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' });
    await ground.refused('cancelled', 'write_file', { path: 'a.txt', content: 'x' }, { signal: AbortSignal.abort() });
    assert.deepEqual(ground.turns(), []);
    const controller = new AbortController();
    const waiting = await meanwhile({ 'a.txt': 'a' }, () => controller.abort());
    assert.match(await waiting.refused('cancelled', 'write_file', { path: 'a.txt', content: 'x' }, { signal: controller.signal }), /Nothing was written/);
    assert.deepEqual(waiting.turns(), [['open', 'write_file failed: a.txt']]);
    await waiting.done('write_file', { path: 'a.txt', content: 'x' });
  });

  it('run one after the other where they are called at once', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a b c' });
    await Promise.all(['a', 'b', 'c'].map(old_text => ground.done('edit_file', { path: 'a.txt', old_text, new_text: old_text.toUpperCase() })));
    assert.equal(ground.text('a.txt'), 'A B C');
  });

  it('keep other names of a file', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' });
    ground.world.memory.hardLink(`${project}/a.txt`, `${project}/same.txt`);
    await ground.done('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'b' });
    assert.equal(ground.text('same.txt'), 'b');
  });

  it('say nothing but what is so where nothing is to be done', async () => {
    const ground = await ToolGround.make({ 'a.txt': 'a' });
    assert.match(await ground.done('write_file', { path: 'a.txt', content: 'a' }), /holds exactly that already/);
    assert.deepEqual(ground.turns(), []);
  });
});
