// node test/bench/generations.ts [records…]     what generations save and cost, beside a fold of the whole journal; 10000 and 100000 records unless told
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { frame, firstPrev } from '../../src/core/journal/framing.ts';
import { Journal } from '../../src/core/journal/journal.ts';
import { segmentName } from '../../src/core/journal/segments.ts';
import type { State } from '../../src/core/snapshot/state.ts';
import { TimelineFold } from '../../src/core/timeline/fold.ts';
import { Generations } from '../../src/core/timeline/generations.ts';
import { foldBatch, reconstruct } from '../../src/core/timeline/reconstruct.ts';
import type { JournalRecord } from '../../src/core/timeline/records.ts';
import { scratchDirectory } from '../support/scratch.ts';

const storeId = 'j-bench';

/** mulberry32: the same history in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Turns of sessions, batch by batch as hooks append them, in a journal on the disk. */
class History {
  readonly directory: string;
  readonly journal: Journal;
  private readonly next = random(1);
  private readonly last = new Map<string, State>();
  private turns = 0;
  private descriptor: number | undefined;
  private segment = 0;
  private length = 0;
  private seq = 1;
  private prev = firstPrev;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(join(directory, 'journal'), { recursive: true });
    this.journal = new Journal(nodeFiles, systemClock, join(directory, 'journal'), storeId);
  }

  get records(): number {
    return this.seq - 1;
  }

  private id(kind: string): string {
    return `${kind}-${createHash('sha256').update(String(this.next())).digest('hex').slice(0, 26)}`;
  }

  private state(): State {
    return { kind: 'content', hash: createHash('sha256').update(String(this.next())).digest('hex'), mode: 0o644, size: Math.floor(this.next() * 20_000) };
  }

  /** A turn with so many calls, each of which edits one file; few files are edited often. */
  turn(calls: number): { readonly open: () => void; readonly rest: () => void } {
    const session = `s-${String(Math.floor(this.turns / 40)).padStart(26, '0')}`;
    this.turns += 1;
    const turn = this.id('t');
    const open = (): void => this.append([{ type: 'turn.open', session, turn, prompt: createHash('sha256').update(turn).digest('hex') }]);
    const rest = (): void => {
      for (let index = 0; index < calls; index += 1) {
        const call = this.id('c');
        const path = `src/some/folder/number-${Math.floor(this.next() ** 3 * 2000)}.ts`;
        const after = this.state();
        const before = this.last.get(path) ?? this.state();
        this.append([{ type: 'call.open', session, turn, call, tool: 'Edit', agentCall: `toolu_${call}`, paths: [{ path, before, missing: [] }] }]);
        this.append([{ type: 'call.close', session, turn, call, outcome: 'done', paths: [{ path, after, made: [] }] }]);
        this.last.set(path, after);
      }
      this.append([{ type: 'turn.close', session, turn, outcome: 'closed' }]);
    };
    return { open, rest };
  }

  /** Without a sync for each batch, which is another benchmark's matter. */
  private append(records: readonly JournalRecord[]): void {
    if (this.descriptor === undefined || this.length > 8 * 1024 * 1024) {
      this.segment += 1;
      this.length = 0;
      this.descriptor = openSync(join(this.directory, 'journal', segmentName(this.segment)), 'wx');
      this.write(frame({ turnstone: 'journal', format: 1, store: storeId, segment: this.segment, seq: this.seq, prev: this.prev }));
    }
    this.write(frame({ seq: this.seq, prev: this.prev, at: 1_800_000_000_000 + this.seq, tick: 0, records }));
    this.seq += records.length;
  }

  private write({ bytes, crc }: ReturnType<typeof frame>): void {
    writeSync(this.descriptor as number, bytes);
    this.length += bytes.length;
    this.prev = crc;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

function generationsIn(directory: string): Generations {
  return new Generations(nodeFiles, systemClock, directory, join(directory, 'journal'), storeId);
}

/** As a process opens the store: at a generation where there is one to be used, and on to the end. */
function open(directory: string, how: 'whole' | 'generation'): TimelineFold {
  const fold = new TimelineFold();
  const journal = new Journal(nodeFiles, systemClock, join(directory, 'journal'), storeId);
  const position = how === 'whole' ? undefined : generationsIn(directory).open(fold);
  if (position !== undefined) journal.readOnFrom(position);
  for (const batch of journal.readOn().batches) foldBatch(fold, batch);
  return fold;
}

/** In a process of its own, as a hook does it: nothing is warm. */
function openCold(directory: string, how: 'whole' | 'generation'): number {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--open', how, directory], { encoding: 'utf8' });
  return Number(stdout);
}

function filesOf(history: History): readonly { readonly name: string; readonly size: number }[] {
  const directory = join(history.directory, 'generations');
  return readdirSync(directory).sort().map(name => ({ name, size: statSync(join(directory, name)).size }));
}

async function measure(count: number): Promise<void> {
  const history = new History(join(scratchDirectory('bench'), String(count)));
  const generations = generationsIn(history.directory);
  const fold = new TimelineFold();
  generations.open(fold);
  const cuts = { keyframe: [] as number[], delta: [] as number[] };
  const bytes = new Map<string, number[]>();
  const cut = async (what: string): Promise<void> => {
    for (const batch of history.journal.readOn().batches) foldBatch(fold, batch);
    const position = history.journal.readTo;
    const before = what === '' ? [] : filesOf(history);
    const start = performance.now();
    if (position !== undefined) await generations.cut(fold, position);
    const took = performance.now() - start;
    const after = filesOf(history);
    const isNew = after.at(-1)?.name !== before.at(-1)?.name;
    cuts[isNew ? 'keyframe' : 'delta'].push(took);
    if (!isNew) bytes.set(what, [...(bytes.get(what) ?? []), (after.at(-1)?.size ?? 0) - (before.at(-1)?.size ?? 0)]);
  };
  for (let turn = 0; history.records < count; turn += 1) {
    // Nine turns of four edits, one of twenty, one of one.
    const calls = turn % 11 === 9 ? 20 : turn % 11 === 10 ? 1 : 4;
    const { open: begin, rest } = history.turn(calls);
    begin();
    await cut(turn === 0 ? '' : 'a prompt');
    rest();
    await cut(`the end of a turn with ${calls} edits`);
  }
  const opened = { warm: { whole: [] as number[], generation: [] as number[] }, cold: { whole: [] as number[], generation: [] as number[] } };
  for (let round = 0; round < (count > 20_000 ? 7 : 15); round += 1) {
    for (const how of ['whole', 'generation'] as const) {
      opened.warm[how].push(timed(() => open(history.directory, how)));
      opened.cold[how].push(openCold(history.directory, how));
    }
  }
  const next = random(2);
  const seqs = Array.from({ length: 60 }, () => Math.floor(next() * history.records));
  const rebuilt = seqs.map(seq => timed(() => reconstruct(history.journal, generationsIn(history.directory), seq)));
  const prefix = seqs.slice(0, 15).map(seq => timed(() => {
    const whole = new TimelineFold();
    for (const batch of history.journal.readUntil(seq).batches) foldBatch(whole, batch, seq);
  }));
  const files = filesOf(history);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const journalBytes = sum(readdirSync(history.journal.directory).map(name => statSync(join(history.journal.directory, name)).size));
  console.log(`\n${history.records} records, ${(journalBytes / 1e6).toFixed(1)} MB of journal`);
  for (const [state, { whole, generation }] of Object.entries(opened)) {
    console.log(`open, ${state}: whole fold ${milliseconds(median(whole))}, from a generation ${milliseconds(median(generation))}: ${(median(whole) / median(generation)).toFixed(1)}x`);
  }
  console.log(`reconstruct(random seq): fold of the prefix ${milliseconds(median(prefix))}, with generations ${milliseconds(median(rebuilt))} (p90 ${milliseconds(rebuilt.toSorted((a, b) => a - b)[Math.floor(rebuilt.length * 0.9)] ?? 0)}): ${(median(prefix) / median(rebuilt)).toFixed(1)}x`);
  console.log(`cut: delta ${milliseconds(median(cuts.delta))}, keyframe ${milliseconds(median(cuts.keyframe))}, the last ${milliseconds(cuts.keyframe.at(-1) ?? 0)} (${cuts.keyframe.length} of ${cuts.keyframe.length + cuts.delta.length})`);
  for (const [what, sizes] of bytes) console.log(`${what}: ${median(sizes)} bytes`);
  console.log(`${files.length} files, ${(sum(files.map(({ size }) => size)) / 1e6).toFixed(1)} MB; the newest ${(files.at(-1)?.size ?? 0) / 1e3} kB`);
}

const [first, how, directory] = process.argv.slice(2);
if (first === '--open' && (how === 'whole' || how === 'generation') && directory !== undefined) console.log(timed(() => open(directory, how)));
else {
  const counts = process.argv.slice(2).map(Number);
  for (const count of counts.length > 0 ? counts : [10_000, 100_000]) await measure(count);
}
