import assert from 'node:assert/strict';
import { sha256 } from '../../src/core/base/digest.ts';
import { recoverAll } from '../../src/core/rewind/recover.ts';
import type { RestoreResult } from '../../src/core/rewind/restore.ts';
import { project, storage } from '../twins/world.ts';
import { paths, type Ended, type Ground, type Tree } from './ground.ts';
import { isSame, textOf, type Content, type Operation } from './model/history.ts';
import { isWithin } from './model/inForce.ts';
import type { Request } from './request.ts';
import type { RestoreStep } from './steps.ts';

/** The folder and the store before a restore. */
interface Before {
  readonly tree: Tree;
  readonly stamps: Readonly<Record<string, string | undefined>>;
  readonly contents: ReadonlyMap<string, Content>;
  readonly seq: number;
  readonly hasOpenCalls: boolean;
}

function look(ground: Ground): Before {
  const stamps = Object.fromEntries(paths.map(path => [path, ground.world.memory.stat(`${project}/${path}`)?.stamp]));
  return { tree: ground.world.tree(), stamps, contents: new Map(paths.map(path => [path, ground.disk(path)])), seq: ground.history.seq, hasOpenCalls: ground.history.calls.some(({ open }) => open) };
}

/** Asks for a restore, and holds what comes of it against what the naive model says. */
export async function tryRestore(ground: Ground, step: RestoreStep, request: Request): Promise<void> {
  const before = look(ground);
  const interventions = ground.interventions.length;
  const ended = await ground.work(step.process, step.crash, step.during, actor => actor.restore(request.select, step.decision));
  if (ended.kind === 'crashed') return afterCrash(ground, step, request, before);
  ground.follow(before.tree);
  if (ground.interventions.length > interventions) return checkAnyone(ground, step, before);
  if (ended.kind === 'refused') {
    assert.equal(ended.error.code, request.refused, ended.error.message);
    return checkNothing(ground, before);
  }
  assert.equal(request.refused, undefined, 'it is refused');
  checkResult(ground, step, request, before, ended.value);
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
  if (result.kind === 'applied') checkWholeTree(ground, request, before, ground.history.operations.at(-1) as Operation);
}

/** Nothing at all was written: neither to the folder nor to the journal. */
function checkNothing(ground: Ground, before: Before): void {
  const after = look(ground);
  assert.deepEqual([after.tree, after.stamps, after.seq], [before.tree, before.stamps, before.seq], 'nothing was written');
}

function checkPaths(ground: Ground, { decision }: RestoreStep, { expected, session, touchesFiles, operation }: Request, before: Before): void {
  const after = look(ground);
  for (const path of paths) {
    const [was, is] = [before.contents.get(path) ?? null, after.contents.get(path) ?? null];
    const one = expected.get(path) ?? { kind: 'stays' };
    const isUntouched = before.stamps[path] === after.stamps[path];
    if (one.kind === 'stays' || (one.kind === 'conflict' && decision === 'skip')) assert.ok(isUntouched, `${path} is not touched (${one.kind})`);
    else if (one.kind === 'becomes' || (one.kind === 'conflict' && decision === 'overwrite')) assert.equal(textOf(is), textOf(one.goal), `${path} is as it was`);
    if (!isUntouched && !isSame(was, is)) checkKept(ground, path, was);
    // An undo's guard is that nothing has changed since, whosever work that takes away again.
    if (decision !== 'overwrite' && operation === undefined && expected.size > 0) checkLines(ground, path, was, is, author => author !== 'u' && isWithin(session?.slice(-1), author));
  }
  if (!touchesFiles) assert.deepEqual([after.tree, after.stamps], [before.tree, before.stamps], 'a conversation has no files');
}

/** What was there before is in the store, and the restore's record names it. */
function checkKept(ground: Ground, path: string, was: Content): void {
  if (was === null) return;
  const hash = sha256(Buffer.from(was.text));
  assert.equal(Buffer.from(ground.observer.store.blobs.read(hash)).toString(), was.text, `what ${path} held is in the store`);
  const planned = ground.history.operations.at(-1)?.intent.paths.find(candidate => candidate.path === path);
  assert.deepEqual(planned === undefined ? undefined : ground.history.contentOf(planned.before), was, `the restore's record names what ${path} held`);
}

/** Lines of others that were in a file are in it, unless an edit had taken them out. */
function checkLines(ground: Ground, path: string, was: Content, is: Content, own: (author: string) => boolean): void {
  const left = textOf(is)?.split('\n') ?? [];
  assert.deepEqual(ground.foreignLines(path, textOf(was), own).filter(line => !left.includes(line)), [], `${path} keeps the lines of others`);
}

