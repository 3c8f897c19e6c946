import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { sha256 } from '../../src/core/base/digest.ts';
import { TurnstoneError } from '../../src/core/base/errors.ts';
import { Journal } from '../../src/core/journal/journal.ts';
import { recoverAll } from '../../src/core/rewind/recover.ts';
import type { Entry } from '../../src/core/timeline/model.ts';
import { entriesOf } from '../../src/core/timeline/reconstruct.ts';
import { at, faultyFiles } from '../twins/faultyFiles.ts';
import { outage, type Outage } from '../twins/outage.ts';
import { SeededRandom } from '../twins/random.ts';
import { World, project, type Actor } from '../twins/world.ts';
import { History, type Content } from './model/history.ts';
import type { Crash, During, Edit } from './steps.ts';

export const paths = ['a.txt', 'b.txt', 'c.txt', 'new/d.txt', 'new/deep/e.txt', 'other/f.txt'];

export type Tree = ReturnType<World['tree']>;

/** What a piece of work came to. */
export type Ended<T> = { readonly kind: 'returned'; readonly value: T } | { readonly kind: 'refused'; readonly error: TurnstoneError } | { readonly kind: 'crashed' };

/** A tool's or the user's changes: texts by path, null for one that goes; and permissions. */
export interface Change {
  readonly texts: ReadonlyMap<string, string | null>;
  readonly modes: ReadonlyMap<string, number>;
}

// The user's edit has to be seen by the next look; just before these there is none left.
const lastSteps = new Set(['rename', 'remove', 'removeDirectory', 'makeDirectory', 'setMode']);

/**
 * A machine with a recorded folder, two processes that work in it in turns, one that only follows, and the naive history.
 * It knows who wrote every line, and which of the user's texts nobody has stored yet.
 */
export class Ground {
  readonly world: World;
  history: History;
  /** Hashes of all contents that records name. */
  readonly named = new Set<string>();
  private readonly seen = new Map<number, string>();
  /** The tree at the moment of each record; of a restore's intent, the one before it wrote. */
  readonly trees = new Map<number, Tree>();
  /** The tree as a restore left it, where nobody else was at work meanwhile. */
  readonly treesAfter = new Map<string, Tree>();
  /** After which records somebody who is not recorded did something. */
  readonly interventions: number[] = [];
  observer: Actor;
  private journal: Journal;
  private processes: readonly [Actor, Actor];
  private readonly textsByHash = new Map<string, string>();
  /** The user's text in a path, until somebody overwrites it. */
  private readonly usersTexts = new Map<string, string>();
  /** Lines that an edit took out of a path, not a restore: going forward past that edit again is no loss. */
  private readonly takenOut = new Set<string>();
  /** Who has put a line into a path. */
  private readonly placedBy = new Map<string, Set<string>>();
  private lines = 0;
  /** The last record of which somebody was told that it is durable. */
  private acknowledged = 0;
  /** The last record before a piece of work that has come back, and told of all that it appended. */
  private toldAfter: number | undefined;

  private constructor(world: World) {
    this.world = world;
    this.observer = world.open();
    this.journal = this.newJournal();
    this.history = this.newHistory();
    this.processes = [world.open(), world.open()];
  }

  static async make(): Promise<Ground> {
    const world = await World.make();
    const ground = new Ground(world);
    ground.write({ texts: new Map([['a.txt', 'u0\n'], ['b.txt', 'u00\n']]), modes: new Map() }, 'u');
    world.memory.settleBelow('/');
    return ground;
  }

  private newJournal(): Journal {
    const { directory, identity } = this.observer.store;
    return new Journal(this.world.memory, this.world.clock, posix.join(directory, 'journal'), identity.store);
  }

  /** A merge's text is the only one that nobody here wrote. */
  private newHistory(): History {
    return new History(hash => this.textsByHash.get(hash) ?? Buffer.from(this.observer.store.blobs.read(hash)).toString());
  }

  disk(path: string): Content {
    const stat = this.world.memory.stat(`${project}/${path}`);
    return stat === undefined ? null : { mode: stat.mode.toString(8), text: this.world.memory.text(`${project}/${path}`) };
  }

