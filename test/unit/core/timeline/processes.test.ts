import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { nodeFiles } from '../../../../src/core/base/files.ts';
import type { Batch } from '../../../../src/core/journal/framing.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { Lock } from '../../../../src/core/journal/lock.ts';
import { BlobStore } from '../../../../src/core/snapshot/blobs.ts';
import { indexEntryLength } from '../../../../src/core/snapshot/blobIndex.ts';
import { scratchDirectory } from '../../../support/scratch.ts';
import { identity, recordsOf, textsOf, type Work } from './appender.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const rounds = 10;
const atOnce = 6;
const count = rounds * atOnce;

/** A process that appends, and what it said was done. */
class Appender {
  readonly done: number[] = [];
  wasBusy = false;
  readonly ended: Promise<unknown>;
  private readonly child: ChildProcess;
  private rest = '';

  constructor(work: Work, onDone: (appender: Appender) => void) {
    this.child = spawn(process.execPath, [fileURLToPath(new URL('appender.ts', import.meta.url)), JSON.stringify(work)], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      const lines = `${this.rest}${String(chunk)}`.split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === 'busy') this.wasBusy = true;
        else this.done.push(Number(line.slice('done '.length)));
      }
      onDone(this);
    });
    this.ended = once(this.child, 'close');
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  get signal(): NodeJS.Signals | null {
    return this.child.signalCode;
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }
}

function journalIn(directory: string): Journal {
  return new Journal(nodeFiles, systemClock, join(directory, 'journal'), identity.store);
}

/** Starts all of them, follows the journal while they append, and returns what each said and all that was read. */
async function appendAtOnce(works: readonly Work[], onDone: (appender: Appender, index: number) => void = () => undefined) {
  const [{ directory }] = works as [Work];
  const follower = journalIn(directory);
  const followed: Batch[] = [];
  const follow = (): string => {
    const { batches, ending } = follower.readOn();
    followed.push(...batches);
    assert.notEqual(ending.kind, 'damaged');
    return ending.kind;
  };
  const appenders = works.map(
    (work, index) =>
      new Appender(work, appender => {
        onDone(appender, index);
        follow();
      }),
  );
  await Promise.all(appenders.map(({ ended }) => ended));
  assert.equal(follow(), 'clean');
  return { appenders, followed };
}

/** One sequence without a gap, a clock that never runs backwards; returns each batch's process and number. */
function checkSequence(directory: string, followed: readonly Batch[]): readonly { readonly name: string; readonly number: number }[] {
  const { batches, ending } = journalIn(directory).readOn();
  assert.equal(ending.kind, 'clean');
  assert.deepEqual(followed, batches, 'who followed read the same');
  let [seq, time] = [1, [0, 0] as readonly [number, number]];
  for (const batch of batches) {
    assert.equal(batch.seq, seq);
    assert.ok(batch.at > time[0] || (batch.at === time[0] && batch.tick > time[1]), `the time of ${seq}`);
    [seq, time] = [seq + batch.records.length, [batch.at, batch.tick]];
  }
  return batches.map(({ records }) => {
    const [name, number] = (records[0] as { session: string }).session.split('/') as [string, string];
    assert.deepEqual(records, recordsOf(name, Number(number), (records[0] as { agentSession: string }).agentSession.length), 'a batch is there as a whole');
    return { name, number: Number(number) };
  });
}

function checkContents(directory: string, found: readonly { readonly name: string; readonly number: number }[]): void {
  const blobs = new BlobStore(nodeFiles, join(directory, 'blobs'));
  for (const { name, number } of found) {
    for (const text of textsOf(name, number)) assert.equal(Buffer.from(blobs.read(sha256(Buffer.from(text)))).toString('utf8'), text);
  }
}

function numbersOf(found: readonly { readonly name: string; readonly number: number }[], name: string): readonly number[] {
  return found.filter(one => one.name === name).map(({ number }) => number);
}

// Who waited in vain for the lock did it again, behind what the same process had asked for at the same time.
function inOwnOrder(numbers: readonly number[], wasBusy: boolean): boolean {
  const steps = wasBusy ? numbers.map(number => Math.floor(number / atOnce)) : numbers;
  return steps.every((step, index) => index === 0 || step >= (steps[index - 1] ?? 0));
}

