import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFiles } from '../../../../src/core/base/files.ts';
import { globalExcludesFile } from '../../../../src/core/snapshot/gitConfig.ts';
import { ignoreRules } from '../../../../src/core/snapshot/ignoreRules.ts';
import { scanTree, type TreeScan } from '../../../../src/core/snapshot/scanTree.ts';
import type { SeededRandom } from '../../../twins/random.ts';

/** A home directory of tests, and git that knows no other. */
export class GitGround {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
    mkdirSync(home, { recursive: true });
  }

  git(folder: string, ...parameters: readonly string[]): string {
    const { PATH } = process.env;
    const env = { PATH, HOME: this.home, XDG_CONFIG_HOME: join(this.home, '.config'), GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: dirname(this.home) };
    const { status, stdout, stderr } = spawnSync('git', parameters, { cwd: folder, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** What git would add, were everything added. */
  listed(folder: string): readonly string[] {
    // A repository inside is one entry for git, with a slash at the end.
    return this.git(folder, 'ls-files', '-z', '-o', '-c', '--exclude-standard').split('\0').filter(path => path !== '' && !path.endsWith('/')).toSorted();
  }

  scan(root: string, exclude: readonly string[] = []): TreeScan {
    const rules = ignoreRules({ globalExcludes: globalExcludesFile(nodeFiles, { home: this.home }), home: this.home, exclude });
    return scanTree(nodeFiles, root, { cache: undefined, rules, maxFileSize: 2 ** 20, now: () => 0, budget: 1, leavesOut: () => false, keep: () => true, home: this.home });
  }

  covered(root: string, exclude: readonly string[] = []): readonly string[] {
    return [...this.scan(root, exclude).cache.entries.keys()].toSorted();
  }
}

export function hasGit(): boolean {
  return spawnSync('git', ['--version']).status === 0;
}

export function put(folder: string, path: string, text = ''): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

export function clear(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

// Windows has no such names.
const oddNames = process.platform === 'win32' ? [] : ['a*', '[', 'a ', '\\', 'a?b', 'x\ty'];
const names = ['a', 'b', 'c', 'ab', 'abc', 'a.b', '.b', 'A', '#a', '!a', 'é', 'e\u0301', 'a-b', ']', '{a}', '(b', '$', '^a', 'a+', ...oddNames];
const pieces = [
  ...names, 'a', 'b', 'c', 'ab', '*', '*', '**', '?', '??', 'a*', '*b', '*.b', '.*', '***', 'a**', '**b', 'a?', '[ab]', '[!a]', '[^b]', '[a-c]', '[]a]', '[!]]', '[a', '[[:alpha:]]', '[[:upper:]]*', '[\\]]',
  '[a-]', '[c-a]', '\\a', '\\*', '\\?', '\\[', '\\\\', '\\#a', '\\!a', 'a\\ ', '{a,b}', '[é]', 'é*', '?b', '*a*b*', '[.]b', '.', '..',
];

/** A line of an ignore file, as people write them and as they don't. */
export function randomPattern(random: SeededRandom): string {
  const parts = Array.from({ length: 1 + random.below(random.chance(0.3) ? 4 : 2) }, () => random.pick(pieces));
  let pattern = parts.join('/');
  if (random.chance(0.2)) pattern = `/${pattern}`;
  if (random.chance(0.25)) pattern = `${pattern}/`;
  if (random.chance(0.25)) pattern = `!${pattern}`;
  if (random.chance(0.05)) pattern = `${pattern}${random.pick([' ', '  ', '\t', '\\ ', '\\', '//', '\r', ' \r'])}`;
  if (random.chance(0.03)) pattern = random.pick(['', '#a', ' ', '/', '!', '!/', '*', '**', '/*', '!*/', '**/', '/**', ' a', '\\']);
  return pattern;
}

export function randomRules(random: SeededRandom): string {
  const lines = Array.from({ length: 1 + random.below(5) }, () => randomPattern(random));
  return (random.chance(0.05) ? '\ufeff' : '') + lines.join(random.chance(0.1) ? '\r\n' : '\n') + (random.chance(0.7) ? '\n' : '');
}

/** A small tree with ignore files here and there. */
export function plant(random: SeededRandom, folder: string, depth = 0): void {
  mkdirSync(folder, { recursive: true });
  const chosen = new Set(Array.from({ length: 3 + random.below(5) }, () => random.pick(names)));
  for (const name of chosen) {
    if (depth < 3 && random.chance(0.45)) plant(random, join(folder, name), depth + 1);
    else writeFileSync(join(folder, name), '');
  }
  if (random.chance(depth === 0 ? 0.8 : 0.3)) writeFileSync(join(folder, '.gitignore'), randomRules(random));
}
