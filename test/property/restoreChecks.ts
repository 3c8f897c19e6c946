import assert from 'node:assert/strict';
import { sha256 } from '../../src/core/base/digest.ts';
import { project } from '../twins/world.ts';
import { paths, type Ground, type Tree } from './ground.ts';
import { isSame, textOf, type Content, type Operation } from './model/history.ts';
import { isWithin } from './model/inForce.ts';
import type { Request } from './request.ts';
import type { RestoreStep } from './steps.ts';

/** The folder and the store before a restore. */
export interface Before {
  readonly tree: Tree;
  readonly stamps: Readonly<Record<string, string | undefined>>;
  readonly contents: ReadonlyMap<string, Content>;
  readonly seq: number;
  readonly hasOpenCalls: boolean;
}

export function look(ground: Ground): Before {
  const stamps = Object.fromEntries(paths.map(path => [path, ground.world.memory.stat(`${project}/${path}`)?.stamp]));
  return { tree: ground.world.tree(), stamps, contents: new Map(paths.map(path => [path, ground.disk(path)])), seq: ground.history.seq, hasOpenCalls: ground.history.calls.some(({ open }) => open) };
}

/** Nothing at all was written: neither to the folder nor to the journal. */
export function checkNothing(ground: Ground, before: Before): void {
  const after = look(ground);
  assert.deepEqual([after.tree, after.stamps, after.seq], [before.tree, before.stamps, before.seq], 'nothing was written');
}

export function checkPaths(ground: Ground, { decision, crash }: RestoreStep, { expected, session, touchesFiles, operation }: Request, before: Before): void {
  const after = look(ground);
  for (const path of paths) {
    const [was, is] = [before.contents.get(path) ?? null, after.contents.get(path) ?? null];
    const one = expected.get(path) ?? { kind: 'stays' };
    // After a power failure no file is the same one, but it may hold the same.
    const isUntouched = crash?.power === undefined ? before.stamps[path] === after.stamps[path] : JSON.stringify(was) === JSON.stringify(is);
    if (one.kind === 'stays' || (one.kind === 'conflict' && decision === 'skip')) assert.ok(isUntouched, `${path} is not touched (${one.kind})`);
    else if (one.kind === 'becomes' || (one.kind === 'conflict' && decision === 'overwrite')) assert.equal(textOf(is), textOf(one.goal), `${path} is as it was`);
    if (!isUntouched && !isSame(was, is)) checkKept(ground, path, was);
    // An undo's guard is that nothing has changed since, whosever work that takes away again.
    if (decision !== 'overwrite' && operation === undefined && expected.size > 0) checkLines(ground, path, was, is, author => author !== 'u' && isWithin(session?.slice(-1), author));
  }
  if (!touchesFiles) assert.deepEqual(after.tree, before.tree, 'a conversation has no files');
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
export function checkWholeTree(ground: Ground, request: Request, before: Before, operation: Operation): void {
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
  // Permissions that a call had changed before it was given up may be the user's doing, and what was found changed after one that was refused is.
  const hasOthersModes = history.calls.some(({ wasGivenUp }) => wasGivenUp) || history.strayModes.some(seq => seq >= from);
  const told = (whole: Tree | undefined): unknown => (hasOthersModes ? Object.entries(whole ?? {}).map(([path, held]) => [path, held.slice(held.indexOf(' '))]) : whole);
  assert.deepEqual(told(ground.world.tree()), told(ground.trees.get(tree)), 'the tree is as it was there');
}

/** Where somebody else was at work meanwhile, the trees before and after are not what the restore saw and left. */
export function forgetTrees(ground: Ground, operation: Operation | undefined): void {
  ground.trees.delete(operation?.seq ?? 0);
  ground.treesAfter.delete(operation?.id ?? '');
}
