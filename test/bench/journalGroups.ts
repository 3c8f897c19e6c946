// node test/bench/journalGroups.ts [runs]     what commits cost that are made at once, over one that is made alone
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../src/core/base/digest.ts';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { StoreWriter } from '../../src/core/timeline/storeWriter.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { identity, recordsOf, textsOf, type Work } from '../unit/core/timeline/appender.ts';

const runs = Math.max(10, Number(process.argv[2] ?? 40));
const atOnce = 64;
const directory = scratchDirectory('bench');
const writer = new StoreWriter(nodeFiles, systemClock, directory, identity);
let number = 0;

function commit(): Promise<boolean> {
  number += 1;
  const contents = new Map(textsOf('bench', number).map(text => [sha256(Buffer.from(text)), Buffer.from(text)]));
  return writer.commit(contents, recordsOf('bench', number, 200));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function oneAfterAnother(): Promise<void> {
  for (let count = 0; count < atOnce; count += 1) await commit();
}

/** Milliseconds until all processes are done with their commits, without the time that a process takes to start. */
async function timedProcesses(processes: number, rounds: number, together: number): Promise<number> {
  const place = scratchDirectory('bench');
  const children = Array.from({ length: processes }, (_, index) => {
    const work: Work = { directory: place, name: String.fromCharCode(97 + index), rounds, atOnce: together, length: 200 };
    const program = fileURLToPath(new URL('../unit/core/timeline/appender.ts', import.meta.url));
    return spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'pipe', 'inherit'] });
  });
  let begun: number | undefined;
  for (const child of children) child.stdout.on('data', () => (begun ??= performance.now()));
  const codes = (await Promise.all(children.map(child => once(child, 'close')))).map(([code]) => code as number);
  if (codes.some(code => code !== 0)) throw new Error(`A process ended with ${codes.join(' ')}.`);
  return performance.now() - (begun ?? 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;

await commit();
const times = { alone: [] as number[], together: [] as number[], afterAnother: [] as number[] };
for (let run = 0; run < runs; run += 1) {
  // Interleaved, so that a busy moment of the machine falls on all alike.
  times.alone.push(await timed(commit));
  times.together.push(await timed(() => Promise.all(Array.from({ length: atOnce }, commit))));
  if (run % 4 === 0) times.afterAnother.push(await timed(oneAfterAnother));
}
const [alone, together, afterAnother] = [median(times.alone), median(times.together), median(times.afterAnother)];
console.log(`${runs} interleaved runs; one commit alone: ${milliseconds(alone)}`);
console.log(`${atOnce} commits at once: ${milliseconds(together)}, ${(together / alone).toFixed(1)} times one, ${milliseconds(together / atOnce)} each`);
console.log(`${atOnce} commits one after another: ${milliseconds(afterAnother)}, ${(afterAnother / together).toFixed(1)} times those at once`);

const [processes, each] = [8, 60];
const [singly, inGroups] = [await timedProcesses(processes, each, 1), await timedProcesses(processes, each / 6, 6)];
const commits = processes * each;
console.log(`${processes} processes, ${each} commits each, one at a time: ${milliseconds(singly)}, ${milliseconds(singly / commits)} each`);
console.log(`${processes} processes, ${each} commits each, six at a time: ${milliseconds(inGroups)}, ${milliseconds(inGroups / commits)} each, ${(singly / inGroups).toFixed(1)} times as fast`);
