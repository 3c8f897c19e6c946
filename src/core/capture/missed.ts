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

/** Notes a miss; returns whether it could be. Takes no lock and never throws. */
export function noteMissed(files: Files, storeDirectory: string, rootKey: string, missed: Missed): boolean {
  for (const place of places(storeDirectory, rootKey)) {
    try {
      makeDirectories(files, place, 0o700);
      if (!isPrivate(files, place)) continue;
      // A disk that is full still takes a file's name; then the half of it goes, and the next place has it.
      replaceFile(files, join(place, `${missed.happenedAt}-${uniqueName()}.json`), Buffer.from(JSON.stringify(missed)), 0o600);
      return true;
    } catch {
      // The next place, or nowhere.
    }
  }
  return false;
}

function namesIn(files: Files, place: string): readonly string[] {
  try {
    return isPrivate(files, place) ? files.readDirectory(place).filter(name => name.endsWith('.json')).sort() : [];
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
        const missed = readMissed(JSON.parse(Buffer.from(files.read(file)).toString('utf8')));
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
