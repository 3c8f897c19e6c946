import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFiles } from '../../../../src/core/base/files.ts';
import { ignoreRules } from '../../../../src/core/snapshot/ignoreRules.ts';
import { scanTree, type ScanOptions, type TreeScan } from '../../../../src/core/snapshot/scanTree.ts';
import type { State } from '../../../../src/core/snapshot/state.ts';
import { readTreeCache, writeTreeCache, type TreeCache } from '../../../../src/core/snapshot/treeCache.ts';
import { scratchDirectory } from '../../../support/scratch.ts';
import { testOptions } from '../../../support/testOptions.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { SeededRandom } from '../../../twins/random.ts';
import { differences, edit, editFolder, folderDifferences, foldersOn, isIgnored, SteppingFiles, type EditedDisk, type Watched } from './scanModel.ts';

const maxFileSize = 20;

/** The real disk, where an edit that leaves the size puts the old times back. */
class RealDisk implements EditedDisk {
  readonly files = nodeFiles;
  readonly root: string;

  constructor(root: string) {
    this.root = root;
    mkdirSync(root);
  }

  private at(path: string): string {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    return join(this.root, path);
  }

  put(path: string, text: string): void {
    const absolute = this.at(path);
    const before = lstatSync(absolute, { throwIfNoEntry: false });
    writeFileSync(absolute, text);
    if (before !== undefined) utimesSync(absolute, before.atime, before.mtime);
    else chmodSync(absolute, 0o644);
  }

  remove(path: string): void {
    rmSync(this.at(path));
  }

  move(from: string, to: string): void {
    renameSync(this.at(from), this.at(to));
  }

  mode(path: string, mode: number): void {
    chmodSync(this.at(path), mode);
  }

  touch(path: string): void {
    utimesSync(this.at(path), 1, 1);
  }

  link(path: string, target: string): void {
    symlinkSync(target, this.at(path));
  }

  makeFolder(path: string): void {
    mkdirSync(join(this.root, path), { recursive: true });
  }

  removeFolder(path: string): void {
    rmdirSync(join(this.root, path));
  }

  now(): number {
    return Date.now();
  }

  later(): void {}
}

/** Looks again and again, with edits between, and is told each time just what a naive look would tell. */
function play(random: SeededRandom, disk: EditedDisk, where: string): void {
  const watched: Watched = new Map();
  const kept = new Set<string>();
  let cache: TreeCache | undefined;
  let seen: Watched = new Map();
  let seenFolders: ReadonlyMap<string, number> = new Map();
  const memory = new MemoryFiles();
  memory.folder('/store');
  disk.put('.gitignore', '*.log\n/ignored\n');
  const ignoreFile = scanTree(disk.files, disk.root, { ...optionsFor(disk), cache: undefined, keep: () => true }).cache.entries.get('.gitignore');
  watched.set('.gitignore', ignoreFile?.state ?? { kind: 'absent' });
  for (let round = 0; round < 8; round += 1) {
    for (let count = random.below(8); count > 0; count -= 1) edit(random, disk, watched, maxFileSize);
    for (let count = random.below(4); count > 0; count -= 1) editFolder(random, disk);
    if (random.chance(0.5)) disk.later();
    const keep = (hash: string): boolean => kept.add(hash).has(hash);
    if (cache !== undefined && random.chance(0.3)) {
      const scan = lookInHaste(random, disk, { ...optionsFor(disk), cache, keep }, seen, watched, where);
      cache = scan.cache;
      seenFolders = mustBeTrue(scan, disk, seenFolders, where);
      if (random.chance(0.5)) edit(random, disk, watched, maxFileSize);
      if (random.chance(0.5)) editFolder(random, disk);
      if (random.chance(0.5)) disk.later();
    }
    const scan = scanTree(disk.files, disk.root, { ...optionsFor(disk), cache, keep });
    assert.deepEqual([scan.isFirst, scan.isComplete], [cache === undefined, true]);
    const told = scan.changes.map(({ path, before, after }) => `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`).toSorted();
    assert.deepEqual(told, round === 0 ? [] : differences(seen, watched), `${where}, round ${round}`);
    const folders = foldersOn(disk);
    assert.deepEqual(toldFolders(scan), round === 0 ? [] : folderDifferences(seenFolders, folders), `${where}, round ${round}`);
    assert.deepEqual([...scan.cache.folders].toSorted(), [...folders].toSorted(), `${where}, round ${round}`);
    seenFolders = folders;
    const covered = [...watched].filter(([path]) => !isIgnored(path));
    assert.deepEqual([...scan.cache.entries].map(([path, { state }]) => [path, state]).toSorted(), covered.toSorted(), `${where}, round ${round}`);
    for (const [path, state] of covered) if (state.kind === 'content') assert.ok(kept.has(state.hash), `${where}, round ${round}: the content of ${path} was not kept`);
    assert.deepEqual(scan.uncovered.map(({ path }) => path).toSorted(), covered.filter(([, { kind }]) => kind === 'oversize').map(([path]) => path).toSorted());
    seen = new Map(watched);
    // What the next look knows went through the file.
    writeTreeCache(memory, '/store/tree', scan.cache);
    cache = readTreeCache(memory, '/store/tree');
    assert.deepEqual(cache, scan.cache);
  }
}