/** Where nobody else has done anything since, folders and permissions are as they were too. */
function checkWholeTree(ground: Ground, request: Request, before: Before, operation: Operation): void {
  const { history } = ground;
  if (!request.touchesFiles) return;
  const kinds = new Set([...request.expected.values()].map(({ kind }) => kind));
  if (kinds.has('conflict') || kinds.has('unsure')) return;
  if (request.operation !== undefined) {
    const done = request.operation;
    const wasLeft = ground.treesAfter.get(done.id);
    if (wasLeft !== undefined && JSON.stringify(wasLeft) === JSON.stringify(before.tree)) assert.deepEqual(ground.world.tree(), ground.trees.get(done.seq), 'the tree is as before the restore');
    return;
  }
  if (request.place === undefined) return;
  const { tree, from } = request.place;
  const isOpenThere = history.calls.some(call => call.seq < from && (call.open || [...call.paths.keys()].some(path => history.linksOf(path).some(({ seq, by }) => seq >= from && by.kind === 'call' && by.call === call))));
  const others = [...history.turns, ...history.calls, ...history.operations.filter(({ id }) => id !== operation.id)].some(({ seq, session }) => seq >= from && !isWithin(request.session, session));
  const isTouched = paths.some(path => history.linksOf(path).some(({ seq, by }) => seq >= from && by.kind === 'user'));
  if (before.hasOpenCalls || isOpenThere || others || isTouched || !ground.trees.has(tree) || ground.interventions.some(seq => seq >= tree)) return;
  // Permissions that a call had changed before it was given up may be the user's doing.
  const hasGivenUp = history.calls.some(({ wasGivenUp }) => wasGivenUp);
  const told = (whole: Tree | undefined): unknown => (hasGivenUp ? Object.entries(whole ?? {}).map(([path, held]) => [path, held.slice(held.indexOf(' '))]) : whole);
  assert.deepEqual(told(ground.world.tree()), told(ground.trees.get(tree)), 'the tree is as it was there');
}

/** Where somebody else was at work meanwhile, the trees before and after are not what the restore saw and left. */
function forgetTrees(ground: Ground, operation: Operation | undefined): void {
  ground.trees.delete(operation?.seq ?? 0);
  ground.treesAfter.delete(operation?.id ?? '');
}

/** With somebody else at work meanwhile only this is certain: what any file held is where it was or in the store. */
function checkAnyone(ground: Ground, { decision }: RestoreStep, before: Before): void {
  forgetTrees(ground, ground.history.operations.at(-1));
  if (decision === 'overwrite') return;
  const { history } = ground;
  for (const path of paths) {
    const was = before.contents.get(path) ?? null;
    const planned = history.operations.at(-1)?.intent.paths.find(candidate => candidate.path === path);
    if (history.seq > before.seq && planned !== undefined && was !== null) assert.ok(ground.observer.store.blobs.has(sha256(Buffer.from(was.text))), `what ${path} held is in the store`);
  }
}

/** The process died: each file is as before or as it was to be, and after the recovery all are as they were to be, but for what the user has changed meanwhile. */
async function afterCrash(ground: Ground, step: RestoreStep, request: Request, before: Before): Promise<void> {
  ground.follow(before.tree);
  const operation = ground.history.operations.find(candidate => candidate.seq > before.seq);
  if (operation === undefined) {
    const after = look(ground);
    assert.deepEqual([after.tree, after.stamps], [before.tree, before.stamps], 'nothing was written before the intent');
    // A record that only a killed process had written, and nobody synced, may be gone with the power.
    assert.ok(after.seq === before.seq || (step.crash?.power === true && after.seq < before.seq), 'nothing was recorded');
    return;
  }
  for (const path of paths) {
    const planned = operation.intent.paths.find(candidate => candidate.path === path);
    const allowed = [before.contents.get(path) ?? null, ...(planned === undefined ? [] : [ground.history.contentOf(planned.after)])];
    assert.ok(allowed.some(content => isSame(content, ground.disk(path))), `${path} is as before or as it was to be`);
  }
  await recover(ground, step, operation);
  const isChanged = (step.crash?.meanwhile.length ?? 0) > 0;
  if (isChanged) forgetTrees(ground, operation);
  const leftovers = [...Object.keys(ground.world.tree(project)), ...Object.keys(ground.world.tree(storage))].filter(name => /\.tmp$/.test(name) && !isChanged);
  assert.deepEqual(leftovers, [], 'nothing temporary is left');
  if (!isChanged) checkPaths(ground, step, request, before);
}

async function recover(ground: Ground, step: RestoreStep, begun: Operation): Promise<void> {
  const cut = ground.history.operations.find(({ id }) => id === begun.id)?.done === undefined;
  const mine = new Map<string, Content>();
  if (cut && step.crash !== undefined) {
    const was = new Map(paths.map(path => [path, ground.disk(path)]));
    ground.user(step.crash.meanwhile);
    for (const path of paths) if (JSON.stringify(ground.disk(path)) !== JSON.stringify(was.get(path))) mine.set(path, ground.disk(path));
  }
  const recovered: Ended<readonly string[]> = await ground.work(0, undefined, undefined, async ({ store, context }) => (await store.restoring(() => recoverAll(context))).map(({ id }) => id));
  assert.deepEqual(recovered, { kind: 'returned', value: cut ? [begun.id] : [] }, 'what was cut short is finished');
  ground.follow();
  for (const { path, after } of begun.intent.paths) {
    const users = mine.get(path);
    if (users === undefined) assert.equal(ground.text(path), textOf(ground.history.contentOf(after)), `${path} is as it was to be`);
    else if (!isSame(users, ground.history.contentOf(begun.intent.paths.find(planned => planned.path === path)?.before ?? after))) assert.equal(ground.text(path), textOf(users), `${path} keeps what the user made of it`);
  }
}
