// What the tests download stays outside the clone, so a second run, or a second clone, starts at once.
// Every entry is made in a temporary neighbour and renamed into place: an interrupted set-up leaves no half-made entry,
// and of two processes making the same entry the later one throws its own copy away.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const temporaryPrefix = '.making-';
const abandonedAfter = 6 * 60 * 60 * 1000;

export function cacheDirectory(): string {
  const own = process.env['TURNSTONE_TEST_CACHE'];
  if (own) return own;
  const shared = process.env['XDG_CACHE_HOME'] || process.env['LOCALAPPDATA'] || join(homedir(), '.cache');
  return join(shared, 'turnstone-test');
}

/** Returns the directory of a cache entry; `make` fills it when it is not there yet. */
export async function cached(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const entry = join(cacheDirectory(), name);
  if (existsSync(entry)) return entry;
  await mkdir(cacheDirectory(), { recursive: true });
  await removeAbandoned();
  const temporary = await mkdtemp(join(cacheDirectory(), temporaryPrefix));
  try {
    await make(temporary);
    await rename(temporary, entry).catch((error: unknown) => {
      if (!existsSync(entry)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return entry;
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(cacheDirectory())) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const directory = join(cacheDirectory(), name);
    const age = await stat(directory).then((found) => Date.now() - found.mtimeMs, () => 0);
    if (age > abandonedAfter) await rm(directory, { recursive: true, force: true });
  }
}