const all = Array.from({ length: count }, (_, number) => number);

describe('eight processes that append at once', function () {
  this.timeout(120_000);

  for (const [what, length] of [['short', 10], ['long', 20_000]] as const) {
    it(`make one sequence of ${what} records, each there once and in its own order, with every content right`, async () => {
      const directory = scratchDirectory('append');
      const { appenders, followed } = await appendAtOnce(names.map(name => ({ directory, name, rounds, atOnce, length })));
      assert.deepEqual(appenders.map(({ exitCode }) => exitCode), names.map(() => 0));
      const found = checkSequence(directory, followed);
      for (const [index, name] of names.entries()) {
        const numbers = numbersOf(found, name);
        assert.deepEqual([[...numbers].sort((a, b) => a - b), [...(appenders[index]?.done ?? [])].sort((a, b) => a - b)], [all, all], name);
        assert.ok(inOwnOrder(numbers, appenders[index]?.wasBusy === true), `the order of ${name}: ${numbers.join(' ')}`);
      }
      checkContents(directory, found);
      const index = Buffer.from(nodeFiles.read(join(directory, 'blobs', 'index')));
      const stored = Array.from({ length: index.length / indexEntryLength }, (_, entry) => index.toString('hex', entry * indexEntryLength, entry * indexEntryLength + 32));
      assert.deepEqual([stored.length, new Set(stored).size], [names.length * count + count, names.length * count + count], 'each content is stored once');
      assert.deepEqual(readdirSync(directory).sort(), ['blobs', 'journal']);
      assert.deepEqual(readdirSync(join(directory, 'journal')).filter(name => !name.endsWith('.log')), []);
      assert.equal(readdirSync(join(directory, 'journal')).length > 1, length > 10, 'long records fill more than one segment');
    });
  }

  it('go on when two of them are killed, one with the lock in its hand, and lose nothing that was acknowledged', async () => {
    const seed = Number(process.env['TURNSTONE_SEED'] ?? Date.now() % 1_000_000);
    console.log(`      seed ${seed} (TURNSTONE_SEED)`);
    const [killAfter, diesAtSync] = [1 + (seed % (count / 2)), 2 + (seed % 5)];
    const directory = scratchDirectory('append');
    // The first one would never end by itself.
    const works = names.map((name, index) => ({ directory, name, rounds: index === 0 ? 1e9 : rounds, atOnce, length: 10, ...(index === 1 ? { diesAtSync } : {}) }));
    const { appenders, followed } = await appendAtOnce(works, (appender, index) => {
      if (index === 0 && appender.done.length >= killAfter) appender.kill();
    });
    assert.deepEqual(appenders.map(({ exitCode, signal }) => signal ?? exitCode), names.map((_, index) => (index < 2 ? 'SIGKILL' : 0)));
    const found = checkSequence(directory, followed);
    for (const [index, name] of names.entries()) {
      const [numbers, { done, wasBusy }] = [numbersOf(found, name), appenders[index] as Appender];
      assert.equal(new Set(numbers).size, numbers.length, `${name}: each is there once`);
      assert.deepEqual(done.filter(number => !numbers.includes(number)), [], `${name}: what was acknowledged is there`);
      assert.ok(index < 2 ? numbers.length <= done.length + atOnce : numbers.length === count, `${name}: ${numbers.length} of ${done.length}`);
      assert.ok(inOwnOrder(numbers, wasBusy), `the order of ${name}: ${numbers.join(' ')}`);
    }
    checkContents(directory, found);
    // The one that was killed may have been the last to hold the lock: whoever comes next takes it over.
    const [next] = (await appendAtOnce([{ directory, name: 'next', rounds: 1, atOnce, length: 10 }])).appenders;
    assert.deepEqual([next?.exitCode, readdirSync(directory).includes('lock')], [0, false]);
    new Lock(nodeFiles, systemClock, join(directory, 'lock')).tidy();
    assert.deepEqual(readdirSync(directory).sort(), ['blobs', 'journal']);
  });
});
