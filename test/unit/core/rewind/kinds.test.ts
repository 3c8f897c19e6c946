import assert from 'node:assert/strict';
import { stepsOf } from '../../../../src/core/rewind/inTheWay.ts';
import { recoverAll } from '../../../../src/core/rewind/recover.ts';
import { restore } from '../../../../src/core/rewind/restore.ts';
import { selectRewind, selectTravel } from '../../../../src/core/rewind/travel.ts';
import { firstBranch } from '../../../../src/core/timeline/branches.ts';
import { faultyFiles } from '../../../twins/faultyFiles.ts';
import { World, actionsOf, project, type Actor, type Contents } from '../../../twins/world.ts';

/** What may be at one name: a file's text, a link, or a folder's files. */
interface Shape {
  readonly name: string;
  readonly files: Contents;
  readonly link?: string;
}

function shapes(version: string): readonly Shape[] {
  return [
    { name: 'nothing', files: {} },
    { name: 'a file', files: { x: `file ${version}` } },
    { name: 'a folder', files: { 'x/y': `y ${version}`, 'x/deep/er/z': `z ${version}` } },
    { name: 'a link', files: {}, link: `other-${version}` },
  ];
}

/** What links lead to: the same names are behind them. */
const behind = { 'other-0/y': 'behind', 'other-1/y': 'behind', 'keep.txt': 'kept' };

function removeAll({ memory }: World, path: string): void {
  const kind = memory.stat(path)?.kind;
  if (kind === 'directory') {
    for (const name of memory.readDirectory(path)) removeAll({ memory } as World, `${path}/${name}`);
    memory.removeDirectory(path);
  } else if (kind !== undefined) memory.remove(path);
  memory.settle(path);
}

function put(world: World, { files, link }: Shape, name = 'x'): void {
  removeAll(world, `${project}/${name}`);
  world.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [name + path.slice(1), text])));
  if (link === undefined) return;
  world.memory.symbolicLink(link, `${project}/${name}`);
  world.memory.settle(`${project}/${name}`);
}

type Tree = ReturnType<World['tree']>;

/** A command of turn t-1 that makes one of the other. */
async function changed(begin: (world: World) => void, end: (world: World) => void): Promise<{ readonly world: World; readonly actor: Actor; readonly trees: readonly [Tree, Tree] }> {
  const world = await World.make(behind);
  begin(world);
  const before = world.tree();
  const actor = world.open();
  await actor.recorder.addCheckpoint('p-1', 'good');
  await actor.openTurn('t-1');
  const ended = await actor.beginShell('t-1', {});
  end(world);
  await ended();
  await actor.recorder.closeTurn('s-a', 't-1');
  return { world, actor, trees: [before, world.tree()] };
}

const toBranch = (actor: Actor): ReturnType<Actor['restore']> =>
  actor.restore((timeline, look) => selectTravel(timeline, { kind: 'switch', target: firstBranch, scope: 'code' }, look));
const toCheckpoint = (actor: Actor): ReturnType<Actor['restore']> =>
  actor.restore((timeline, look) => selectTravel(timeline, { kind: 'rewind', target: 'p-1', scope: 'code' }, look));

/** There and back in every way, each by one restore that leaves nothing. */
async function everyWay({ world, actor, trees: [before, after] }: Awaited<ReturnType<typeof changed>>): Promise<void> {
  const ways: readonly (readonly [string, () => ReturnType<Actor['restore']>, unknown])[] = [
    ['rollback', () => actor.rollback('t-1'), before],
    ['undo of the rollback', () => actor.undo(), after],
    ['rewind', () => actor.rewind('t-1'), before],
    ['undo', () => actor.undo(), after],
    ['redo', () => actor.redo(), before],
    ['switch', () => toBranch(actor), after],
    ['rewind to a checkpoint', () => toCheckpoint(actor), before],
    ['undo of that', () => actor.undo(), after],
    ['redo of that', () => actor.redo(), before],
  ];
  for (const [way, go, expected] of ways) {
    const result = await go();
    assert.equal(result.kind, 'applied', `${way}: ${JSON.stringify(result.plan.items.map(({ path, action, reason }) => [path, action, reason]))}`);
    assert.deepEqual(Object.values(actionsOf(result)).filter(action => !/^(create|delete|restore|unchanged)$/.test(action)), [], way);
    assert.deepEqual(world.tree(), expected, way);
  }
}

