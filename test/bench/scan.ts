// node test/bench/scan.ts [files…]     what looks at the covered tree cost, beside `git status` on the same tree; 5000 and 50000 files unless told
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFiles } from '../../src/core/base/files.ts';
import { ignoreRules } from '../../src/core/snapshot/ignoreRules.ts';
import { scanTree, type TreeScan } from '../../src/core/snapshot/scanTree.ts';
import { readTreeCache, writeTreeCache, type TreeCache } from '../../src/core/snapshot/treeCache.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { SeededRandom } from '../twins/random.ts';

const words = ['value', 'return', 'const', 'import', 'from', 'state', 'the', 'path', '=>', '{', '}', 'if', 'number', 'entry'];
const ignoreFile = ['node_modules/', 'dist/', '*.log', '.DS_Store', '/build', '!keep.log', '*.py[co]', '**/cache/', 'coverage', '*.tmp', '.env*', 'docs/_build/'].join('\n');

/** A tree like a source tree: sizes around 700 bytes with a long tail, ten files a folder, a few wide folders, ignore files here and there. */
function plant(root: string, count: number): void {
  const random = new SeededRandom(1);
  const made = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const folder = random.chance(0.05) ? 'wide' : `package${random.below(Math.ceil(count / 500))}/src/part${random.below(8)}/group${random.below(6)}`;
    const path = join(root, folder, `file${index}.ts`);
    if (!made.has(folder)) {
      mkdirSync(dirname(path), { recursive: true });
      if (random.chance(0.05)) writeFileSync(join(root, folder, '.gitignore'), '*.out\n/local/\n');
    }
    made.add(folder);
    const size = Math.min(500_000, Math.ceil(700 * Math.exp(1.9 * (random.next() + random.next() + random.next() - 1.5) * 2)));
    let text = '';
    while (text.length < size) text += `${random.pick(words)} ${random.below(1000)}\n`;
    writeFileSync(path, text.slice(0, size));
  }
  writeFileSync(join(root, '.gitignore'), ignoreFile);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function timed<Value>(times: number[], work: () => Value): Value {
  const start = performance.now();
  const value = work();
  times.push(performance.now() - start);
  return value;
}

/** What no look can do without: every folder listed, every entry looked at. */
function walk(folder: string): void {
  for (const name of nodeFiles.readDirectory(folder)) {
    const path = `${folder}/${name}`;
    if (name !== '.git' && nodeFiles.stat(path)?.kind === 'directory') walk(path);
  }
}

function git(root: string, ...parameters: readonly string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stderr } = spawnSync('git', ['-c', 'gc.auto=0', ...parameters], { cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr);
}

function measure(count: number): void {
  const root = join(scratchDirectory('bench'), 'tree');
  plant(root, count);
  const file = join(dirname(root), 'cache');
  const look = (cache: TreeCache | undefined): TreeScan =>
    scanTree(nodeFiles, root, { cache, rules: ignoreRules({}), maxFileSize: 10 * 1024 * 1024, now: () => Date.now(), budget: 600_000, leavesOut: () => false, keep: () => true, home: '/nobody' });
  const hasGit = spawnSync('git', ['--version']).status === 0;
  const times = { first: [] as number[], unchanged: [] as number[], edited: [] as number[], load: [] as number[], save: [] as number[], status: [] as number[], add: [] as number[], walk: [] as number[] };
  const init = (): void => {
    git(root, 'init', '-q');
    timed(times.add, () => git(root, 'add', '.'));
  };
  if (hasGit) init();
  let cache = timed(times.first, () => look(undefined)).cache;
  // The second look reads anew what was written just before the first, and is not the usual one.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  cache = look(cache).cache;
  const paths = [...cache.entries.keys()];
  for (let round = 0; round < 7; round += 1) {
    timed(times.first, () => look(undefined));
    const unchanged = timed(times.unchanged, () => look(cache));
    if (unchanged.changes.length > 0 || unchanged.uncovered.length > 0) throw new Error(`changes where none are: ${JSON.stringify(unchanged.changes[0] ?? unchanged.uncovered[0])}`);
    timed(times.walk, () => walk(root));
    if (hasGit) timed(times.status, () => git(root, 'status', '--porcelain'));
    timed(times.save, () => writeTreeCache(nodeFiles, file, cache));
    if (timed(times.load, () => readTreeCache(nodeFiles, file))?.entries.size !== cache.entries.size) throw new Error('the cache was not read');
    const edited = paths[(round * 997) % paths.length] as string;
    writeFileSync(join(root, edited), `${readFileSync(join(root, edited), 'utf8')}edited`);
    const after = timed(times.edited, () => look(cache));
    if (after.changes.length !== 1 || after.changes[0]?.path !== edited) throw new Error('the edit was not told');
    cache = after.cache;
  }
  const status = median(times.status);
  const line = (what: string, values: readonly number[]): void => console.log(`${what}: ${median(values).toFixed(1)} ms${hasGit ? ` (${(median(values) / status).toFixed(2)} of git status)` : ''}`);
  console.log(`\n${cache.entries.size} files, cache ${(statSync(file).size / 1e6).toFixed(1)} MB${hasGit ? `; git status ${status.toFixed(1)} ms, git add of all ${median(times.add).toFixed(0)} ms` : '; no git to compare with'}`);
  line('first look, contents read and hashed, none stored', times.first);
  line('nothing changed', times.unchanged);
  line('of which the disk, listed and looked at', times.walk);
  line('one file edited', times.edited);
  line('load the cache', times.load);
  line('save the cache', times.save);
}

const counts = process.argv.slice(2).map(Number);
for (const count of counts.length > 0 ? counts : [5000, 50_000]) measure(count);
