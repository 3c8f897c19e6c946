import assert from 'node:assert/strict';
import fc from 'fast-check';
import { selectTravel } from '../../../../src/core/rewind/travel.ts';
import { World, actionsOf, project, type Actor } from '../../../twins/world.ts';

/**
 * Commands of one session put files, links and folders in each other's place, however deep, and nobody else changes anything. Then every point of
 * the history is one tree, a restore brings exactly that in one step, and an undo exactly what was there before.
 */
type Node = string | { readonly link: string } | { readonly [name: string]: Node };

interface Change {
  readonly at: readonly string[];
  readonly put: Node | undefined;
}

type Step = { readonly kind: 'command'; readonly changes: readonly Change[] } | { readonly kind: 'rewind' | 'checkpoint'; readonly to: number; readonly redoes: boolean };

const names = ['a', 'b'];
const { node } = fc.letrec<{ node: Node }>(tie => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('1', '2'),
    fc.record({ link: fc.constantFrom('a', 'b/a', '../b') }, { noNullPrototype: true }),
    fc.dictionary(fc.constantFrom(...names), tie('node'), { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
  ),
}));
const change: fc.Arbitrary<Change> = fc.record({ at: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }), put: fc.option(node, { nil: undefined, freq: 5 }) });
const changes = fc.array(change, { minLength: 1, maxLength: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  changes.map(all => ({ kind: 'command' as const, changes: all })),
  fc.record({ kind: fc.constantFrom('rewind' as const, 'checkpoint' as const), to: fc.nat(7), redoes: fc.boolean() }),
);

function remove(world: World, path: string): void {
  const { memory } = world;
  const kind = memory.stat(path)?.kind;
  if (kind === 'directory') {
    for (const name of memory.readDirectory(path)) remove(world, `${path}/${name}`);
    memory.removeDirectory(path);
  } else if (kind !== undefined) memory.remove(path);
  memory.settle(path);
}

/** No record knows folders that are left empty, so commands here leave none. */
function removeEmptied(world: World, path: string): void {
  const parent = path.slice(0, path.lastIndexOf('/'));
  if (parent === project || world.memory.readDirectory(parent).length > 0) return;
  remove(world, parent);
  removeEmptied(world, parent);
}

function grow({ memory }: World, path: string, put: Node): void {
  if (typeof put === 'string') memory.put(path, put);
  else if (typeof put['link'] === 'string') {
    memory.folder(path.slice(0, path.lastIndexOf('/')));
    memory.symbolicLink(put['link'], path);
    memory.settle(path);
  } else for (const [name, inner] of Object.entries(put as Readonly<Record<string, Node>>)) grow({ memory } as World, `${path}/${name}`, inner);
}

function make(world: World, { at, put }: Change): void {
  let path = project;
  for (const name of at) {
    path += `/${name}`;
    // What is no folder is replaced where it is.
    if (world.memory.stat(path)?.kind !== 'directory') break;
  }
  remove(world, path);
  if (put === undefined) removeEmptied(world, path);
  else grow(world, path, put);
}

function go(actor: Actor, target: string): ReturnType<Actor['restore']> {
  return actor.restore((timeline, look) => selectTravel(timeline, { kind: 'rewind', target, scope: 'code' }, look));
}

async function play(start: readonly Change[], steps: readonly Step[]): Promise<void> {
  const world = await World.make();
  for (const one of start) make(world, one);
  const actor = world.open();
  const trees: unknown[] = [];
  for (const one of steps) {
    if (one.kind === 'command') {
      const number = trees.length;
      await actor.recorder.addCheckpoint(`p-${number}`, 'here');
      trees.push(world.tree());
      await actor.openTurn(`t-${number}`);
      const end = await actor.beginShell(`t-${number}`, {});
      for (const each of one.changes) make(world, each);
      await end();
      continue;
    }
    if (trees.length === 0) continue;
    const number = one.to % trees.length;
    const before = world.tree();
    const result = await go(actor, `${one.kind === 'rewind' ? 't' : 'p'}-${number}`);
    assert.deepEqual(Object.entries(actionsOf(result)).filter(([, action]) => !['create', 'delete', 'restore', 'unchanged'].includes(action)), []);
    assert.deepEqual(world.tree(), trees[number]);
    if (result.kind !== 'applied') continue;
    await actor.undo();
    assert.deepEqual(world.tree(), before);
    if (one.redoes) await actor.redo();
    if (one.redoes) assert.deepEqual(world.tree(), trees[number]);
  }
}

describe('files, links and folders in each other\'s place', () => {
  it('come and go in one restore, from wherever to wherever', () =>
    fc.assert(fc.asyncProperty(changes, fc.array(step, { minLength: 2, maxLength: 10 }), play), { numRuns: 60 }));
});