/** A look that may run out of time: what it tells is true, and it counts as seen. */
function lookInHaste(random: SeededRandom, disk: EditedDisk, options: ScanOptions, seen: Watched, watched: Watched, where: string): TreeScan {
  let clock = 0;
  const budget = random.below(25);
  const scan = scanTree(disk.files, disk.root, { ...options, now: () => disk.now() + (clock += 1), budget });
  const none: State = { kind: 'absent' };
  for (const { path, before, after } of scan.changes) {
    assert.deepEqual([before, after], [seen.get(path) ?? none, watched.get(path) ?? none], `${where}: ${path}, in ${budget} ms`);
    if (after.kind === 'absent') seen.delete(path);
    else seen.set(path, after);
  }
  assert.equal(scan.uncovered.some(({ path }) => path === ''), !scan.isComplete);
  return scan;
}

function toldFolders({ folders }: TreeScan): readonly string[] {
  return folders.map(({ path, before, after }) => `${path}: ${before} -> ${after}`).toSorted();
}

/** What a look that may have run out of time tells of folders is true; returns those that it has seen. */
function mustBeTrue(scan: TreeScan, disk: EditedDisk, seen: ReadonlyMap<string, number>, where: string): ReadonlyMap<string, number> {
  const now = foldersOn(disk);
  const known = new Map(seen);
  for (const { path, before, after } of scan.folders) {
    assert.deepEqual([before, after], [seen.get(path), now.get(path)], `${where}: the folder ${path}`);
    if (after === undefined) known.delete(path);
    else known.set(path, after);
  }
  return known;
}

function optionsFor(disk: EditedDisk): Omit<Parameters<typeof scanTree>[2], 'cache' | 'keep'> {
  return { rules: ignoreRules({}), maxFileSize, now: () => disk.now(), budget: 60_000, leavesOut: () => false, home: '/nobody' };
}

describe('looks at a tree, beside a naive one', function () {
  this.timeout(120_000);

  it('tell the same in memory, where times come in steps', () => {
    const { seed, schedules, long } = testOptions();
    for (let run = 0; run < (schedules ?? (long ? 5000 : 300)); run += 1) play(new SeededRandom(seed + run), new SteppingFiles(new MemoryFiles()), `seed ${seed + run}`);
  });

  it('tell the same on the disk', function () {
    // Elsewhere modes, links, or names that differ in case only are not what they are in the model.
    if (process.platform !== 'linux') this.skip();
    const { seed, long } = testOptions();
    const scratch = scratchDirectory('scan');
    for (let run = 0; run < (long ? 400 : 25); run += 1) play(new SeededRandom(seed + run), new RealDisk(join(scratch, String(run))), `seed ${seed + run}`);
  });
});
