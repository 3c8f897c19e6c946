import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the tools of recorded sessions do, whatever an agent calls them. */
export function writeText(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

export function replaceText(path: string, before: string, after: string): void {
  const content = readFileSync(path, 'utf8');
  if (!content.includes(before)) throw new Error(`The recorded edit of ${path} does not fit this file.`);
  writeFileSync(path, content.replace(before, () => after));
}

/** Runs a recorded command without its pauses. Recordings stay inside the project by construction. */
export function runCommandLine(command: string, project: string): void {
  const { error } = spawnSync('/bin/sh', ['-c', command.replace(/\bsleep [\d.]+; /g, '')], { cwd: project });
  if (error !== undefined) throw error;
}