  text(path: string): string | null {
    return this.disk(path)?.text ?? null;
  }

  /** What edits come to when they are made now. */
  change(edits: readonly Edit[], author: string): Change {
    const texts = new Map<string, string | null>();
    const modes = new Map<string, number>();
    const now = (path: string): string | null => texts.get(path) ?? (texts.has(path) ? null : this.text(path));
    for (const { path: named, how, to } of edits) {
      const path = paths[named] as string;
      const old = now(path);
      this.lines += 1;
      const line = `${author}${this.lines}\n`;
      if (how === 'all') texts.set(path, line);
      else if (how === 'first') texts.set(path, line + (old ?? ''));
      else if (how === 'last') texts.set(path, (old ?? '') + line);
      else if (how === 'back') {
        const links = this.history.linksOf(path);
        const text = links[to % Math.max(1, links.length)]?.before?.text;
        if (text !== undefined) texts.set(path, text);
      } else if (old !== null && how === 'delete') texts.set(path, null);
      else if (old !== null && how === 'mode') modes.set(path, to % 2 === 0 ? 0o755 : 0o600);
      else if (old !== null && how === 'move' && paths[to] !== path) {
        texts.set(path, null);
        texts.set(paths[to] as string, old);
      }
    }
    for (const [path, text] of texts) if (text === null && this.text(path) === null) texts.delete(path);
    for (const path of modes.keys()) if (now(path) === null) modes.delete(path);
    for (const text of texts.values()) if (text !== null) this.textsByHash.set(sha256(Buffer.from(text)), text);
    return { texts, modes };
  }

  /** Somebody writes; `u` is the user. */
  write({ texts, modes }: Change, author: string): void {
    for (const [path, text] of texts) {
      if (text !== null) this.textsByHash.set(sha256(Buffer.from(text)), text);
      const left = text?.split('\n') ?? [];
      const old = this.text(path)?.split('\n') ?? [];
      for (const line of old) if (!left.includes(line)) this.takenOut.add(`${path} ${line}`);
      for (const line of left) if (!old.includes(line)) this.place(path, line, author);
      this.usersTexts.delete(path);
      if (author === 'u' && text !== null) this.usersTexts.set(path, text);
    }
    this.world.write(Object.fromEntries(texts));
    for (const [path, mode] of modes) this.world.memory.setMode(`${project}/${path}`, mode);
    this.world.memory.settleBelow(project);
    if (author === 'u') this.interventions.push(this.history.seq);
  }

  private place(path: string, line: string, author: string): void {
    const key = `${path} ${line}`;
    this.placedBy.set(key, (this.placedBy.get(key) ?? new Set()).add(author));
  }

  /** What a restore brought because that was decided over somebody's work is the restoring session's from then on, or everybody's. */
  decided(path: string, was: string | null, session: string | undefined): void {
    const old = was?.split('\n') ?? [];
    for (const line of this.text(path)?.split('\n') ?? []) if (!old.includes(line)) for (const author of session === undefined ? ['a', 'b', 'c'] : [session.slice(-1)]) this.place(path, line, author);
  }

  user(edits: readonly Edit[]): void {
    this.write(this.change(edits, 'u'), 'u');
  }

  /** The user's texts that are neither where he wrote them nor named by a record. */
  lost(): readonly string[] {
    return [...this.usersTexts].filter(([path, text]) => this.text(path) !== text && !this.named.has(sha256(Buffer.from(text)))).map(([path, text]) => `${path} ${text}`);
  }

  /** Lines in a text of a path that neither of those authors put there, and that no edit took out. */
  foreignLines(path: string, text: string | null, own: (author: string) => boolean): readonly string[] {
    return text?.split('\n').filter(line => line !== '' && ![...(this.placedBy.get(`${path} ${line}`) ?? [])].some(own) && !this.takenOut.has(`${path} ${line}`)) ?? [];
  }

