import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Files } from '../base/files.ts';
import { makeDirectories, removeQuietly, replaceFile } from '../base/fileTools.ts';
import { currentProcess, isGone } from '../base/processes.ts';

const unsavedSchema = z.object({
  owner: z.object({ host: z.string(), boot: z.string(), pid: z.int(), started: z.string() }),
  unsaved: z.array(z.string()),
});

/** Paths of documents that other live editors hold unsaved: `editors/<pid>.json` in the storage directory. */
export function unsavedElsewhere(files: Files, storage: string): ReadonlySet<string> {
  const directory = join(storage, 'editors');
  const self = currentProcess(files);
  const found = new Set<string>();
  if (files.stat(directory) === undefined) return found;
  for (const name of files.readDirectory(directory).filter(candidate => candidate.endsWith('.json'))) {
    try {
      const { owner, unsaved } = z.parse(unsavedSchema, JSON.parse(Buffer.from(files.read(join(directory, name))).toString('utf8')));
      if (isGone(files, owner)) removeQuietly(files, join(directory, name));
      else if (owner.pid !== self.pid || owner.host !== self.host) for (const path of unsaved) found.add(path);
    } catch {
      // A file that is being replaced, or not one of ours: it names nothing.
    }
  }
  return found;
}

/** Says what this editor holds unsaved; an empty list takes the file away. */
export function publishUnsaved(files: Files, storage: string, unsaved: readonly string[]): void {
  const directory = join(storage, 'editors');
  const path = join(directory, `${process.pid}.json`);
  if (unsaved.length === 0) {
    removeQuietly(files, path);
    return;
  }
  makeDirectories(files, directory, 0o700);
  replaceFile(files, path, Buffer.from(JSON.stringify({ owner: currentProcess(files), unsaved })), 0o600);
}
