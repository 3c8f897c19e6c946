import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Makes a temporary directory that is removed when this process ends; its path has no symbolic links. */
export function scratchDirectory(purpose: string): string {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), `turnstone-${purpose}-`));
  process.once('exit', () => {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A process that is still ending may hold a file; the system's own cleaning takes the rest.
    }
  });
  return directory;
}

/** Writes a small folder from an object of relative paths and texts. */
export function writeFolder(directory: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}
