import type { Files } from '../../src/core/base/files.ts';
import type { Decide, OnConflict, PlanContext } from '../../src/core/rewind/plan.ts';
import { carryOut, type Neighbour, type RestoreRequest } from '../../src/core/rewind/request.ts';
import type { RestoreOptions } from '../../src/core/rewind/restore.ts';
import { faultyFiles } from './faultyFiles.ts';
import { neighbour, project, World } from './world.ts';

/** A session that works in two folders: its second turn writes in both, its third in the other one only. */
export async function workedInTwo(): Promise<World> {
  const world = await World.make({ 'a.txt': '0' });
  await world.addNeighbour({ 'b.txt': '0' });
  const [here, there] = [world.open(), world.open(undefined, undefined, neighbour)];
  await here.turn('t-1', [{ 'a.txt': '1' }]);
  world.clock.advance(1000);
  await here.openTurn('t-2');
  await here.call('t-2', { 'a.txt': '2' });
  await there.call('t-2', { 'b.txt': '2', 'new/c.txt': '2' });
  await here.recorder.closeTurn('s-a', 't-2');
  world.clock.advance(1000);
  await here.openTurn('t-3');
  await there.call('t-3', { 'b.txt': '3' });
  await here.recorder.closeTurn('s-a', 't-3');
  return world;
}

export function trees(world: World): Readonly<Record<string, unknown>> {
  return { here: world.tree(project), there: world.tree(neighbour) };
}

interface Asked {
  readonly decide?: Decide;
  readonly agrees?: RestoreOptions['agrees'];
  readonly files?: Files;
  readonly dryRun?: boolean;
  /** In which of the two folders it is asked for. */
  readonly from?: typeof project | typeof neighbour;
}

/** Carries a request out as somebody who stands in one of the two folders. */
export async function askWith(world: World, request: RestoreRequest, { decide = () => 'stop', agrees = () => true, files = faultyFiles(world.memory), dryRun = false, from = project }: Asked) {
  const other = from === project ? neighbour : project;
  const open = (folder: string): PlanContext => world.open(files, undefined, folder).context;
  const next: Neighbour = { name: other, newest: () => open(other).store.newest()?.at, open: () => open(other) };
  return carryOut(open(from), request, [next], { decide, agrees, dryRun });
}

export async function ask(world: World, request: RestoreRequest, onConflict: OnConflict = 'stop', files?: Files) {
  return askWith(world, request, { decide: () => onConflict, ...(files === undefined ? {} : { files }) });
}

export const rewind = (target: string): RestoreRequest => ({ kind: 'rewind', target, scope: 'code' });
export const undo: RestoreRequest = { kind: 'undo', operation: undefined };
export const redo: RestoreRequest = { kind: 'redo', operation: undefined };

export const first = { here: { 'a.txt': '644 1' }, there: { 'b.txt': '644 0' } };
export const second = { here: { 'a.txt': '644 2' }, there: { 'b.txt': '644 2', 'new/': '755', 'new/c.txt': '644 2' } };
export const third = { here: { 'a.txt': '644 2' }, there: { 'b.txt': '644 3', 'new/': '755', 'new/c.txt': '644 2' } };
