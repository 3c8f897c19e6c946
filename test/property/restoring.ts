import assert from 'node:assert/strict';
import { sha256 } from '../../src/core/base/digest.ts';
import type { RestoreResult } from '../../src/core/rewind/restore.ts';
import { afterCrash } from './crashed.ts';
import { paths, type Ended, type Ground } from './ground.ts';
import { isSame, type Operation } from './model/history.ts';
import type { Recording } from './recording.ts';
import type { Request } from './request.ts';
import { checkNothing, checkPaths, checkWholeTree, forgetTrees, look, type Before } from './restoreChecks.ts';
import type { RestoreStep } from './steps.ts';

/** Asks for a restore, and holds what comes of it against what the naive model says. */
export async function tryRestore(ground: Ground, recording: Recording, step: RestoreStep, request: Request): Promise<void> {
  const before = look(ground);
  const dry = step.dry ? await ground.work(step.process, undefined, undefined, actor => actor.restore(request.select, step.decision, true)) : undefined;
  ground.follow();
  if (dry !== undefined) checkNothing(ground, before);
  const interventions = ground.interventions.length;
  const ended = await ground.work(step.process, step.crash, step.during, actor => actor.restore(request.select, step.decision));
  if (ended.kind === 'crashed') return afterCrash(ground, recording, step, request, before);
  ground.follow(before.tree);
  if (ground.interventions.length > interventions) return checkAnyone(ground, step, before);
  if (dry !== undefined) assert.deepEqual(announced(dry), announced(ended), 'it does what the dry run said');
  if (ended.kind === 'refused') {
    assert.equal(ended.error.code, request.refused, ended.error.message);
    return checkNothing(ground, before);
  }
  assert.equal(request.refused, undefined, 'it is refused');
  checkResult(ground, step, request, before, ended.value);
}

/** What was to come of each path, or why nothing. */
function announced(ended: Ended<RestoreResult>): unknown {
  if (ended.kind !== 'returned') return ended.kind === 'refused' ? ended.error.code : undefined;
  const { plan } = ended.value;
  return [plan.blocked, plan.items.map(({ path, action, reason }) => [path, action, reason])];
}

function checkResult(ground: Ground, step: RestoreStep, request: Request, before: Before, result: RestoreResult): void {
  const kinds = [...request.expected.values()].map(({ kind }) => kind);
  const hasConflict = kinds.includes('conflict');
  if (step.decision === 'stop' && hasConflict) assert.equal(result.kind, 'blocked', 'it stops at a conflict');
  if (!hasConflict && !kinds.includes('unsure')) assert.notEqual(result.kind, 'blocked', 'there is no conflict');
  if (step.decision === 'skip' || step.decision === 'overwrite') assert.notEqual(result.kind, 'blocked', 'it is decided');
  if (result.kind === 'blocked') return checkNothing(ground, before);
  if (result.kind === 'already') {
    checkNothing(ground, before);
    assert.notEqual(request.moves, true, 'it is not there already');
  }
  checkPaths(ground, step, request, before);
  const operation = ground.history.operations.at(-1);
  if (step.decision === 'overwrite') for (const path of paths) ground.decided(path, before.contents.get(path)?.text ?? null, operation?.session);
  if (result.kind === 'applied') checkWholeTree(ground, request, before, operation as Operation);
}

/** With somebody else at work meanwhile only this is certain: what any file held is where it was or in the store. */
function checkAnyone(ground: Ground, { decision, during }: RestoreStep, before: Before): void {
  forgetTrees(ground, ground.history.operations.at(-1));
  if (decision === 'overwrite') return;
  const { history } = ground;
  const edited = new Set(during?.edits.flatMap(({ path, how, to }) => (how === 'move' ? [path, to] : [path])).map(index => paths[index]));
  for (const path of paths) {
    const was = before.contents.get(path) ?? null;
    const planned = history.operations.at(-1)?.intent.paths.find(candidate => candidate.path === path);
    // What the user took out of a file himself, before the restore looked at it, is no restore's to keep.
    const isUsersDoing = planned !== undefined && edited.has(path) && !isSame(history.contentOf(planned.before), was);
    if (history.seq > before.seq && planned !== undefined && was !== null && !isUsersDoing) assert.ok(ground.observer.store.blobs.has(sha256(Buffer.from(was.text))), `what ${path} held is in the store`);
  }
}