  /** Takes the new records into the naive history. */
  follow(before: Tree = this.world.tree()): void {
    this.observer.store.refresh();
    const entries = this.journal.readOn().batches.flatMap(entriesOf);
    for (const entry of entries) {
      this.history.fold(entry);
      const text = JSON.stringify(entry.record);
      for (const match of text.matchAll(/"hash":"([0-9a-f]{64})"/g)) this.named.add(match[1] as string);
      // After a power failure all is read again.
      if (this.seen.get(entry.seq) !== text) this.noteTrees(entry, before);
      this.seen.set(entry.seq, text);
    }
    assert.ok(this.history.seq >= this.acknowledged, 'what was acknowledged is there, also after a power failure');
    // What a killed process had written, and nobody has synced since, nobody was told of, though it can be read.
    if (this.toldAfter !== undefined && this.history.seq > this.toldAfter) this.acknowledged = this.history.seq;
    this.toldAfter = undefined;
    this.adopt(entries.map(({ seq }) => seq));
  }

  private noteTrees({ seq, record }: Entry, before: Tree): void {
    // While a restore is half done, no tree is anybody's.
    const isWhole = record.type === 'restore.intent' || this.history.operations.every(({ done }) => done !== undefined);
    if (!isWhole) return;
    this.trees.set(seq, record.type === 'restore.done' ? this.world.tree() : before);
    if (record.type === 'restore.done') this.treesAfter.set(record.operation, this.world.tree());
  }

  /** What a call's end found in its file passes for its work, whoever wrote it meanwhile. */
  private adopt(seqs: readonly number[]): void {
    for (const [path, links] of this.history.links) {
      for (const { by, before, after } of links.filter(({ seq }) => seqs.includes(seq))) {
        if (by.kind !== 'call') continue;
        for (const line of after?.text.split('\n') ?? []) if (before?.text.split('\n').includes(line) !== true) this.place(path, line, by.call.session.slice(-1));
      }
    }
  }

  /** Finishes what a power failure has cut: the record that a restore was done may be gone with it, if nobody had synced it. */
  async finish(): Promise<void> {
    if (this.history.operations.every(({ done }) => done !== undefined)) return;
    await this.processes[0].store.restoring(() => recoverAll(this.processes[0].context));
    this.follow();
  }

  /** Does a piece of work in one of the processes, or in one that dies of it. */
  async work<T>(process: number, crash: Crash | undefined, during: During | undefined, work: (actor: Actor) => Promise<T>): Promise<Ended<T>> {
    let isDue = during !== undefined;
    const meanwhile = (index: number, method: string): void => {
      if (!isDue || during === undefined || index < during.at || lastSteps.has(method)) return;
      isDue = false;
      this.user(during.edits);
    };
    const spoilt = crash === undefined ? undefined : at(crash.at, { kind: 'crash', written: crash.written });
    const files = spoilt === undefined && !isDue ? undefined : faultyFiles(this.world.memory, operation => {
      meanwhile(operation.index, operation.method);
      return spoilt?.(operation);
    });
    const before = this.history.seq;
    try {
      const value = await work(files === undefined ? (this.processes[process] as Actor) : this.world.open(files));
      // It may have died of the very last thing that it did.
      if (files?.crashed === true) return this.afterCrash(crash as Crash);
      this.toldAfter = before;
      return { kind: 'returned', value };
    } catch (error) {
      if (files?.crashed === true) return this.afterCrash(crash as Crash);
      this.toldAfter = before;
      if (TurnstoneError.is(error)) return { kind: 'refused', error };
      throw error;
    }
  }

  private afterCrash({ power, seed }: Crash): { readonly kind: 'crashed' } {
    if (power !== undefined) this.powerFailure(outage(power, new SeededRandom(seed)));
    this.restart();
    return { kind: 'crashed' };
  }

  private powerFailure(left: Outage): void {
    this.world.memory.powerFailure(left);
    // Whoever only followed is gone too, and with it what it had read that was never acknowledged.
    this.observer = this.world.open();
    this.journal = this.newJournal();
    this.history = this.newHistory();
    this.named.clear();
  }

  /** The machine starts anew: all processes are new ones. */
  restart(): void {
    this.world.reboot();
    this.processes = [this.world.open(), this.world.open()];
  }
}
