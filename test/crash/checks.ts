// What has to be true after an interruption. Each check throws a `Finding` that says what is wrong.
import { isDeepStrictEqual } from 'node:util';
import { recoverAll } from '../../src/core/rewind/recover.ts';
import type { Entry } from '../../src/core/timeline/model.ts';
import type { JournalRecord } from '../../src/core/timeline/records.ts';
import { project, storage, type Actor, type World } from '../twins/world.ts';
import { Finding, must } from './finding.ts';
import { readJournalBytes, sha256 } from './journalBytes.ts';
import type { Machine } from './machine.ts';
import { modelOf, pictureOf, unreadablePaths } from './model.ts';

export type Tree = ReturnType<World['tree']>;

export function sameTree(a: Tree, b: Tree): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name]);
}

function difference(a: Tree, b: Tree): string {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(name => a[name] !== b[name]);
  return names.map(name => `\n  ${name} is ${JSON.stringify(a[name])}, not ${JSON.stringify(b[name])}`).join('');
}

export function mustBe(now: Tree, expected: Tree, what: string): void {
  must(sameTree(now, expected), 'wrong bytes', () => what + difference(now, expected));
}

// A file that is too large to keep is named by its hash only.
function hashesIn({ record }: Entry): readonly string[] {
  const text = JSON.stringify(record);
  return text.includes('"oversize"') ? [] : [...text.matchAll(/"(?:hash|prompt|label|unsaved)":"([0-9a-f]{64})"/g)].map(match => match[1] as string);
}

function bytesOf(actor: Actor, hash: string): Uint8Array | undefined {
  try {
    return actor.store.blobs.read(hash);
  } catch {
    return undefined;
  }
}

function mustServe(actor: Actor, hash: string, what: string): void {
  const bytes = bytesOf(actor, hash);
  must(bytes !== undefined, 'lost', () => `${what}: content ${hash} can't be read`);
  must(sha256(bytes) === hash, 'wrong bytes', () => `${what}: content ${hash} is served with other bytes`);
}

/**
 * Nothing acknowledged is gone and nothing else has come, the store is sound, every content that a record names can be
 * read with its bytes, and the fold says what a naive model of the same records says.
 */
export function checkHistory({ world, ledger }: Machine, where: string): void {
  const { records } = readJournalBytes(world.memory, where);
  ledger.check(records, where);
  const fresh = world.open();
  fresh.store.refresh();
  const entries = fresh.store.readAll();
  must(fresh.store.damage === undefined, 'unsound', () => `${where}: ${fresh.store.damage}`);
  must(isDeepStrictEqual(entries.map(({ record }) => record), records), 'lost', () => `${where}: the reader finds ${entries.length} records of ${records.length}, or others`);
  for (const hash of new Set(entries.flatMap(hashesIn))) mustServe(fresh, hash, where);
  checkFold(records, fresh, where);
}

/** A process that has read on says of the records what the naive model says. */
export function checkFold(records: readonly unknown[], { store }: Actor, where: string): void {
  store.refresh();
  const unclear = unreadablePaths(records as readonly JournalRecord[]);
  const [said, expected] = [pictureOf(store.timeline), modelOf(records as readonly JournalRecord[])].map(picture =>
    JSON.stringify({ ...picture, paths: Object.entries(picture.paths).filter(([path]) => !unclear.has(path)) }),
  );
  must(said === expected, 'unsound', () => `${where}: the fold says\n  ${said}\nand the records say\n  ${expected}`);
}

/** Every file holds what it held before or what it was to hold, as a whole; nothing else is there. */
export function checkTree(now: Tree, before: Tree, after: Tree, where: string, unfinished: ReadonlySet<string> = new Set()): void {
  for (const [path, is] of Object.entries(now)) {
    // A file that never took its place; that none of these stays is checked at the end.
    if (path.endsWith('.tmp') || unfinished.has(path)) continue;
    must([before[path], after[path]].includes(is), 'wrong bytes', () => `${where}: ${path} is ${JSON.stringify(is)}, neither ${JSON.stringify(before[path])} nor ${JSON.stringify(after[path])}`);
  }
  for (const path of Object.keys(before)) must(!(path in after) || path in now, 'lost', () => `${where}: ${path} is not there`);
}

/** What a restore has overwritten can be had: an intent names it, and its bytes are in the store. */
export function checkSafetyCopies({ world }: Machine, actor: Actor, before: ReadonlyMap<string, Uint8Array>, where: string): void {
  for (const [path, old] of before) {
    const absolute = `${project}/${path}`;
    const now = world.memory.stat(absolute)?.kind === 'file' ? world.memory.read(absolute) : undefined;
    if (now !== undefined && Buffer.compare(now, old) === 0) continue;
    const hash = sha256(old);
    const isNamed = [...actor.store.timeline.operations.values()].some(({ intent }) => intent.paths.some(planned => planned.before.kind === 'content' && planned.before.hash === hash));
    must(isNamed, 'lost', () => `${where}: ${path} was overwritten, and no intent names what it held`);
    mustServe(actor, hash, `${where}, the safety copy of ${path}`);
  }
}

/** Finishes what was begun, as the next process does, and makes sure that a second time finds nothing to do. */
export async function recover(machine: Machine, where: string): Promise<Actor> {
  const { world } = machine;
  const actor = machine.process();
  await actor.store.restoring(() => recoverAll(actor.context));
  const open = [...actor.store.timeline.operations.values()].filter(operation => operation.done === undefined);
  must(open.length === 0, 'unsound', () => `${where}: ${open.length} intents are left open`);
  const settled = [world.tree(), readJournalBytes(world.memory, where).records.length] as const;
  const again = machine.process();
  const finished = await again.store.restoring(() => recoverAll(again.context));
  must(finished.length === 0 && readJournalBytes(world.memory, where).records.length === settled[1], 'unsound', () => `${where}: a second recovery finds something to do`);
  mustBe(world.tree(), settled[0], `${where}: a second recovery changes files`);
  return actor;
}

/** What was acknowledged is there after a power failure that takes all it can. Returns the files that are there then. */
export function checkDurable(machine: Machine, where: string): Tree {
  const copy = machine.copy();
  copy.world.memory.powerFailure();
  copy.world.reboot();
  const what = `${where}, then the power failed`;
  checkHistory(copy, what);
  return copy.world.tree();
}

/** What a crash left after the last good line was kept before it was cut, also if the power fails now. */
export function checkSetAside({ world }: Machine, tail: Buffer, where: string): void {
  if (tail.length === 0) return;
  const copy = world.memory.copy();
  copy.powerFailure();
  for (const files of [world.memory, copy]) {
    const { broken } = readJournalBytes(files, where);
    must(broken.some(bytes => bytes.equals(tail)), 'lost', () => `${where}: ${tail.length} bytes were cut from the journal's end and no copy was kept`);
  }
}

/** No temporary file and no lock is left, neither in the project nor in the store. */
export function checkLeftovers({ world }: Machine, where: string): void {
  const names = [...Object.keys(world.tree(project)), ...Object.keys(world.tree(storage))];
  const left = names.filter(name => /\.tmp$|(^|\/)(lock|restore)(\.heir-.*)?$/.test(name));
  if (left.length > 0) throw new Finding('unsound', `${where}: ${left.join(', ')} is left`);
}
