import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import type { RootStore } from '../../../../src/core/timeline/store.ts';
import { unframe } from '../../../../src/core/journal/framing.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { TimelineFold } from '../../../../src/core/timeline/fold.ts';
import { framesIn } from '../../../../src/core/timeline/generationFrames.ts';
import { Generations } from '../../../../src/core/timeline/generations.ts';
import type { JournalRecord } from '../../../../src/core/timeline/records.ts';
import { Roots } from '../../../../src/core/timeline/roots.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { World, project, storage } from '../../../twins/world.ts';
import { appendAlone } from '../journal/appendAlone.ts';
import { anyRecord, contentsOf, notARecord, wholeFold } from './histories.ts';

/** What happens to a store between two looks at it. */
type Event =
  | { readonly kind: 'commit'; readonly process: number; readonly records: readonly unknown[] }
  | { readonly kind: 'refresh' | 'restart'; readonly process: number }
  | { readonly kind: 'append'; readonly records: readonly unknown[] }
  | { readonly kind: 'tear' | 'flip' | 'lose' | 'power' | 'oldJournal'; readonly at: number };

const processes = 3;
const process = fc.nat(processes - 1);
const at = fc.nat();
const records = fc.array(anyRecord, { minLength: 1, maxLength: 4 });
const boundary = fc.constantFrom({ type: 'turn.close', session: 's-1', turn: 't-1', outcome: 'closed' }, { type: 'turn.open', session: 's-2', turn: 't-3' });
const batch = fc.tuple(records, fc.option(boundary)).map(([some, last]) => (last === null ? some : [...some, last]));
const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('commit' as const), process, records: batch }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('refresh' as const, 'restart' as const), process }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), records }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('append' as const), records: fc.array(notARecord, { minLength: 1, maxLength: 1 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('tear' as const, 'flip' as const, 'lose' as const, 'power' as const, 'oldJournal' as const), at }) },
  ),
  { minLength: 5, maxLength: 30 },
);

class Machine {
  readonly world: World;
  private readonly actors: RootStore[];
  private readonly journalCopies: Uint8Array[] = [];
  lost = 0;

  constructor(world: World) {
    this.world = world;
    this.actors = Array.from({ length: processes }, () => world.open().store);
  }

  get memory(): MemoryFiles {
    return this.world.memory;
  }

  get directory(): string {
    const roots = new Roots(this.memory, this.world.clock, storage);
    const root = roots.at(project);
    assert.ok(root);
    return roots.directoryOf(root);
  }

  get journal(): Journal {
    const store = this.world.open().store;
    return new Journal(this.memory, this.world.clock, `${this.directory}/journal`, store.identity.store);
  }

  private get log(): string {
    return `${this.directory}/journal/000001.log`;
  }

  /** Whether the newest generation speaks of a record that the journal has no more, or has another in place of. */
  private isLost(): boolean {
    const newest = this.files().filter(name => name.endsWith('.gen')).toReversed().map(name => framesIn(Buffer.from(this.memory.read(name)))).find(frames => frames.length > 0);
    const head = newest?.map(frame => frame.head).toSorted((a, b) => b.seq - a.seq)[0];
    if (head === undefined) return false;
    const line = Buffer.from(this.memory.read(this.log)).subarray(0, head.position.offset).toString().split('\n').at(-2) ?? '';
    const said = unframe(Buffer.from(line));
    return said.kind !== 'batch' || said.crc !== head.position.prev || said.batch.seq + said.batch.records.length !== head.seq + 1;
  }

  private files(): readonly string[] {
    const folder = `${this.directory}/generations`;
    return this.memory.stat(folder) === undefined ? [] : this.memory.readDirectory(folder).map(name => `${folder}/${name}`);
  }

