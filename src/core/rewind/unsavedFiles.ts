import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Files } from '../base/files.ts';
import { makeDirectories, removeQuietly, replaceFile } from '../base/fileTools.ts';
import { currentProcess, isGone } from '../base/processes.ts';

const unsavedSchema = z.object({
  owner: z.object({ host: z.string(), boot: z.string(), pid: z.int(), started: z.string() }),
  unsaved: z.array(z.string()),
});

interface Published extends z.infer<typeof unsavedSchema> {
  readonly file: string;
}

function published(files: Files, directory: string): readonly Published[] {
  if (files.stat(directory) === undefined) return [];
  return files.readDirectory(directory).filter(name => name.endsWith('.json')).flatMap(name => {
    const file = join(directory, name);
    try {
      return [{ file, ...z.parse(unsavedSchema, JSON.parse(Buffer.from(files.read(file)).toString('utf8'))) }];
    } catch {
      // A file that is just going, or not one of ours: it names nothing.
      return [];
    }
  });
}

/** Paths of documents that other live editors hold unsaved: `editors/<pid>.json` in the storage directory. Writes nothing. */
export function unsavedElsewhere(files: Files, storage: string): ReadonlySet<string> {
  const self = currentProcess(files);
  const others = published(files, join(storage, 'editors')).filter(({ owner }) => (owner.pid !== self.pid || owner.host !== self.host) && !isGone(files, owner));
  return new Set(others.flatMap(({ unsaved }) => unsaved));
}

/** Says what this editor holds unsaved; an empty list takes the file away. */
export function publishUnsaved(files: Files, storage: string, unsaved: readonly string[]): void {
  const directory = join(storage, 'editors');
  const path = join(directory, `${process.pid}.json`);
  if (unsaved.length === 0) {
    removeQuietly(files, path);
    return;
  }
  // Editors that crashed can't take their own files away.
  for (const { file, owner } of published(files, directory)) if (isGone(files, owner)) removeQuietly(files, file);
  makeDirectories(files, directory, 0o700);
  replaceFile(files, path, Buffer.from(JSON.stringify({ owner: currentProcess(files), unsaved })), 0o600);
}
