import assert from 'node:assert/strict';
import { recoverAll } from '../../src/core/rewind/recover.ts';
import { project, storage } from '../twins/world.ts';
import { paths, type Ended, type Ground } from './ground.ts';
import { isSame, textOf, type Content, type Operation } from './model/history.ts';
import type { Recording } from './recording.ts';
import type { Request } from './request.ts';
import { checkPaths, forgetTrees, look, type Before } from './restoreChecks.ts';
import type { RestoreStep } from './steps.ts';

/** The process died: each file is as before or as it was to be, and after the recovery all are as they were to be, but for what the user has changed meanwhile. */
export async function afterCrash(ground: Ground, recording: Recording, step: RestoreStep, request: Request, before: Before): Promise<void> {
  ground.follow(before.tree);
  const operation = ground.history.operations.find(candidate => candidate.seq > before.seq);
  if (operation === undefined) {
    const after = look(ground);
    assert.deepEqual(after.tree, before.tree, 'nothing was written before the intent');
    const hadPower = step.crash?.power === undefined;
    if (hadPower) assert.deepEqual(after.stamps, before.stamps, 'nothing was touched before the intent');
    // A record that only a killed process had written, and nobody synced, may be gone with the power.
    assert.ok(after.seq === before.seq || (!hadPower && after.seq < before.seq), 'nothing was recorded');
    return;
  }
  for (const path of paths) {
    const planned = operation.intent.paths.find(candidate => candidate.path === path);
    const allowed = [before.contents.get(path) ?? null, ...(planned === undefined ? [] : [ground.history.contentOf(planned.after)])];
    assert.ok(allowed.some(content => isSame(content, ground.disk(path))), `${path} is as before or as it was to be`);
  }
  await recover(ground, recording, step, operation);
  const isChanged = (step.crash?.meanwhile.length ?? 0) > 0;
  if (isChanged) forgetTrees(ground, operation);
  const leftovers = [...Object.keys(ground.world.tree(project)), ...Object.keys(ground.world.tree(storage))].filter(name => /\.tmp$/.test(name) && !isChanged);
  assert.deepEqual(leftovers, [], 'nothing temporary is left');
  if (!isChanged) checkPaths(ground, step, request, before);
}

async function recover(ground: Ground, recording: Recording, step: RestoreStep, begun: Operation): Promise<void> {
  const cut = ground.history.operations.find(({ id }) => id === begun.id)?.done === undefined;
  const mine = new Map<string, Content>();
  if (cut && step.crash !== undefined) {
    const was = new Map(paths.map(path => [path, ground.disk(path)]));
    const { by, meanwhile } = step.crash;
    if (by === 'u') ground.user(meanwhile);
    else await recording.record({ do: 'call', session: by, edits: meanwhile, process: 0 });
    for (const path of paths) if (JSON.stringify(ground.disk(path)) !== JSON.stringify(was.get(path))) mine.set(path, ground.disk(path));
  }
  if (cut && step.crash?.again !== undefined) {
    const crash = { ...step.crash, at: step.crash.again };
    await ground.work(0, crash, undefined, ({ store, context }) => store.restoring(() => recoverAll(context)));
    ground.follow();
  }
  const isLeft = ground.history.operations.find(({ id }) => id === begun.id)?.done === undefined;
  const recovered: Ended<readonly string[]> = await ground.work(0, undefined, undefined, async ({ store, context }) => (await store.restoring(() => recoverAll(context))).map(({ id }) => id));
  assert.deepEqual(recovered, { kind: 'returned', value: isLeft ? [begun.id] : [] }, 'what was cut short is finished');
  ground.follow();
  for (const { path, after } of begun.intent.paths) {
    const users = mine.get(path);
    if (users === undefined) assert.equal(ground.text(path), textOf(ground.history.contentOf(after)), `${path} is as it was to be`);
    else if (!isSame(users, ground.history.contentOf(begun.intent.paths.find(planned => planned.path === path)?.before ?? after))) assert.equal(ground.text(path), textOf(users), `${path} keeps what the user made of it`);
  }
}
