import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { recoverAll } from '../../../../src/core/rewind/recover.ts';
import { selectRewind } from '../../../../src/core/rewind/travel.ts';
import { FakeWorkspace } from '../../../twins/fakeWorkspace.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { World, actionsOf, project, storage } from '../../../twins/world.ts';

async function edited(contents = { 'a.txt': 'v0\n', 'b.txt': 'v0\n' }): Promise<World> {
  const world = await World.make(contents);
  await world.open().turn('t-1', [{ 'a.txt': 'v1\n' }, { 'b.txt': 'v1\n' }]);
  return world;
}

describe('a restore', () => {
  it('keeps a save that comes while the replacement is being written', async () => {
    const world = await edited();
    const files = faultyFiles(world.memory, ({ method, path }) => {
      // The temporary file of a.txt is being synced.
      if (method === 'sync' && path.endsWith('.tmp') && path.startsWith(`${project}/`) && world.memory.text(`${project}/a.txt`) === 'v1\n') world.write({ 'a.txt': 'mine\n' });
      return undefined;
    });
    const result = await world.open(files).rewind('t-1');
    assert.deepEqual(actionsOf(result), { 'a.txt': 'restore skipped', 'b.txt': 'restore' });
    assert.deepEqual(world.tree(), { 'a.txt': '644 mine\n', 'b.txt': '644 v0\n' });
    // The record names what was found there, so the store has it.
    world.write({ 'a.txt': 'mine again\n' });
    assert.equal(Buffer.from(world.open().store.blobs.read(sha256(Buffer.from('mine\n')))).toString(), 'mine\n');
  });

  it('is not undone over a save that came when it had written and not yet looked', async () => {
    const world = await edited();
    let renamed = false;
    const files = faultyFiles(world.memory, ({ method, path }) => {
      if (method === 'syncDirectory' && renamed) {
        renamed = false;
        world.write({ 'a.txt': 'mine\n' });
      }
      if (method === 'rename' && path.startsWith(project) && world.memory.text(`${project}/a.txt`) === 'v1\n') renamed = true;
      return undefined;
    });
    assert.deepEqual(actionsOf(await world.open(files).rewind('t-1')), { 'a.txt': 'restore failed', 'b.txt': 'restore' });
    const blocked = await world.open().undo();
    assert.deepEqual([blocked.kind, actionsOf(blocked)], ['blocked', { 'a.txt': 'conflict', 'b.txt': 'restore' }]);
    await world.open().undo('overwrite');
    assert.deepEqual(world.tree(), { 'a.txt': '644 v1\n', 'b.txt': '644 v1\n' });
  });

  it('never lets anybody look into a file through its temporary one', async () => {
    const world = await World.make();
    world.memory.put(`${project}/key.pem`, 'key\n', 0o600);
    world.memory.put(`${project}/run.sh`, 'run\n', 0o755);
    await world.open().turn('t-1', [{ 'key.pem': 'other\n' }, { 'run.sh': 'other\n' }]);
    const modes = new Map<string, Set<number>>();
    const files = faultyFiles(world.memory, () => {
      for (const name of world.memory.readDirectory(project).filter(entry => entry.endsWith('.tmp'))) {
        const seen = modes.get(name) ?? new Set();
        modes.set(name, seen.add(world.memory.stat(`${project}/${name}`)?.mode ?? 0));
      }
      return undefined;
    });
    await world.open(files).rewind('t-1');
    assert.deepEqual([...modes.values()].map(seen => [...seen]).sort(), [[0o600], [0o600, 0o755]]);
    assert.deepEqual(world.tree(), { 'key.pem': '600 key\n', 'run.sh': '755 run\n' });
  });

  it('writes nothing where the safety copy can\'t be stored', async () => {
    const world = await edited();
    world.write({ 'a.txt': 'mine\n' });
    const before = world.tree();
    const full = faultyFiles(world.memory, whenever('write', /pack$/, { kind: 'error', code: 'ENOSPC' }));
    await assert.rejects(world.open(full).rewind('t-1', 'overwrite'), error => TurnstoneError.is(error, 'readOnly') && /ENOSPC/.test(error.message));
    assert.deepEqual(world.tree(), before);
  });

  it('does the rest where one file fails, and that one when tried again', async () => {
    const world = await edited();
    const stubborn = faultyFiles(world.memory, whenever('rename', /a\.txt$/, { kind: 'error', code: 'EACCES' }));
    const result = await world.open(stubborn).rewind('t-1');
    assert.deepEqual([actionsOf(result), world.tree()], [{ 'a.txt': 'restore failed', 'b.txt': 'restore' }, { 'a.txt': '644 v1\n', 'b.txt': '644 v0\n' }]);
    assert.deepEqual(actionsOf(await world.open().rewind('t-1')), { 'a.txt': 'restore', 'b.txt': 'unchanged' });
  });

  for (const kind of ['undo', 'redo'] as const) {
    it(`that is to ${kind} one is done fully when asked again`, async () => {
      const world = await edited();
      await world.open().rewind('t-1');
      if (kind === 'redo') await world.open().undo();
      const stubborn = faultyFiles(world.memory, whenever('rename', /a\.txt$/, { kind: 'error', code: 'EACCES' }));
      assert.deepEqual(actionsOf(await world.open(stubborn)[kind]()), { 'a.txt': 'restore failed', 'b.txt': 'restore' });
      assert.deepEqual(actionsOf(await world.open()[kind]()), { 'a.txt': 'restore', 'b.txt': 'unchanged' });
      assert.deepEqual(new Set(Object.values(world.tree())), new Set([kind === 'undo' ? '644 v1\n' : '644 v0\n']));
      await assert.rejects(world.open()[kind](), error => TurnstoneError.is(error, 'notFound'));
    });
  }

  it('keeps permissions that the user changed, also when it is done again', async () => {
    const world = await edited();
    world.memory.setMode(`${project}/a.txt`, 0o755);
    const agent = world.open();
    await agent.rewind('t-1');
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), { 'a.txt': '755 v0\n', 'b.txt': '644 v0\n' });
    await agent.undo();
    assert.deepEqual(world.tree(), { 'a.txt': '755 v1\n', 'b.txt': '644 v1\n' });
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), { 'a.txt': '755 v0\n', 'b.txt': '644 v0\n' });
  });

  it('only sets permissions where nothing else differs', async () => {
    const world = await World.make({ 'a.txt': 'same\n' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.recorder.run({ session: 's-a', turn: 't-1', call: 'c-1', tool: 'Write', paths: [`${project}/a.txt`] }, async () => world.memory.setMode(`${project}/a.txt`, 0o700));
    const inode = world.memory.stat(`${project}/a.txt`)?.identity;
    await agent.rewind('t-1');
    assert.deepEqual([world.tree(), world.memory.stat(`${project}/a.txt`)?.identity], [{ 'a.txt': '644 same\n' }, inode]);
  });

  it('does not bring back what is gone already, nor a file that the user deleted, unless told', async () => {
    const world = await World.make({ 'old.txt': 'v0\n' });
    const agent = world.open();
    await agent.turn('t-1', [{ 'made.txt': 'made\n', 'old.txt': 'v1\n' }]);
    world.write({ 'made.txt': null, 'old.txt': null });
    assert.deepEqual(actionsOf(await agent.rewind('t-1')), { 'made.txt': 'unchanged', 'old.txt': 'conflict' });
    assert.deepEqual(world.tree(), {});
    await agent.rewind('t-1', 'overwrite');
    assert.deepEqual(world.tree(), { 'old.txt': '644 v0\n' });
  });

  it('closes a call that never ended with what the disk holds', async () => {
    const world = await World.make({ 'a.txt': 'v0\n' });
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.begin('t-1', { 'a.txt': 'half\n', 'new/b.txt': 'b\n' });
    await agent.rewind('t-1');
    assert.deepEqual(world.tree(), { 'a.txt': '644 v0\n' });
    await agent.undo();
    assert.deepEqual(world.tree(), { 'a.txt': '644 half\n', 'new/': '755', 'new/b.txt': '644 b\n' });
  });

  it('is refused while another one is at work in a live process', async () => {
    const world = await edited();
    const [first, second] = [world.open(), world.open()];
    await first.store.restoring(async () => {
      await assert.rejects(second.rewind('t-1'), error => TurnstoneError.is(error, 'busy'));
    });
    assert.equal((await second.rewind('t-1')).kind, 'applied');
  });

  it('makes its plan anew when the agent goes on meanwhile, and covers that too', async () => {
    const world = await edited();
    let plans = 0;
    const pending: Promise<void>[] = [];
    const files = faultyFiles(world.memory, ({ method, path }) => {
      // The safety copies are about to be taken: the plan is made, the intent is not.
      if (method === 'open' && path.startsWith(`${storage}/`) && path.includes('/lock.') && plans === 1 && pending.length === 0) pending.push(world.open().call('t-1', { 'b.txt': 'v2\n' }));
      return undefined;
    });
    const actor = world.open(files);
    const result = await actor.restore((timeline, look) => {
      plans += 1;
      return selectRewind(timeline, 't-1', look);
    });
    await Promise.all(pending);
    assert.deepEqual([result.kind, plans, world.tree()], ['applied', 2, { 'a.txt': '644 v0\n', 'b.txt': '644 v0\n' }]);
  });
});

