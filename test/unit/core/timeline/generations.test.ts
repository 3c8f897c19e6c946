import assert from 'node:assert/strict';
import { sha256OfText } from '../../../../src/core/base/digest.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import { Lock } from '../../../../src/core/journal/lock.ts';
import { emptyPrefix, prefixesAt, type Prefix } from '../../../../src/core/journal/prefix.ts';
import { Recorder } from '../../../../src/core/capture/recorder.ts';
import { CallRecorder } from '../../../../src/core/capture/callRecorder.ts';
import { foldVersion, TimelineFold } from '../../../../src/core/timeline/fold.ts';
import { freeze } from '../../../../src/core/timeline/frozen.ts';
import { Generations } from '../../../../src/core/timeline/generations.ts';
import { GenerationFiles } from '../../../../src/core/timeline/generationFiles.ts';
import { encodeGeneration, framesIn } from '../../../../src/core/timeline/generationFrames.ts';
import { RootStore } from '../../../../src/core/timeline/store.ts';
import { StoreWriter } from '../../../../src/core/timeline/storeWriter.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { World, project, type Actor } from '../../../twins/world.ts';
import { contentsOf, wholeFold } from './histories.ts';

/** A world with a few turns of one process, and its generations cut at every boundary. */
async function recorded(turns = 3): Promise<Ground> {
  const world = await World.make({ 'a.txt': '0' });
  const actor = world.open();
  for (let turn = 1; turn <= turns; turn += 1) await actor.turn(`t-${turn}`, [{ 'a.txt': `${turn}` }]);
  return new Ground(world, actor.store.directory, actor.store.identity.store);
}

class Ground {
  readonly world: World;
  readonly directory: string;
  readonly folder: string;
  readonly log: string;
  readonly storeId: string;

  constructor(world: World, directory: string, id: string) {
    this.world = world;
    this.directory = directory;
    this.folder = `${directory}/generations`;
    this.log = `${directory}/journal/000001.log`;
    this.storeId = id;
  }

  get journal(): Journal {
    return new Journal(this.world.memory, this.world.clock, `${this.directory}/journal`, this.storeId);
  }

  names(): readonly string[] {
    return this.world.memory.readDirectory(this.folder);
  }

  bytes(name = this.names().at(-1)): Buffer {
    return Buffer.from(this.world.memory.read(`${this.folder}/${name}`));
  }

  put(name: string | undefined, bytes: Uint8Array): void {
    this.world.memory.put(`${this.folder}/${name}`, bytes);
  }

  get head(): number {
    return wholeFold(this.journal).seq;
  }

  /** The record at whose generation a new process begins, 0 without one; that it comes to the right timeline is made sure of. */
  beginsAt(where = ''): number {
    const { store } = this.world.open();
    store.refresh();
    assert.deepEqual(contentsOf(store.timeline), contentsOf(wholeFold(this.journal)), where);
    assert.equal(store.damage, undefined, where);
    const fold = new TimelineFold();
    new Generations(this.world.memory, this.world.clock, this.directory, `${this.directory}/journal`, this.storeId).open(fold);
    return fold.seq;
  }
}

