#!/usr/bin/env node
// A hook for tests: appends one JSON line per event with what the agent sent and the SHA-256 of
// every project file at that moment. It is plain JavaScript and alone, because it is started once
// per event and every import would be paid for each time.
//   recordEvents.mjs <log file>
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const [log] = process.argv.slice(2);
const event = JSON.parse(readFileSync(0, 'utf8'));
const tree = {};

function walk(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) walk(path);
    if (entry.isFile()) {
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      tree[relative(event.cwd, path).split(sep).join('/')] = hash;
    }
  }
}

walk(event.cwd);
appendFileSync(log, `${JSON.stringify({ event, tree })}\n`);
