// node test/bench/store.ts [rounds]     the store against git and against the disk itself: ratios within this one run
//
// A folder of 2,000 text files under a shadow git, as peers use it, and under Turnstone. Each round changes the same files for both, the
// order of the two alternates, and a ratio is the median of the rounds' ratios. After every restore the files are compared by their bytes.
import { spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { quietWorkspace } from '../../src/core/base/workspace.ts';
import { Recorder } from '../../src/core/capture/recorder.ts';
import { restore } from '../../src/core/rewind/restore.ts';
import { selectRewind } from '../../src/core/rewind/travel.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { scratchDirectory } from '../support/scratch.ts';

const rounds = Math.max(3, Number(process.argv[2] ?? 5));
const place = scratchDirectory('bench');
const folder = join(place, 'project');
const shadow = join(place, 'shadow');
const fileCount = 2000;

/** A small generator, so that every run has the same files. */
let state = 7;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const words = Array.from({ length: 400 }, () => Math.floor(random() * 1e9).toString(36).slice(0, 2 + Math.floor(random() * 6)));

/** Lines of words; most files are small and a few are large, as in a source tree. */
function text(): string {
  const lines = Math.ceil(Math.exp(2 + random() * 3.5));
  return Array.from({ length: lines }, () => Array.from({ length: 8 }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')).join('\n');
}

function nameOf(index: number): string {
  return `d${index % 40}/e${index % 7}/f${index}.txt`;
}

function write(index: number, content: string): void {
  const path = join(folder, nameOf(index));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function git(...parameters: string[]): void {
  const { status, stderr } = spawnSync('git', parameters, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: place, GIT_DIR: shadow, GIT_WORK_TREE: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
  if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** What a folder takes on the disk, in bytes of allocated blocks. */
function allocated(top: string): number {
  return readdirSync(top, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => sum + statSync(join(top, name)).blocks * 512, 0);
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function fdatasyncs(count: number): number {
  const descriptor = openSync(join(place, 'calibration'), 'a');
  const line = Buffer.alloc(300, 'x');
  const times = Array.from({ length: count }, () => {
    const start = performance.now();
    writeSync(descriptor, line);
    fdatasyncSync(descriptor);
    return performance.now() - start;
  });
  closeSync(descriptor);
  return median(times);
}

for (let index = 0; index < fileCount; index += 1) write(index, text());
git('init', '-q');
git('config', 'user.email', 'bench@example.invalid');
git('config', 'user.name', 'bench');
git('config', 'gc.auto', '0');
git('add', '-A');
git('commit', '-qm', 'base');

const roots = new Roots(nodeFiles, systemClock, join(place, 'store'));
const root = await roots.add(folder);
const store = roots.open(root);
const recorder = new Recorder(nodeFiles, store);
const context = { files: nodeFiles, store, workspace: quietWorkspace };
let turns = 0;

/** One turn that changes some files, recorded as a wrapper does; returns its id. */
async function turn(indexes: readonly number[]): Promise<string> {
  turns += 1;
  const id = `t-${turns}`;
  await recorder.openTurn({ session: 's-bench', turn: id, prompt: `turn ${turns}` });
  for (const [position, index] of indexes.entries()) {
    const call = { session: 's-bench', turn: id, call: `c-${turns}-${position}`, tool: 'Write', paths: [join(folder, nameOf(index))] };
    await recorder.run(call, async () => write(index, `${readFileSync(join(folder, nameOf(index)), 'utf8')}\n${text()}`));
  }
  await recorder.closeTurn('s-bench', id);
  return id;
}

function some(count: number): readonly number[] {
  return Array.from({ length: count }, (_, step) => (turns * 131 + step * 17) % fileCount);
}

function contents(indexes: readonly number[]): readonly string[] {
  return indexes.map(index => readFileSync(join(folder, nameOf(index)), 'utf8'));
}

function mustEqual(now: readonly string[], then: readonly string[]): void {
  if (now.some((content, index) => content !== then[index])) throw new Error('Wrong bytes after a restore: the figures are worth nothing.');
}

const rows: { readonly what: string; readonly ratio: number; readonly note: string }[] = [];

// What a tool waits for, in syncs of the disk: the state before, durable.
const single = [];
for (let round = 0; round < 60; round += 1) {
  const index = (round * 7) % fileCount;
  const call = { session: 's-bench', turn: 't-0', call: `c-single-${round}`, tool: 'Write', paths: [join(folder, nameOf(index))] };
  single.push((await timed(() => recorder.begin(call))) / fdatasyncs(5));
  await recorder.end({ ...call, outcome: 'done' });
}
rows.push({ what: 'state before one edit, in fdatasyncs beside it', ratio: median(single), note: 'lower is better; two are the floor while contents and records are two files' });

for (const size of [1, 20, 200]) {
  const checkpoints: number[] = [];
  const restores: number[] = [];
  const gitRestores: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const indexes = some(size);
    const before = contents(indexes);
    let id = '';
    const ours = await timed(async () => (id = await turn(indexes)));
    const theirs = await timed(() => {
      git('add', '-A');
      git('commit', '-qm', `round ${round}`, '--allow-empty');
    });
    checkpoints.push(theirs / ours);
    const mine = async (): Promise<number> => {
      const time = await timed(() => restore(context, (timeline, look) => selectRewind(timeline, id, look), { decide: () => 'stop', dryRun: false }));
      mustEqual(contents(indexes), before);
      return time;
    };
    const after = contents(indexes);
    const others = async (): Promise<number> => {
      const time = await timed(() => {
        git('clean', '-fdq');
        git('reset', '-q', '--hard', 'HEAD~1');
      });
      mustEqual(contents(indexes), before);
      git('reset', '-q', 'HEAD@{1}');
      return time;
    };
    const put = (): void => indexes.forEach((index, position) => write(index, after[position] as string));
    const order = round % 2 === 0 ? [mine, others] : [others, mine];
    const times = new Map<typeof mine, number>();
    for (const one of order) {
      times.set(one, await one());
      put();
    }
    restores.push((times.get(others) as number) / (times.get(mine) as number));
    gitRestores.push(times.get(others) as number);
  }
  rows.push({ what: `turn of ${size} edits, git add and commit : ours`, ratio: median(checkpoints), note: 'both sides of every edit, each durable' });
  rows.push({ what: `taking back ${size} files, git clean and reset : ours`, ratio: median(restores), note: 'with safety copies, intent, verification' });
}

const [storeBefore, gitBefore] = [allocated(join(place, 'store')), allocated(shadow)];
const checkpoints = 100;
for (let round = 0; round < checkpoints; round += 1) {
  await turn(some(3));
  git('add', '-A');
  git('commit', '-qm', 'disk');
}
const [ours, theirs] = [allocated(join(place, 'store')) - storeBefore, allocated(shadow) - gitBefore];
rows.push({ what: 'disk for 100 turns of 3 edits, git : ours', ratio: theirs / ours, note: `${(ours / checkpoints / 1024).toFixed(1)} KiB a turn, records, contents and generations together` });

for (const { what, ratio, note } of rows) console.log(JSON.stringify({ what, ratio: Number(ratio.toFixed(2)), note }));