  async take(event: Event): Promise<void> {
    switch (event.kind) {
      case 'commit': {
        const store = this.actors[event.process] as RootStore;
        const before = this.memory.stat(this.log)?.size;
        try {
          await store.commit(new Map(), event.records as readonly JournalRecord[]);
        } catch (error) {
          // A store that is not sound refuses, and nothing was written.
          if (!TurnstoneError.is(error, 'damaged')) throw error;
          assert.deepEqual([store.damage !== undefined, this.memory.stat(this.log)?.size], [true, before]);
        }
        return this.keepCopy();
      }
      case 'append':
        appendAlone(this.journal, event.records);
        return this.keepCopy();
      case 'refresh':
        return this.actors[event.process]?.refresh();
      case 'restart':
        this.actors[event.process] = this.world.open().store;
        return this.actors[event.process]?.refresh();
      case 'power':
        this.memory.powerFailure();
        return this.restartAll();
      case 'oldJournal': {
        // Somebody put a copy of the journal back, and of nothing else.
        const copy = this.journalCopies[event.at % Math.max(1, this.journalCopies.length)];
        if (copy === undefined) return;
        this.memory.put(this.log, copy);
        this.memory.settleBelow('/');
        this.journalCopies.length = 0;
        return this.restartAll();
      }
      default:
        return this.spoil(event.kind, event.at);
    }
  }

  private keepCopy(): void {
    if (this.memory.stat(this.log) !== undefined) this.journalCopies.push(this.memory.read(this.log));
  }

  private restartAll(): void {
    this.world.reboot();
    this.actors.forEach((_, index) => (this.actors[index] = this.world.open().store));
  }

  private spoil(how: 'tear' | 'flip' | 'lose', place: number): void {
    const file = this.files()[place % Math.max(1, this.files().length)];
    if (file === undefined) return;
    const bytes = Buffer.from(this.memory.read(file));
    const index = Math.floor(place / 7) % Math.max(1, bytes.length);
    if (how === 'lose') return this.memory.remove(file);
    if (how === 'flip') bytes[index] = (bytes[index] ?? 0) ^ (1 << place % 8);
    this.memory.put(file, how === 'tear' ? bytes.subarray(0, index) : bytes);
  }

  check(): void {
    const fresh = this.world.open().store;
    fresh.refresh();
    const whole = wholeFold(this.journal);
    assert.deepEqual(contentsOf(fresh.timeline), contentsOf(whole));
    // The journal's own records say whether it is sound, wherever the reading began, and the newest generation whether all of it is there.
    const lost = this.isLost();
    assert.equal(fresh.damage !== undefined, whole.invalid.length > 0 || lost);
    if (lost) this.lost += 1;
    for (let seq = 0; seq <= whole.seq; seq += 1) assert.deepEqual(contentsOf(fresh.reconstruct(seq)), contentsOf(wholeFold(this.journal, seq)), `rebuilt at ${seq}`);
    assert.deepEqual(contentsOf(fresh.timeline), contentsOf(whole), 'rebuilding disturbed it');
  }

  beginsAtGeneration(): boolean {
    const generations = new Generations(this.memory, this.world.clock, this.directory, `${this.directory}/journal`, this.world.open().store.identity.store);
    return generations.open(new TimelineFold()) !== undefined;
  }

  checkFollowers(): void {
    for (const store of this.actors) {
      store.refresh();
      assert.deepEqual(contentsOf(store.timeline), contentsOf(wholeFold(this.journal)));
    }
  }
}

describe('a store with generations', () => {
  it('has the timeline of its whole journal, whatever processes do and whatever happens to its generations', async function () {
    this.timeout(120_000);
    let used = 0;
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(events, async steps => {
        const machine = new Machine(await World.make());
        for (const step of steps) await machine.take(step);
        machine.checkFollowers();
        machine.check();
        if (machine.beginsAtGeneration()) used += 1;
        lost += machine.lost;
      }),
      { numRuns: 150 },
    );
    assert.ok(used > 50, `only ${used} of 150 stores began at a generation in the end: nothing was tried`);
    assert.ok(lost > 3, `only ${lost} of 150 journals had lost something: nothing was tried`);
  });
});