describe('unsaved documents', () => {
  it('stop a restore, and when given up their text is stored and replaced through the editor', async () => {
    const world = await edited();
    const workspace = new FakeWorkspace(world.memory);
    workspace.type(`${project}/a.txt`, 'typed\n');
    const actor = world.open(faultyFiles(world.memory), workspace);
    assert.deepEqual(actionsOf(await actor.rewind('t-1')), { 'a.txt': 'conflict', 'b.txt': 'restore' });
    assert.equal(world.memory.text(`${project}/a.txt`), 'v1\n');
    assert.equal((await actor.rewind('t-1', 'overwrite')).kind, 'applied');
    assert.equal(world.memory.text(`${project}/a.txt`), 'v0\n');
    assert.equal(Buffer.from(actor.store.blobs.read(sha256(Buffer.from('typed\n')))).toString(), 'typed\n');
    assert.equal(workspace.unsaved().size, 0);
  });

  it('that are saved with more text after the user gave them up stay', async () => {
    const world = await edited();
    const workspace = new FakeWorkspace(world.memory);
    workspace.type(`${project}/b.txt`, 'typed\n');
    workspace.onYield = () => {
      // Between the first file and this one the user types on and saves.
      if (!workspace.unsaved().has(`${project}/b.txt`)) return;
      workspace.type(`${project}/b.txt`, 'typed on\n');
      workspace.save(`${project}/b.txt`);
    };
    const result = await world.open(faultyFiles(world.memory), workspace).rewind('t-1', 'overwrite');
    assert.deepEqual([actionsOf(result), world.memory.text(`${project}/b.txt`)], [{ 'a.txt': 'restore', 'b.txt': 'restore skipped' }, 'typed on\n']);
  });

  it('of another window can\'t be given up here', async () => {
    const world = await edited();
    const workspace = new FakeWorkspace(world.memory);
    workspace.typeElsewhere(`${project}/a.txt`);
    const result = await world.open(faultyFiles(world.memory), workspace).rewind('t-1', 'overwrite');
    assert.deepEqual([result.kind, world.memory.text(`${project}/b.txt`)], ['blocked', 'v1\n']);
  });

  it('that appear during the restore stop just their file', async () => {
    const world = await edited();
    const workspace = new FakeWorkspace(world.memory);
    workspace.onYield = () => workspace.type(`${project}/b.txt`, 'typed\n');
    const result = await world.open(faultyFiles(world.memory), workspace).rewind('t-1');
    assert.deepEqual([actionsOf(result), world.memory.text(`${project}/b.txt`)], [{ 'a.txt': 'restore', 'b.txt': 'restore skipped' }, 'v1\n']);
  });
});