describe('generations', () => {
  it('are there after each turn, and a new process begins at the newest', async () => {
    const ground = await recorded();
    assert.deepEqual(ground.names(), ['000000000001.gen']);
    assert.deepEqual(framesIn(ground.bytes()).map(({ head }) => [head.base, head.seq]), [[0, 1], [1, 4], [4, 5], [5, 8], [8, 9], [9, 12]]);
    assert.equal(ground.beginsAt(), 12);
    await ground.world.open().openTurn('t-4');
    await ground.world.open().begin('t-4', { 'a.txt': 'more' });
    assert.deepEqual([ground.beginsAt(), ground.head], [13, 14]);
  });

  it('are cut at boundaries only, by those that read history: a call of a hook writes none', async () => {
    const { world, directory, folder } = await recorded(1);
    const before = world.tree(folder);
    const { store } = world.open();
    const files = faultyFiles(world.memory);
    const writer = new StoreWriter(files, world.clock, directory, store.identity);
    const calls = new CallRecorder(files, writer, async () => new Map());
    await calls.begin({ session: 's-a', turn: 't-1', call: 'c-9', tool: 'Write', paths: [`${project}/a.txt`] });
    await calls.end({ session: 's-a', turn: 't-1', call: 'c-9', outcome: 'done', paths: [`${project}/a.txt`] });
    assert.deepEqual(world.tree(folder), before);
    assert.deepEqual(files.operations.filter(({ path }) => path.includes('generations')), []);
    await store.commit(new Map(), [{ type: 'drift', paths: [] }]);
    assert.deepEqual(world.tree(folder), before);
    await store.commit(new Map(), [{ type: 'checkpoint', checkpoint: 'k-1' }]);
    assert.notDeepEqual(world.tree(folder), before);
  });

  it('are looked at without writing anything', async () => {
    const { world } = await recorded();
    const files = faultyFiles(world.memory);
    const { store } = world.open(files);
    store.refresh();
    store.reconstruct(3);
    const reading = new Set(['stat', 'read', 'readAt', 'readDirectory', 'readLink', 'realPath']);
    assert.deepEqual(files.operations.filter(({ method }) => !reading.has(method)), []);
  });

  it('cost time only, whichever byte of them is wrong', async function () {
    this.timeout(60_000);
    const ground = await recorded(1);
    const [name, good] = [ground.names()[0], ground.bytes()];
    const believed: number[] = [];
    for (let index = 0; index < good.length; index += 1) {
      const bytes = Buffer.from(good);
      bytes[index] = (bytes[index] ?? 0) ^ (1 << (index % 8));
      ground.put(name, bytes);
      if (ground.beginsAt(`byte ${index}`) === ground.head) believed.push(index);
    }
    assert.deepEqual(believed, [], 'a checksum does not see these');
  });

  it('cost time only, cut short anywhere, and the next boundary begins a new file', async function () {
    this.timeout(60_000);
    const ground = await recorded(1);
    const [name, good, log] = [ground.names()[0], ground.bytes(), ground.world.memory.read(ground.log)];
    const ends = framesIn(good).map(({ end }) => end);
    for (let length = 0; length < good.length; length += 1) {
      ground.world.memory.put(ground.log, log);
      ground.put(name, good.subarray(0, length));
      ground.beginsAt(`${length} bytes`);
      await ground.world.open().store.commit(new Map(), [{ type: 'checkpoint', checkpoint: 'k-1' }]);
      assert.equal(ground.names().length, ends.includes(length) ? 1 : 2, `${length} bytes`);
      assert.equal(ground.beginsAt(`${length} bytes, and another generation`), ground.head);
      for (const other of ground.names().slice(1)) ground.world.memory.remove(`${ground.folder}/${other}`);
    }
  });

  it('hide no damage of the journal that is older than they are', async () => {
    const ground = await recorded();
    const good = Buffer.from(ground.world.memory.read(ground.log));
    for (const index of [20, good.indexOf('"turn.close"'), good.length - 30]) {
      const bad = Buffer.from(good);
      bad[index] = (bad[index] ?? 0) ^ 1;
      ground.world.memory.put(ground.log, bad);
      const { store } = ground.world.open();
      store.refresh();
      assert.ok(store.damage !== undefined, `byte ${index}`);
      assert.deepEqual(contentsOf(store.timeline), contentsOf(wholeFold(ground.journal)));
    }
  });

  it('tell damage from a torn end: what they have seen was acknowledged', async () => {
    const ground = await recorded();
    const acknowledged = ground.world.memory.read(ground.log);
    await ground.world.open().store.commit(new Map(), [{ type: 'drift', paths: [] }]);
    const unseen = ground.world.memory.read(ground.log);
    for (const [bytes, isDamaged] of [[unseen, false], [acknowledged, true]] as const) {
      const torn = bytes.subarray(0, bytes.length - 1);
      ground.world.memory.put(ground.log, torn);
      const actor = ground.world.open();
      actor.store.refresh();
      assert.equal(actor.store.damage !== undefined, isDamaged);
      const { store } = ground.world.open();
      const writer = new StoreWriter(ground.world.memory, ground.world.clock, ground.directory, store.identity);
      const appended = writer.commit(new Map(), [{ type: 'drift', paths: [] }]);
      if (!isDamaged) assert.equal(await appended, true);
      else await assert.rejects(appended, error => TurnstoneError.is(error, 'damaged'));
      assert.equal(Buffer.compare(torn, ground.world.memory.read(ground.log)) === 0, isDamaged, 'nothing is cut');
    }
  });

  it('of another version of the fold tell so, too', async () => {
    const ground = await recorded(2);
    const keyframe = framesIn(ground.bytes())[0];
    assert.ok(keyframe);
    const position = { ...keyframe.head.position, seq: ground.head + 1 };
    ground.put(ground.names()[0], encodeGeneration(0, position, keyframe.head.prefix, Buffer.alloc(8), 999));
    const log = ground.world.memory.read(ground.log);
    ground.world.memory.put(ground.log, log.subarray(0, log.length - 1));
    const { store } = ground.world.open();
    store.refresh();
    assert.match(store.damage ?? '', new RegExp(`record ${ground.head + 1} was written, and is not there`));
  });

  it('tell of nothing that another process has not synced yet', async () => {
    const ground = await recorded(1);
    const { store } = ground.world.open();
    store.refresh();
    const { identity, directory } = store;
    let others = 0;
    // The lock is free again, and another process has written and is about to sync.
    const files = faultyFiles(ground.world.memory, ({ method, path }) => {
      if (method !== 'remove' || path !== `${directory}/lock` || others > 0) return undefined;
      others += 1;
      const group = ground.journal.groupLocked();
      group.add([{ type: 'checkpoint', checkpoint: 'k-theirs' }]);
      const file = ground.world.memory.open(ground.log, 'update', 0o600);
      file.write(group.bytes(), group.start.offset);
      file.close();
      return undefined;
    });
    ground.world.memory.settleBelow('/');
    assert.equal(await ground.world.open(files).store.commit(new Map(), [{ type: 'checkpoint', checkpoint: 'k-ours' }]), true);
    assert.deepEqual([others, ground.head], [1, 6]);
    for (const name of ground.names()) ground.world.memory.settle(`${ground.folder}/${name}`);
    ground.world.memory.powerFailure();
    ground.world.reboot();
    const next = new RootStore(ground.world.memory, ground.world.clock, directory, identity);
    next.refresh();
    assert.deepEqual([next.damage, ground.head], [undefined, 5]);
    assert.ok(framesIn(ground.bytes()).every(({ head }) => head.seq <= 5));
  });

  /** Ways in which a journal ends well, and has not what was acknowledged: the lines that are left, of which whole turns are four. */
  const cuts: readonly (readonly [what: string, cut: (lines: readonly string[]) => readonly string[]])[] = [
    ['the last line', lines => lines.slice(0, -1)],
    ['the last turn', lines => lines.slice(0, -4)],
    ['all but the first two', lines => lines.slice(0, 2)],
    ['all but the header', lines => lines.slice(0, 1)],
  ];

  for (const [what, cut] of cuts) {
    it(`tell that a journal has lost ${what}, though it ends well, and nobody who opens it whole goes on`, async () => {
      const ground = await recorded();
      const whole = ground.world.memory.text(ground.log).split('\n').slice(0, -1);
      ground.world.memory.put(ground.log, cut(whole).map(line => `${line}\n`).join(''));
      const [log, names, generation] = [ground.world.memory.text(ground.log), ground.names(), ground.bytes()];
      const left = ground.head;
      for (const act of [
        (actor: Actor) => actor.openTurn('t-9'),
        (actor: Actor) => actor.store.commit(new Map(), [{ type: 'checkpoint', checkpoint: 'k-1' }]),
        (actor: Actor) => actor.store.keep(new Map()),
        (actor: Actor) => actor.rewind('t-1'),
      ]) {
        const actor = ground.world.open();
        await assert.rejects(act(actor), error => TurnstoneError.is(error, 'damaged') && /record 12 was written, and is not there/.test(error.message) && error.message.includes(`remove ${ground.folder}.`));
        assert.equal(actor.store.timeline.seq, left);
      }
      const { store } = ground.world.open();
      store.refresh();
      store.refresh();
      assert.throws(() => store.reconstruct(12), error => TurnstoneError.is(error, 'damaged'));
      assert.deepEqual([ground.world.memory.text(ground.log), ground.names(), ground.bytes().equals(generation)], [log, names, true]);
      // Who says that the older history is the right one has it.
      for (const name of names) ground.world.memory.remove(`${ground.folder}/${name}`);
      await ground.world.open().turn('t-9', [{ 'a.txt': 'nine' }]);
      assert.equal(ground.beginsAt(), ground.head);
    });
  }

  it('tell so, too, where whole last segments are gone', async () => {
    const world = await World.make({ 'a.txt': '0' });
    world.openStore = (files, clock, directory, identity) => new RootStore(files, clock, directory, identity, 600);
    const actor = world.open();
    for (let turn = 1; turn <= 3; turn += 1) await actor.turn(`t-${turn}`, [{ 'a.txt': `${turn}` }]);
    const folder = `${actor.store.directory}/journal`;
    const segments = world.memory.readDirectory(folder);
    assert.ok(segments.length > 3, `${segments.length} segments`);
    const damageNow = (): string | undefined => {
      const { store } = world.open();
      store.refresh();
      return store.damage;
    };
    assert.equal(damageNow(), undefined);
    for (const name of segments.slice(1).toReversed()) {
      world.memory.remove(`${folder}/${name}`);
      assert.match(damageNow() ?? '', /record 12 was written, and is not there/, name);
    }
  });

  it('tell so, too, after hooks of calls have gone on where the lost records were: these read no generation', async () => {
    const ground = await recorded(3);
    const text = ground.world.memory.text(ground.log);
    ground.world.memory.put(ground.log, text.split('\n').slice(0, 6).map(line => `${line}\n`).join(''));
    const { store } = ground.world.open();
    const writer = new StoreWriter(ground.world.memory, ground.world.clock, ground.directory, store.identity);
    const [before, seen] = [ground.head, new Set<string>()];
    for (let record = before + 1; record <= 20; record += 1) {
      assert.equal(await writer.commit(new Map(), [{ type: 'drift', paths: [] }]), true);
      const opened = ground.world.open().store;
      opened.refresh();
      const told = /record 12 was written, and (.*?)\)\. It is shown (.*?), and nothing is written/.exec(opened.damage ?? '');
      assert.deepEqual(told?.slice(1), record < 12 ? ['is not there', 'up to there'] : ['something else is in its place', 'as it is now'], `${record}`);
      assert.equal(opened.timeline.seq, record);
      seen.add(told?.[1] ?? '');
    }
    assert.equal(seen.size, 2);
  });

  it('tell nothing of what others wrote and saved while a store was opened', async () => {
    const ground = await recorded(2);
    let turns = 0;
    // Another process does a turn before every operation of the opening, once each.
    for (let index = 0; ; index += 1) {
      let [at, busy] = [0, false];
      const files = faultyFiles(ground.world.memory, () => {
        if (busy || at++ !== index) return undefined;
        busy = true;
        const group = ground.journal.groupLocked();
        turns += 1;
        group.add([{ type: 'turn.open', session: 's-b', turn: `t-b-${turns}` }]);
        const theirs = ground.journal;
        theirs.writeLocked(group);
        const fold = wholeFold(ground.journal);
        const { position } = ground.journal.readUntil(Infinity);
        const prefix = prefixesAt(ground.world.memory, `${ground.directory}/journal`, emptyPrefix(ground.world.memory, `${ground.directory}/journal`) as Prefix, [position])[0] as Prefix;
        ground.put(`${String(fold.seq).padStart(12, '0')}.gen`, encodeGeneration(0, position, prefix, freeze(fold, 0, ground.storeId), foldVersion));
        busy = false;
        return undefined;
      });
      const { store } = ground.world.open(files);
      store.refresh();
      assert.equal(store.damage, undefined, `before operation ${index}`);
      if (at <= index) break;
    }
    assert.ok(turns > 5, `${turns} turns`);
  });

  it('that have nothing to say, because they are gone, torn or unreadable, leave a copy of the journal that was put back as it is', async () => {
    const ground = await recorded(2);
    const copy = ground.world.memory.read(ground.log);
    await ground.world.open().turn('t-3', [{ 'a.txt': 'three' }]);
    const name = ground.names()[0];
    for (const bytes of [undefined, Buffer.alloc(0), ground.bytes().subarray(0, 60)]) {
      ground.world.memory.put(ground.log, copy);
      if (bytes === undefined) ground.world.memory.remove(`${ground.folder}/${name}`);
      else ground.put('000000000099.gen', bytes);
      await ground.world.open().turn('t-other', [{ 'a.txt': 'other' }, { 'a.txt': 'and more' }]);
      assert.equal(ground.beginsAt(), ground.head);
      assert.ok(ground.world.open().store.reconstruct(10).turns.has('t-other'));
      assert.ok(!ground.names().includes('000000000099.gen'), 'what claims to be newer is gone with the next keyframe');
      for (const other of ground.names()) ground.world.memory.remove(`${ground.folder}/${other}`);
    }
  });

  it('of another version of the fold are not believed, and not gone on with', async () => {
    const ground = await recorded(2);
    const bytes = ground.bytes();
    const [keyframe] = framesIn(bytes);
    assert.ok(keyframe);
    const fold = new TimelineFold();
    fold.seq = keyframe.head.seq;
    const other = encodeGeneration(0, keyframe.head.position, keyframe.head.prefix, freeze(fold, 0, 'j-1'), 999);
    ground.put(ground.names()[0], other);
    assert.equal(ground.beginsAt(), 0);
    await ground.world.open().openTurn('t-3');
    assert.equal(ground.beginsAt(), ground.head);
  });

  it('that a process with a shorter view would write are not written, and one that is busy is not waited for', async () => {
    const ground = await recorded(1);
    const slow = ground.world.open().store;
    slow.refresh();
    await ground.world.open().turn('t-2', [{ 'a.txt': 'two' }]);
    const before = ground.bytes();
    const { clock, memory } = ground.world;
    const now = clock.now();
    await new Lock(memory, clock, `${ground.folder}/lock`).exclusively(() => slow.commit(new Map(), [{ type: 'checkpoint', checkpoint: 'k-1' }]));
    assert.deepEqual([ground.bytes().equals(before), clock.now()], [true, now]);
    await slow.commit(new Map(), [{ type: 'checkpoint', checkpoint: 'k-2' }]);
    // It began long before the others, and writes only what none of them has.
    assert.deepEqual(framesIn(ground.bytes()).map(({ head }) => head.base).slice(-1), [8]);
    assert.equal(ground.beginsAt(), ground.head);
  });

  for (const [method, code] of [['open', 'EACCES'], ['write', 'ENOSPC'], ['makeDirectory', 'EROFS'], ['rename', 'EIO'], ['readDirectory', 'EIO'], ['readAt', 'EIO'], ['stat', 'EACCES'], ['hardLink', 'EIO']] as const) {
    it(`that can't be had because of ${code} at ${method} fail no commit`, async () => {
      const ground = await recorded(1);
      ground.world.memory.remove(`${ground.folder}/${ground.names()[0]}`);
      if (method === 'makeDirectory') ground.world.memory.removeDirectory(ground.folder);
      const files = faultyFiles(ground.world.memory, whenever(method, /generations/, { kind: 'error', code }));
      const actor = ground.world.open(files);
      await actor.turn('t-2', [{ 'a.txt': 'two' }]);
      assert.ok(files.operations.some(operation => operation.method === method && operation.path.includes('generations')));
      assert.equal(actor.store.timeline.turns.size, 2);
      ground.beginsAt();
    });
  }

  it('let a mistake of ours through', async () => {
    const ground = await recorded(1);
    const files = faultyFiles(ground.world.memory);
    const { store } = ground.world.open({ ...files, readDirectory: path => {
      if (path === ground.folder) throw new TypeError('a mistake');
      return files.readDirectory(path);
    } });
    assert.throws(() => store.refresh(), TypeError);
  });

  it('take as many bytes for a turn in a long history as in a short one', async () => {
    const ground = await recorded(1);
    const actor = ground.world.open();
    const growth: number[] = [];
    for (let turn = 2; turn <= 60; turn += 1) {
      const before = ground.bytes().length;
      await actor.turn(`t-${turn}`, [{ 'a.txt': `${turn}` }]);
      growth.push(ground.bytes().length - before);
    }
    assert.ok(Math.max(...growth) <= Math.min(...growth) + 20 && Math.max(...growth) < 1200, `${growth[0]} bytes at first, ${growth.at(-1)} at last`);
  });

  it('begin a new file when the deltas have grown, and keep of the old ones ever fewer', async function () {
    this.timeout(60_000);
    const world = await World.make();
    const { store } = world.open();
    const files = new GenerationFiles(world.memory, `${store.directory}/generations`);
    const begun = new Set<number>();
    // Every delta holds the whole turn, which says much about itself that can't be packed.
    const reason = Array.from({ length: 30 }, (_, index) => Buffer.from(sha256OfText(String(index))).toString('hex')).join('');
    await store.commit(new Map(), [{ type: 'gap', session: 's-1', turn: 't-1', happenedAt: 1, reason }]);
    for (let n = 1; n <= 1400; n += 1) {
      await store.commit(new Map(), [{ type: 'turn.open', session: 's-1', turn: 't-1' }]);
      for (const seq of files.list()) begun.add(seq);
    }
    const [newest = 0, ...older] = files.list();
    assert.ok(begun.size > 20, `${begun.size} keyframes`);
    assert.ok(older.length + 1 < begun.size * 0.8, `${older.length + 1} of ${begun.size} files are kept`);
    // Near every record there is one: not farther than the record itself is from the newest.
    for (const seq of begun) {
      const nearest = files.list().find(other => other <= seq) ?? 0;
      assert.ok(seq - nearest <= (newest - seq) / 4 + 100, `${nearest} for ${seq} of ${newest}`);
    }
    const fresh = world.open().store;
    for (const seq of [1, 2, 77, 640, 1400, 1401]) assert.equal(fresh.reconstruct(seq).seq, seq);
  });

  it('leave nothing behind when their writer dies', async () => {
    const ground = await recorded(1);
    for (let index = 0; ; index += 1) {
      ground.put(ground.names().find(name => name.endsWith('.gen')), new Uint8Array(0));
      let seen = 0;
      const files = faultyFiles(ground.world.memory, ({ path }) => (path.includes('generations') && (seen += 1) > index ? { kind: 'crash', written: 5 } : undefined));
      const recorder = new Recorder(files, ground.world.open(files).store);
      await recorder.openTurn({ session: 's-a', turn: `t-dies-${index}`, prompt: 'x' }).catch(() => undefined);
      ground.world.reboot();
      ground.beginsAt(`died at ${index}`);
      const { store } = ground.world.open();
      await store.restoring(async () => undefined);
      await store.commit(new Map(), [{ type: 'checkpoint', checkpoint: `k-${index}` }]);
      assert.deepEqual(ground.names().filter(name => !/^\d{12}\.gen$/.test(name)), [], `died at ${index}`);
      assert.equal(ground.beginsAt(`died at ${index}`), ground.head);
      if (!files.crashed) return;
    }
  });
});