describe('what became of another kind', () => {
  for (const before of shapes('0')) {
    for (const after of shapes('1')) {
      if (before.name === 'nothing' && after.name === 'nothing') continue;
      it(`comes and goes in one restore: ${after.name} in the place of ${before.name}`, async () => {
        await everyWay(await changed(world => put(world, before), world => put(world, after)));
      });
    }
  }

  it('comes and goes also where one plan does both, next to each other and one in the other', async () => {
    const [, file, folder, link] = shapes('0') as [Shape, Shape, Shape, Shape];
    await everyWay(await changed(
      world => {
        put(world, file, 'a');
        put(world, folder, 'b');
        put(world, link, 'c');
        put(world, folder, 'd');
        put(world, folder, 'e');
      },
      world => {
        put(world, folder, 'a');
        put(world, file, 'b');
        put(world, folder, 'c');
        put(world, link, 'd');
        put(world, file, 'e/y');
        removeAll(world, `${project}/e/deep`);
        put(world, file, 'e/deep');
        removeAll(world, `${project}/e/y`);
        put(world, folder, 'e/y');
      },
    ));
  });

  for (const [from, to] of [['a file', 'a folder'], ['a folder', 'a file']]) {
    it(`comes and goes also where one call declares all of it: ${to} in the place of ${from}`, async () => {
      const [before, after] = [shapes('0').find(({ name }) => name === from) as Shape, shapes('1').find(({ name }) => name === to) as Shape];
      const world = await World.make(behind);
      put(world, before);
      const trees = [world.tree()];
      const actor = world.open();
      await actor.openTurn('t-1');
      const paths = ['x', 'x/y', 'x/deep/er/z'].map(path => `${project}/${path}`);
      await actor.recorder.run({ session: 's-a', turn: 't-1', call: 'c-1', tool: 'Patch', paths }, async () => put(world, after));
      trees.push(world.tree());
      await actor.rewind('t-1');
      assert.deepEqual(world.tree(), trees[0]);
      await actor.undo();
      assert.deepEqual(world.tree(), trees[1]);
      await actor.redo();
      assert.deepEqual(world.tree(), trees[0]);
      await toBranch(actor);
      assert.deepEqual(world.tree(), trees[1]);
    });
  }

  it('goes where the agent had made the folder before the command that filled it', async () => {
    const { world, actor, trees: [before] } = await changed(world => world.write({ x: 'file' }), world => {
      removeAll(world, `${project}/x`);
      world.memory.folder(`${project}/x`);
    });
    await actor.openTurn('t-2');
    await actor.call('t-2', { 'x/y': 'new' });
    await actor.rewind('t-1');
    assert.deepEqual(world.tree(), before);
  });

  it('goes where a call said that it makes a folder of a file that the agent had made', async () => {
    const world = await World.make();
    const actor = world.open();
    await actor.turn('t-1', [{ x: 'file' }]);
    await actor.openTurn('t-2');
    await actor.recorder.run({ session: 's-a', turn: 't-2', call: 'c-2', tool: 'Patch', paths: ['x', 'x/y'].map(path => `${project}/${path}`) }, async () => put(world, shapes('1')[2] as Shape));
    world.write({ 'x/deep/er/z': null });
    for (const folder of ['x/deep/er', 'x/deep']) world.memory.removeDirectory(`${project}/${folder}`);
    await actor.rewind('t-1');
    assert.deepEqual(world.tree(), {});
  });

  it('comes back as an empty folder with its permissions, where a call said that a file takes its place', async () => {
    const world = await World.make();
    world.memory.folder(`${project}/x`);
    world.memory.setMode(`${project}/x`, 0o700);
    const before = world.tree();
    const actor = world.open();
    await actor.openTurn('t-1');
    await actor.recorder.run({ session: 's-a', turn: 't-1', call: 'c-1', tool: 'Patch', paths: [`${project}/x`] }, async () => put(world, shapes('1')[1] as Shape));
    const after = world.tree();
    await actor.rewind('t-1');
    assert.deepEqual(world.tree(), before);
    await actor.undo();
    assert.deepEqual(world.tree(), after);
    await actor.redo();
    assert.deepEqual(world.tree(), before);
  });

  it('comes back several steps later', async () => {
    const [nothing, file, folder, link] = shapes('0') as [Shape, Shape, Shape, Shape];
    const world = await World.make(behind);
    put(world, folder);
    const actor = world.open();
    const trees: unknown[] = [];
    const steps = [file, folder, link, folder, nothing, file, link, file, folder];
    for (const [index, shape] of steps.entries()) {
      trees.push(world.tree());
      await actor.openTurn(`t-${index}`);
      const ended = await actor.beginShell(`t-${index}`, {});
      put(world, shape);
      await ended();
    }
    const end = world.tree();
    for (const [index, tree] of trees.entries()) {
      await actor.rewind(`t-${index}`);
      assert.deepEqual(world.tree(), tree, `t-${index}`);
      await actor.undo();
      assert.deepEqual(world.tree(), end, `back from t-${index}`);
    }
  });
});

