import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scratch } from './scratch.ts';

/** Puts a script between an agent and Turnstone's hook that notes which events come. POSIX only, as the programs' runs are. */
export function countEvents(place: Scratch): () => readonly string[] {
  const bin = join(dirname(place.home), 'store', 'bin');
  const [shim, real, log] = [join(bin, 'turnstone'), join(bin, 'turnstone-itself'), join(bin, 'events')];
  renameSync(shim, real);
  writeFileSync(shim, `#!/bin/sh\necho "$3" >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o700 });
  return () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
}