describe('a state that is rebuilt', () => {
  it('is what was known at any record, with and without generations, and nowhere else', async () => {
    const ground = await recorded(4);
    await ground.world.open().rewind('t-2');
    const check = (what: string): void => {
      const { store } = ground.world.open();
      const { seq: head } = wholeFold(ground.journal);
      for (let seq = 0; seq <= head; seq += 1) assert.deepEqual(contentsOf(store.reconstruct(seq)), contentsOf(wholeFold(ground.journal, seq)), `${what}, ${seq}`);
      for (const seq of [-1, head + 1, 1.5, Number.NaN, Infinity]) assert.throws(() => store.reconstruct(seq), error => TurnstoneError.is(error, 'notFound'), `${what}, ${seq}`);
      assert.equal(store.timeline.seq, 0, 'the timeline has not moved');
    };
    check('with generations');
    for (const name of ground.names()) ground.world.memory.remove(`${ground.folder}/${name}`);
    check('without');
  });

  it('is not disturbed by another one, nor disturbs the timeline that goes on', async () => {
    const ground = await recorded(3);
    const actor = ground.world.open();
    actor.store.refresh();
    const [early, late] = [actor.store.reconstruct(5), actor.store.reconstruct(9)];
    const [was, earlyWas, lateWas] = [actor.store.timeline, early, late].map(timeline => JSON.stringify(contentsOf(timeline)));
    const again = actor.store.reconstruct(5);
    assert.deepEqual([JSON.stringify(contentsOf(actor.store.timeline)), JSON.stringify(contentsOf(early))], [was, earlyWas]);
    await actor.turn('t-9', [{ 'a.txt': 'nine', 'b.txt': 'new' }]);
    assert.deepEqual([early, late, again].map(timeline => JSON.stringify(contentsOf(timeline))), [earlyWas, lateWas, earlyWas]);
    assert.deepEqual(contentsOf(actor.store.timeline), contentsOf(wholeFold(ground.journal)));
  });

  it('is refused beyond damage, and said to be damaged', async () => {
    const ground = await recorded(2);
    for (const name of ground.names()) ground.world.memory.remove(`${ground.folder}/${name}`);
    const bytes = Buffer.from(ground.world.memory.read(ground.log));
    bytes[bytes.indexOf('"turn.close"')] = 0x20;
    ground.world.memory.put(ground.log, bytes);
    const { store } = ground.world.open();
    assert.equal(store.reconstruct(3).seq, 3);
    assert.throws(() => store.reconstruct(4), error => TurnstoneError.is(error, 'damaged'));
  });
});