describe('a folder that became a link', () => {
  const [, , folder, link] = shapes('0') as [Shape, Shape, Shape, Shape];
  const drifted = ({ store }: Actor): readonly string[] => [...store.timeline.changes.values()].flat().filter(({ by }) => by.kind === 'drift').map(({ path }) => path);

  it('is not looked through by a checkpoint, a prompt or a call that is given up', async () => {
    const { world, actor, trees: [before, after] } = await changed(start => put(start, folder), end => put(end, link));
    await actor.recorder.addCheckpoint('p-2', 'later');
    await actor.openTurn('t-2');
    actor.store.refresh();
    assert.deepEqual(drifted(actor), []);
    assert.equal((await toCheckpoint(actor)).kind, 'applied');
    assert.deepEqual(world.tree(), before);
    await actor.undo();
    assert.deepEqual(world.tree(), after);
  });

  for (const outcome of ['done', 'given up'] as const) {
    it(`holds nothing of what is behind it for a call that had named a file in it, ${outcome}`, async () => {
      const world = await World.make({ ...behind, 'x/y': 'y 0' });
      const actor = world.open();
      await actor.openTurn('t-1');
      const call = { session: 's-a', turn: 't-1', call: 'c-1', paths: [`${project}/x/y`] };
      await actor.recorder.begin({ ...call, tool: 'Write' });
      put(world, link);
      if (outcome === 'done') await actor.recorder.end({ ...call, outcome });
      else await actor.openTurn('t-2');
      actor.store.refresh();
      assert.deepEqual(actor.store.timeline.paths.get('x/y'), { kind: 'absent' });
    });
  }
});

describe('a restore that changes kinds and is cut short', () => {
  const [, file, folder, link] = shapes('0') as [Shape, Shape, Shape, Shape];
  const changesFiles = new Set(['remove', 'removeDirectory', 'makeDirectory', 'open', 'rename', 'symbolicLink', 'syncDirectory', 'setMode']);

  for (const [before, after] of [[file, folder], [folder, file], [folder, link], [link, folder]] as const) {
    it(`is finished as a whole wherever that was, and taken back in one step: ${before.name} again in the place of ${after.name}`, async () => {
      const { world: start, trees: [goal] } = await changed(world => put(world, before), world => {
        put(world, after);
        if (after === folder) for (const name of ['x', 'x/deep']) world.memory.setMode(`${project}/${name}`, 0o700);
      });
      const from = start.tree();
      for (let kill = 0; ; kill += 1) {
        const world = start.copy();
        let operations = -1;
        const files = faultyFiles(world.memory, ({ method, path }) => {
          if (!changesFiles.has(method) || !path.startsWith(project)) return undefined;
          operations += 1;
          return operations === kill ? { kind: 'crash' } : undefined;
        });
        const died = await world.open(files).rewind('t-1').then(() => false, () => true);
        if (!died) {
          assert.ok(kill > 5, 'it was cut short');
          break;
        }
        world.reboot();
        const found = world.tree();
        const heir = world.open();
        const ended = await heir.store.restoring(() => recoverAll(heir.context));
        const toDo = ended.flatMap(({ intent }) => intent.paths).filter(({ path }) => found[path] !== goal[path]).length;
        assert.deepEqual(ended.map(({ written, left }) => [written, left]), [[toDo, 0]], `killed at ${kill}`);
        assert.deepEqual(world.tree(), goal, `killed at ${kill}`);
        const done = [...heir.store.timeline.operations.values()].at(-1)?.done;
        assert.deepEqual(new Set(done?.paths.map(({ outcome }) => outcome)), new Set(['done']), `killed at ${kill}`);
        await world.open().undo();
        assert.deepEqual(world.tree(), from, `killed at ${kill}, taken back`);
      }
    });
  }
});

