import { join } from 'node:path';
import { uniqueName } from '../base/digest.ts';
import { makeDirectories, readIfThere, removeQuietly } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { countAt, isShape, textAt, type Shape } from '../base/shape.ts';

/** What an agent was asked last, for the folders that it comes to: an event is a process of its own and remembers nothing. */
export interface TurnNote {
  readonly turn: string;
  /** The turn that it goes on with, where it is one that was begun before. */
  readonly resumes?: string | undefined;
  /** Hash of the prompt, whose text is in the store of `home`: the folder in which the agent was asked. */
  readonly prompt?: string | undefined;
  readonly home?: string | undefined;
}

/** A folder that a session has come to, and the last of its turns that was opened there. */
export interface Visit {
  readonly root: string;
  readonly turn: string;
}

const namePattern = /^(s-[a-z0-9]+)\.(?:(r-[a-z0-9]+)\.)?json$/;

/** Notes of sessions that ended without saying so go after this many milliseconds. */
const keptFor = 30 * 24 * 60 * 60 * 1000;

/**
 * Small files in `turns/` of the storage, one for each session and one for each folder that it came to. They hold no texts.
 *
 * Invariant: nothing that is recorded depends on them but that a turn has its prompt and its end in every folder. They may be lost, so nothing
 * here throws, and nothing is synced: a call's hook waits for them.
 */
export class TurnNotes {
  private readonly files: Files;
  private readonly directory: string;

  constructor(files: Files, storage: string) {
    this.files = files;
    this.directory = join(storage, 'turns');
  }

  /** The session's newest turn. */
  current(session: string): TurnNote | undefined {
    const shape = this.read(`${session}.json`);
    const turn = shape === undefined ? undefined : textAt(shape, 'turn');
    if (shape === undefined || turn === undefined) return undefined;
    return { turn, resumes: textAt(shape, 'resumes'), prompt: textAt(shape, 'prompt'), home: textAt(shape, 'home') };
  }

  begin(session: string, note: TurnNote, now: number): void {
    const name = `${session}.json`;
    if (this.read(name) === undefined) this.tidy(now);
    this.write(name, { ...note, at: now });
  }

  /** The turn of the session that was opened last in a folder. */
  openedIn(session: string, root: string): string | undefined {
    const shape = this.read(`${session}.${root}.json`);
    return shape === undefined ? undefined : textAt(shape, 'turn');
  }

  noteOpened(session: string, { root, turn }: Visit, now: number): void {
    this.write(`${session}.${root}.json`, { turn, at: now });
  }

  /** The folders that the session has come to. */
  visits(session: string): readonly Visit[] {
    return this.names().flatMap(name => {
      const [, owner, root] = namePattern.exec(name) ?? [];
      const turn = owner === session && root !== undefined ? this.openedIn(session, root) : undefined;
      return root === undefined || turn === undefined ? [] : [{ root, turn }];
    });
  }

  leave(session: string, root: string): void {
    removeQuietly(this.files, join(this.directory, `${session}.${root}.json`));
  }

  forget(session: string): void {
    for (const name of this.names()) if (name.startsWith(`${session}.`)) removeQuietly(this.files, join(this.directory, name));
  }

  private tidy(now: number): void {
    for (const name of this.names()) {
      const shape = this.read(name);
      const at = shape === undefined ? undefined : countAt(shape, 'at');
      if (at !== undefined && at < now - keptFor) removeQuietly(this.files, join(this.directory, name));
    }
  }

  private names(): readonly string[] {
    try {
      return this.files.readDirectory(this.directory);
    } catch {
      return [];
    }
  }

  private read(name: string): Shape | undefined {
    try {
      const bytes = readIfThere(this.files, join(this.directory, name));
      const value: unknown = bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
      return isShape(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  private write(name: string, value: Shape): void {
    const path = join(this.directory, name);
    const temporary = `${path}.${uniqueName()}.tmp`;
    try {
      makeDirectories(this.files, this.directory, 0o700);
      const file = this.files.open(temporary, 'create', 0o600);
      try {
        file.write(Buffer.from(JSON.stringify(value)), 0);
      } finally {
        file.close();
      }
      this.files.rename(temporary, path);
    } catch {
      // An old note would be taken for this one.
      for (const stale of [temporary, path]) removeQuietly(this.files, stale);
    }
  }
}
