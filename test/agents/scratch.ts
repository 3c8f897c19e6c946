import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { scratchDirectory, writeFolder } from '../support/scratch.ts';

export type Files = Readonly<Record<string, string>>;
export type Tree = Readonly<Record<string, string>>;

/** Where one run of an agent lives. */
export interface Scratch {
  readonly project: string;
  readonly home: string;
}

/** The files that every recorded session started with. */
export const startFiles: Files = {
  'old.txt': 'alpha\nbeta\ngamma\n',
  'gone.txt': 'to be deleted\n',
  'mv.txt': 'to be moved\n',
};

let scratchRoot: string | undefined;
let scratchCount = 0;

/** A git project and an empty home of its own, so that no run sees the settings of this machine. */
export function makeScratch(files: Files = startFiles): Scratch {
  scratchRoot ??= scratchDirectory('agents');
  scratchCount += 1;
  const directory = join(scratchRoot, String(scratchCount));
  const project = writeFolder(join(directory, 'project'), files);
  const home = join(directory, 'home');
  mkdirSync(join(home, 'tmp'), { recursive: true });
  execFileSync('git', ['init', '--quiet'], { cwd: project });
  return { project, home };
}

/** The SHA-256 of every file but hidden ones: two equal trees hold equal bytes. */
export function treeOf(root: string): Tree {
  const tree: Record<string, string> = {};
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) walk(path);
      if (entry.isFile()) tree[relative(root, path).split(sep).join('/')] = hashOf(readFileSync(path));
    }
  };
  walk(root);
  return tree;
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
