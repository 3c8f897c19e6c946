// kill -9 on a real process that captures on a real disk, at moments that nobody chose: every commit that it was told
// of is there afterwards, and the next process goes on. (kill.test.ts does the same to restores.)
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { testOptions } from '../support/testOptions.ts';
import { SeededRandom } from '../twins/random.ts';
import { sha256 } from './journalBytes.ts';

const kills = 24;
const steps = ['create', 'half of the write', 'write', 'syncData'];

interface Acknowledged {
  /** The number of the last of its records. */
  readonly seq: number;
  readonly records: readonly unknown[];
}

interface Life {
  readonly segmentLimit: number;
  readonly turns?: number;
  readonly diesAfter?: string;
  /** It is killed when so many commits were acknowledged, and a moment later. */
  readonly killAfter?: number;
}

class Ground {
  readonly storage: string;
  readonly folder: string;
  readonly acknowledged: Acknowledged[] = [];
  private lives = 0;

  constructor() {
    const place = scratchDirectory('capture');
    this.storage = join(place, 'store');
    this.folder = join(place, 'project');
    mkdirSync(this.folder);
  }

  /** Runs a process and takes in all that it acknowledges; returns the signal that ended it. */
  async live({ segmentLimit, turns, diesAfter, killAfter }: Life, random: SeededRandom): Promise<NodeJS.Signals | null> {
    this.lives += 1;
    const script = join(import.meta.dirname, 'captureChild.ts');
    const parameters = [this.storage, this.folder, this.lives, segmentLimit, turns ?? '', diesAfter ?? ''].map(String);
    const child = spawn(process.execPath, [script, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    let count = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      this.acknowledged.push(JSON.parse(line) as Acknowledged);
      count += 1;
      if (count !== killAfter) continue;
      // Anywhere within what comes next, which takes about as long.
      for (const until = performance.now() + 6 * random.next(); performance.now() < until; );
      child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    assert.ok(signal === 'SIGKILL' || code === 0, `life ${this.lives} ended with ${code}`);
    return signal;
  }

  private open() {
    const roots = new Roots(nodeFiles, systemClock, this.storage);
    const root = roots.at(this.folder);
    assert.ok(root !== undefined);
    return roots.open(root);
  }

  check(where: string): void {
    const store = this.open();
    store.refresh();
    const entries = store.readAll();
    assert.equal(store.damage, undefined, where);
    assert.deepEqual(entries.map(({ seq }) => seq), entries.map((_, index) => index + 1), `${where}: numbers have no gaps`);
    for (const { seq, records } of this.acknowledged) {
      const found = entries.slice(seq - records.length, seq).map(({ record }) => record);
      assert.ok(isDeepStrictEqual(found, records), `${where}: the acknowledged records up to ${seq} are there`);
    }
    const hashes = new Set([...JSON.stringify(entries).matchAll(/"(?:hash|prompt)":"([0-9a-f]{64})"/g)].map(match => match[1] as string));
    for (const hash of hashes) assert.equal(sha256(store.blobs.read(hash)), hash, where);
  }

  get segments(): number {
    return readdirSync(join(this.open().directory, 'journal')).filter(name => name.endsWith('.log')).length;
  }
}

describe('kill -9 in the middle of capturing', function () {
  this.timeout(300_000);
  const { seed } = testOptions();

  it('loses nothing that was acknowledged, and the next process goes on', async () => {
    const random = new SeededRandom(seed);
    const ground = new Ground();
    for (let kill = 1; kill <= kills; kill += 1) {
      const segmentLimit = random.pick([1500, 20_000, 8_000_000]);
      assert.equal(await ground.live({ segmentLimit, killAfter: 1 + random.below(20) }, random), 'SIGKILL');
      ground.check(`kill ${kill} (seed ${seed})`);
    }
    assert.equal(await ground.live({ segmentLimit: 8_000_000, turns: 2 }, random), null);
    ground.check(`after ${kills} kills (seed ${seed})`);
    console.log(`      ${kills} kills, ${ground.acknowledged.length} acknowledged commits, ${ground.segments} segments: lost 0`);
  });

  it('loses nothing at any step of going on in a new segment', async () => {
    const random = new SeededRandom(seed);
    const ground = new Ground();
    for (const diesAfter of [...steps, ...steps]) {
      const before = ground.acknowledged.length;
      assert.equal(await ground.live({ segmentLimit: 1500, diesAfter }, random), 'SIGKILL');
      assert.ok(ground.acknowledged.length > before, diesAfter);
      ground.check(`killed after ${diesAfter} of a new segment`);
    }
    assert.equal(await ground.live({ segmentLimit: 1500, turns: 2 }, random), null);
    ground.check('after all of them');
    assert.ok(ground.segments > steps.length * 2);
  });
});
