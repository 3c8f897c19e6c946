import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { uniqueName } from '../base/digest.ts';
import { makeDirectories, removeQuietly, replaceFile } from '../base/fileTools.ts';
import { lazy } from '../base/lazy.ts';
import { countAt, isShape, textAt } from '../base/shape.ts';
import type { RecordOf } from '../timeline/records.ts';

const temporary = lazy(() => process.getBuiltinModule('node:os'));

/** An event that could not be recorded, when that was (milliseconds since 1970), and why. */
export interface Missed {
  readonly session: string;
  readonly turn?: string | undefined;
  readonly tool?: string | undefined;
  readonly happenedAt: number;
  readonly reason: string;
}

function readMissed(value: unknown): Missed | undefined {
  if (!isShape(value)) return undefined;
  const [session, happenedAt, reason] = [textAt(value, 'session'), countAt(value, 'happenedAt'), textAt(value, 'reason')];
  if (session === undefined || happenedAt === undefined || reason === undefined) return undefined;
  return { session, happenedAt, reason, turn: textAt(value, 'turn'), tool: textAt(value, 'tool') };
}

/**
 * Where misses of a root wait until they can be said in the journal: in its store, or, when that can't be
 * written, in the user's own folder for temporary files.
 */
function places(storeDirectory: string, rootKey: string): readonly string[] {
  const user = typeof process.getuid === 'function' ? String(process.getuid()) : 'user';
  return [join(storeDirectory, 'missed'), join(temporary().tmpdir(), `turnstone-${user}`, rootKey)];
}

// The temporary folder is shared: what lies there is believed only if nobody else can have put it there.
function isPrivate(files: Files, directory: string): boolean {
  const stat = files.stat(directory);
  if (stat?.kind !== 'directory') return false;
  return typeof process.getuid !== 'function' || (stat.owner === process.getuid() && (stat.mode & 0o077) === 0);
}

/** Makes the place in the store while there is room for a folder. Never throws. */
export function makeReady(files: Files, storeDirectory: string): void {
  try {
    makeDirectories(files, join(storeDirectory, 'missed'), 0o700);
  } catch {
    // It is tried again when something is missed.
  }
}

function writeWhole(files: Files, place: string, missed: Missed): void {
  replaceFile(files, join(place, `${missed.happenedAt}-${uniqueName()}.json`), Buffer.from(JSON.stringify(missed)), 0o600);
}

const namePattern = /^([\w-]+)\.missed$/;
const toolLimit = 40;

/** A disk that is full takes no content any more, but nearly always a name. */
function writeName(files: Files, place: string, { session, turn, tool, happenedAt }: Missed): void {
  const told = Buffer.from(JSON.stringify([happenedAt, session, turn ?? null, tool?.slice(0, toolLimit) ?? null])).toString('base64url');
  const path = join(place, `${told}.missed`);
  if (files.stat(path) === undefined) files.open(path, 'create', 0o600).close();
}

function missedInName(name: string): Missed | undefined {
  const [, told] = namePattern.exec(name) ?? [];
  if (told === undefined) return undefined;
  const value: unknown = JSON.parse(Buffer.from(told, 'base64url').toString('utf8'));
  if (!Array.isArray(value)) return undefined;
  const [happenedAt, session, turn, tool] = value as readonly unknown[];
  return readMissed({ happenedAt, session, turn, tool, reason: 'it could not be written to the history, and neither could the reason' });
}

/** Notes a miss; returns whether it could be. Takes no lock and never throws. */
export function noteMissed(files: Files, storeDirectory: string, rootKey: string, missed: Missed): boolean {
  for (const write of [writeWhole, writeName]) {
    for (const place of places(storeDirectory, rootKey)) {
      try {
        makeDirectories(files, place, 0o700);
        if (!isPrivate(files, place)) continue;
        write(files, place, missed);
        return true;
      } catch {
        // The next place, or nowhere.
      }
    }
  }
  return false;
}

function namesIn(files: Files, place: string): readonly string[] {
  try {
    return isPrivate(files, place) ? files.readDirectory(place).filter(name => name.endsWith('.json') || namePattern.test(name)).sort() : [];
  } catch {
    return [];
  }
}

/** The misses that wait, oldest first, each with its file. */
export function waitingMissed(files: Files, storeDirectory: string, rootKey: string): readonly { readonly file: string; readonly missed: Missed }[] {
  const found: { file: string; missed: Missed }[] = [];
  for (const place of places(storeDirectory, rootKey)) {
    for (const name of namesIn(files, place)) {
      try {
        const file = join(place, name);
        const missed = name.endsWith('.json') ? readMissed(JSON.parse(Buffer.from(files.read(file)).toString('utf8'))) : missedInName(name);
        if (missed !== undefined) found.push({ file, missed });
      } catch {
        // Half-written by a process that died; there is nothing in it to tell.
      }
    }
  }
  return found;
}

/** The records that say the misses. */
export function gapRecords(waiting: readonly { readonly missed: Missed }[]): RecordOf<'gap'>[] {
  return waiting.map(({ missed: { session, turn, tool, happenedAt, reason } }) => ({
    type: 'gap',
    session,
    happenedAt,
    reason,
    ...(turn === undefined ? {} : { turn }),
    ...(tool === undefined ? {} : { tool }),
  }));
}

export function forgetMissed(files: Files, waiting: readonly { readonly file: string }[]): void {
  for (const { file } of waiting) removeQuietly(files, file);
}