describe('recovery', () => {
  /** A rewind whose process died right after its intent. */
  async function intended(world: World): Promise<void> {
    const dying = faultyFiles(world.memory, whenever('open', /^\/project\//, { kind: 'crash' }));
    await world.open(dying).rewind('t-1').catch(() => undefined);
  }

  it('leaves a live owner\'s intent alone', async () => {
    const world = await edited();
    await intended(world);
    world.memory.put('/proc/sys/kernel/hostname', 'another machine');
    const { context, store } = world.open();
    assert.deepEqual([await recoverAll(context), store.timeline.operations.size, world.tree()], [[], 1, { 'a.txt': '644 v1\n', 'b.txt': '644 v1\n' }]);
  });

  it('leaves what was edited since, and says so', async () => {
    const world = await edited();
    await intended(world);
    world.reboot();
    world.write({ 'a.txt': 'mine\n' });
    const { context, store } = world.open();
    const [operation] = await store.restoring(() => recoverAll(context));
    const done = store.timeline.operations.get(operation?.id as string)?.done?.paths.map(({ path, outcome }) => [path, outcome]);
    assert.deepEqual([done, world.tree()], [[['a.txt', 'skipped'], ['b.txt', 'done']], { 'a.txt': '644 mine\n', 'b.txt': '644 v0\n' }]);
  });

  it('finishes a file with two names that the power left in any mixture of old and new blocks, and nothing else', async () => {
    const blocks = (...letters: readonly string[]): string => letters.map(letter => letter.repeat(512)).join('');
    const [old, fresh] = [blocks('o', 'o', 'o'), blocks('f', 'f', 'f', 'f', 'f')];
    const left = {
      finished: [blocks('f', 'o', 'o'), blocks('o', 'f', 'o'), blocks('o', 'o', 'f', '\0', 'f'), blocks('f', 'f', 'o', '\0'), `${'f'.repeat(700)}${'o'.repeat(836)}`, blocks('o', 'o', 'o', '\0', '\0')],
      kept: [blocks('o', 'x', 'o'), blocks('f', 'f'), `${'o'.repeat(700)}${'f'.repeat(836)}`, `${blocks('o', 'o', 'o')}mine`, blocks('f', 'f', 'f', 'f', 'f', 'f')],
    };
    for (const [end, contents] of Object.entries(left)) {
      for (const content of contents) {
        const world = await World.make({ 'a.txt': fresh });
        world.memory.hardLink(`${project}/a.txt`, `${project}/twin.txt`);
        await world.open().turn('t-1', [{ 'a.txt': old }]);
        const dying = faultyFiles(world.memory, whenever('sync', /a\.txt$/, { kind: 'crash' }));
        await world.open(dying).rewind('t-1').catch(() => undefined);
        world.reboot();
        world.write({ 'a.txt': content });
        const { context, store } = world.open();
        await store.restoring(() => recoverAll(context));
        assert.equal(world.memory.text(`${project}/twin.txt`), end === 'finished' ? fresh : content, `${end}: ${content.length}`);
      }
    }
  });

  it('is announced by a dry run, which does nothing of it', async () => {
    const world = await edited();
    await intended(world);
    world.reboot();
    const before = world.tree();
    const result = await world.open().restore((timeline, look) => selectRewind(timeline, 't-1', look), 'stop', true);
    assert.deepEqual([result.kind, result.plan.warnings, world.tree()], ['planned', ['A restore that was cut short is finished first. What that does is not in this plan.'], before]);
  });

  it('does nothing in a damaged store', async () => {
    const world = await edited();
    await intended(world);
    world.reboot();
    const log = world.memory.readDirectory(`${storage}/roots`)[0] as string;
    const path = `${storage}/roots/${log}/journal/000001.log`;
    world.memory.put(path, world.memory.text(path).replace('"tool":"Write"', '"tool":"Wrote"'));
    const { context, store } = world.open();
    await assert.rejects(store.restoring(() => recoverAll(context)), error => TurnstoneError.is(error, 'damaged'));
    assert.deepEqual(world.tree(), { 'a.txt': '644 v1\n', 'b.txt': '644 v1\n' });
  });
});
