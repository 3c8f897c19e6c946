// What the window of a host spec is opened on: an empty folder, or a workspace of several where the spec's first line
// names them, `// folders: app library`. A window can't be given a second folder later: that ends its extension host.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFolder } from './scratch.ts';

export function specPlace(spec: string, directory: string): string {
  const [, names] = /^\/\/ folders: (.+)/.exec(readFileSync(spec, 'utf8')) ?? [];
  if (names === undefined) return writeFolder(directory, {});
  const folders = names.trim().split(/\s+/);
  for (const folder of folders) writeFolder(join(directory, folder), {});
  const place = join(directory, 'several.code-workspace');
  writeFileSync(place, JSON.stringify({ folders: folders.map(path => ({ path })) }));
  return place;
}