describe('the steps of a restore', () => {
  it('never make a folder where a file is to be, or in its place', () => {
    const content = { kind: 'content', hash: '0'.repeat(64), mode: 0o644, size: 1 } as const;
    const file = { path: 'x', action: 'create', before: { kind: 'absent' }, after: content } as const;
    const { folders } = stepsOf({ paths: [file], made: ['x', 'x/e', 'xe'].map(path => ({ path, mode: 0o755 })), emptied: [] });
    assert.deepEqual([...folders], ['xe']);
  });
});

describe('work that is in the way of another kind', () => {
  const [nothing, file, folder, link] = shapes('0') as [Shape, Shape, Shape, Shape];

  /** Whatever is decided, but to leave it, nothing at all is written. */
  async function isStuck(world: World, actor: Actor, decisions: readonly ('stop' | 'merge' | 'overwrite')[] = ['stop', 'merge', 'overwrite']): Promise<void> {
    const before = world.tree();
    for (const decision of decisions) {
      assert.equal((await actor.rewind('t-1', decision)).kind, 'blocked', decision);
      assert.deepEqual(world.tree(), before, decision);
    }
  }

  for (const place of ['x/mine', 'x/deep/er/mine', 'x/deep/mine/mine']) {
    for (const before of [file, link]) {
      it(`a user's file in a folder stays, and the folder with it: ${place}, where ${before.name} was`, async () => {
        const { world, actor } = await changed(start => put(start, before), end => put(end, folder));
        world.write({ [place]: 'mine', 'keep.txt': 'kept' });
        await isStuck(world, actor);
        const skipped = await actor.rewind('t-1', 'skip');
        assert.deepEqual(actionsOf(skipped), { x: 'conflict', 'x/deep/er/z': 'delete', 'x/y': 'delete' });
        assert.equal(world.memory.text(`${project}/${place}`), 'mine');
        // It is out of the way: the rest comes.
        removeAll(world, `${project}/${place.endsWith('mine/mine') ? 'x/deep/mine' : place}`);
        await actor.rewind('t-1');
        assert.deepEqual(Object.keys(world.tree()).filter(path => path.startsWith('x')), ['x']);
      });
    }
  }

  it('an ignored file in a folder stays, and the folder with it', async () => {
    const { world, actor } = await changed(start => {
      start.memory.folder(`${project}/.git/info`);
      start.memory.put(`${project}/.git/HEAD`, 'ref: refs/heads/main\n');
      start.write({ '.gitignore': '*.log\n', x: 'file' });
    }, end => {
      removeAll(end, `${project}/x`);
      end.write({ 'x/y': 'y', 'x/run.log': 'log' });
    });
    await isStuck(world, actor);
    await actor.rewind('t-1', 'skip');
    assert.equal(world.memory.text(`${project}/x/run.log`), 'log');
  });

  it('a user\'s change to a file in a folder is asked for, and kept', async () => {
    const { world, actor, trees: [before] } = await changed(start => put(start, file), end => put(end, folder));
    world.write({ 'x/deep/er/z': 'mine' });
    await isStuck(world, actor, ['stop', 'merge']);
    const mine = world.tree();
    await actor.rewind('t-1', 'overwrite');
    assert.deepEqual(world.tree(), before);
    await actor.undo();
    assert.deepEqual(world.tree(), mine);
  });

  it('a user\'s change to a file in a folder\'s place is asked for, and kept', async () => {
    const { world, actor, trees: [before] } = await changed(start => put(start, folder), end => put(end, file));
    world.write({ x: 'mine' });
    await isStuck(world, actor, ['stop', 'merge']);
    const mine = world.tree();
    assert.deepEqual(actionsOf(await actor.rewind('t-1', 'skip')), { x: 'conflict', 'x/deep/er/z': 'conflict', 'x/y': 'conflict' });
    assert.deepEqual(world.tree(), mine);
    await actor.rewind('t-1', 'overwrite');
    assert.deepEqual(world.tree(), before);
    await actor.undo();
    assert.deepEqual(world.tree(), mine);
  });

  it('a file that only the user made in the place of a folder stays', async () => {
    const { world, actor } = await changed(start => put(start, folder), end => {
      put(end, nothing);
    });
    world.write({ x: 'mine' });
    await isStuck(world, actor);
    await actor.rewind('t-1', 'skip');
    assert.equal(world.memory.text(`${project}/x`), 'mine');
    world.write({ x: null });
    await actor.rewind('t-1');
    assert.equal(world.memory.text(`${project}/x/y`), 'y 0');
  });

  it('a link that only the user made in the place of a folder is neither followed nor replaced', async () => {
    const { world, actor } = await changed(start => put(start, folder), end => {
      put(end, nothing);
    });
    put(world, link);
    const mine = world.tree();
    assert.deepEqual(actionsOf(await actor.rewind('t-1', 'overwrite')), { 'x/deep/er/z': 'unavailable', 'x/y': 'unavailable' });
    assert.deepEqual(world.tree(), mine);
  });

  it('an empty folder of the user\'s is asked for, and comes back', async () => {
    const { world, actor, trees: [before] } = await changed(start => put(start, file), end => {
      put(end, nothing);
    });
    world.memory.folder(`${project}/x/empty`);
    world.memory.setMode(`${project}/x/empty`, 0o700);
    const mine = world.tree();
    await isStuck(world, actor, ['stop', 'merge']);
    await actor.rewind('t-1', 'overwrite');
    assert.deepEqual(world.tree(), before);
    await actor.undo();
    assert.deepEqual(world.tree(), mine);
  });

  it('is guarded again after an undo brought a folder back', async () => {
    const world = await World.make({ x: 'v0' });
    const actor = world.open();
    await actor.openTurn('t-1');
    await actor.call('t-1', { x: 'v1' });
    world.write({ x: 'mine' });
    const paths = ['x', 'x/y', 'x/deep/er/z'].map(path => `${project}/${path}`);
    await actor.recorder.run({ session: 's-a', turn: 't-1', call: 'c-2', tool: 'Patch', paths }, async () => put(world, folder));
    await isStuck(world, actor, ['stop', 'merge']);
    await actor.rewind('t-1', 'overwrite');
    await actor.undo();
    await isStuck(world, actor, ['stop', 'merge']);
  });

  it('what comes into a folder while the restore is prepared stops it', async () => {
    const { world, actor } = await changed(start => put(start, file), end => put(end, folder));
    let plans = 0;
    const result = await restore(actor.context, (timeline, look) => selectRewind(timeline, 't-1', look), {
      decide: () => 'stop',
      dryRun: false,
      agrees: () => {
        plans += 1;
        world.write({ 'x/late': 'mine' });
        return true;
      },
    });
    assert.deepEqual([result.kind, plans], ['blocked', 1]);
    assert.deepEqual([world.memory.text(`${project}/x/late`), world.memory.text(`${project}/x/y`)], ['mine', 'y 0']);
  });

  it('of two sessions, one of which is to have a file where the other is to have a folder again, is decided before anything is written', async () => {
    const world = await World.make({ x: 'file' });
    const actor = world.open();
    await actor.openTurn('t-1');
    await actor.call('t-1', { x: null });
    await actor.turn('t-b', [{ 'x/y': 'other' }], 's-b');
    await actor.call('t-1', { 'x/y': null });
    removeAll(world, `${project}/x`);
    await isStuck(world, actor);
    assert.deepEqual(actionsOf(await actor.rewind('t-1', 'skip')), { x: 'conflict', 'x/y': 'create' });
    assert.equal(world.memory.text(`${project}/x/y`), 'other');
  });
});
