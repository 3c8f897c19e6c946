import assert from 'node:assert/strict';
import { recoverAll } from '../../src/core/rewind/recover.ts';
import type { Entry } from '../../src/core/timeline/model.ts';
import { project, storage, type Actor, type World } from '../twins/world.ts';

export type Tree = ReturnType<World['tree']>;

/** All records that a new process finds. */
export function recordsOf(world: World): readonly Entry[] {
  return world.open().store.readAll();
}

function hashesIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"(?:hash|prompt)":"([0-9a-f]{64})"/g)].map(match => match[1] as string);
}

/** Nothing acknowledged is gone, and every content that a record names can be read. */
export function checkHistory(actor: Actor, found: readonly Entry[], acknowledged: readonly Entry[], where: string): void {
  assert.deepEqual(found.slice(0, acknowledged.length), acknowledged, `${where}: acknowledged records are there`);
  assert.equal(actor.store.damage, undefined, `${where}: the store is sound`);
  for (const hash of found.flatMap(entry => (hasOnlyHashes(entry) ? [] : hashesIn(entry.record)))) assert.ok(actor.store.blobs.has(hash), `${where}: ${hash} can be read`);
}

// A file that is too large to keep is named by its hash only.
function hasOnlyHashes({ record }: Entry): boolean {
  return JSON.stringify(record).includes('"oversize"');
}

/** Every file holds what it held before or what it was to hold, as a whole; nothing else is there. */
export function checkTree(world: World, before: Tree, after: Tree, where: string, unfinished: ReadonlySet<string> = new Set()): void {
  for (const [path, now] of Object.entries(world.tree())) {
    // A file that never took its place; that none of these stays is checked at the end.
    if (path.endsWith('.tmp') || unfinished.has(path)) continue;
    assert.ok([before[path], after[path]].includes(now), `${where}: ${path} is ${JSON.stringify(now)}, neither ${JSON.stringify(before[path])} nor ${JSON.stringify(after[path])}`);
  }
  for (const path of Object.keys(before)) {
    if (path in after) assert.ok(path in world.tree(), `${where}: ${path} is there`);
  }
}

/** Finishes what was begun, as the next process does, and makes sure that a second time finds nothing to do. */
export async function recover(world: World, where: string): Promise<void> {
  world.reboot();
  const { store, context } = world.open();
  await store.restoring(() => recoverAll(context));
  const open = [...store.timeline.operations.values()].filter(operation => operation.done === undefined);
  assert.deepEqual(open, [], `${where}: no intent is left open`);
  const settled = [world.tree(), recordsOf(world).length];
  assert.deepEqual(await store.restoring(() => recoverAll(world.open().context)), [], `${where}: a second recovery finds nothing`);
  assert.deepEqual([world.tree(), recordsOf(world).length], settled, `${where}: a second recovery changes nothing`);
}

/** No temporary file and no lock is left, neither in the project nor in the store. */
export function checkLeftovers(world: World, where: string): void {
  const names = [...Object.keys(world.tree(project)), ...Object.keys(world.tree(storage))];
  assert.deepEqual(names.filter(name => /\.tmp$|(^|\/)(lock|restore)(\.heir-.*)?$/.test(name)), [], `${where}: nothing temporary is left`);
}
