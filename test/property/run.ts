import assert from 'node:assert/strict';
import { sha256 } from '../../src/core/base/digest.ts';
import { TimelineFold } from '../../src/core/timeline/fold.ts';
import type { Actor } from '../twins/world.ts';
import { project } from '../twins/world.ts';
import { BranchBook } from './branchBook.ts';
import { Ground, type Change } from './ground.ts';
import type { Call } from './model/history.ts';
import { requestOf } from './request.ts';
import { tryRestore } from './restoring.ts';
import { checkEveryMoment, checkReconstructed, checkRecorded, checkStanding } from './standing.ts';
import type { RestoreStep, Session, Step } from './steps.ts';

type Worked = Exclude<Step, { do: 'user' | 'restart' } | RestoreStep>;

/** One random session, step by step. */
export class Run {
  private readonly ground: Ground;
  private readonly branches = new BranchBook();
  /** By call, what its tool is going to do to its files. */
  private readonly changes = new Map<string, Change>();
  private serial = 0;

  private constructor(ground: Ground) {
    this.ground = ground;
  }

  static async of(steps: readonly Step[]): Promise<void> {
    const run = new Run(await Ground.make());
    for (const step of steps) await run.take(step);
    run.end();
  }

  private async take(step: Step): Promise<void> {
    const { ground } = this;
    const begun = new Set(ground.history.operations.filter(({ done }) => done !== undefined).map(({ id }) => id));
    await this.perform(step);
    ground.follow();
    await ground.finish();
    const { timeline, damage } = ground.observer.store;
    assert.equal(damage, undefined);
    checkRecorded(timeline, ground.history);
    checkStanding(timeline, ground.history);
    this.branches.check(timeline, ground.history, ground.history.operations.filter(({ id, done }) => done !== undefined && !begun.has(id)));
    assert.deepEqual(ground.lost(), [], 'nothing of the user is lost');
  }

  private async perform(step: Step): Promise<void> {
    const { ground } = this;
    switch (step.do) {
      case 'user':
        return ground.user(step.edits);
      case 'restart':
        return ground.restart();
      case 'rewind':
      case 'fork':
      case 'switch':
      case 'rollback':
      case 'undo':
      case 'redo': {
        const request = requestOf(ground, step);
        if (request === undefined) return undefined;
        const operations = ground.history.operations.length;
        await tryRestore(ground, step.crash === undefined ? step : { ...step, during: undefined }, request);
        if (request.branch !== undefined && ground.history.operations.length > operations) this.branches.checkArrival(request.branch, ground.history);
        return undefined;
      }
      default:
        return this.record(step);
    }
  }

  private id(kind: string): string {
    this.serial += 1;
    return `${kind}-${this.serial}`;
  }

  private turnOf(session: Session): string | undefined {
    return this.ground.history.turns.findLast(turn => turn.session === `s-${session}`)?.id;
  }

  private work(step: Worked, work: (actor: Actor) => Promise<unknown>): Promise<boolean> {
    return this.ground.work(step.process, step.crash, undefined, work).then(ended => {
      assert.notEqual(ended.kind, 'refused', 'recording is never refused');
      this.ground.follow();
      return ended.kind === 'returned';
    });
  }

  private async record(step: Worked): Promise<void> {
    switch (step.do) {
      case 'turn':
        return this.openTurn(step, step.session);
      case 'close':
      case 'leave': {
        const session = `s-${step.session}`;
        await this.work(step, ({ recorder }) => (step.do === 'leave' ? recorder.closeSession(session) : recorder.closeTurn(session, 'current')));
        return undefined;
      }
      case 'step': {
        const turn = this.turnOf(step.session);
        if (turn !== undefined) await this.work(step, ({ recorder }) => recorder.addStep({ session: `s-${step.session}`, turn, step: this.id('p'), label: 'a step' }));
        return undefined;
      }
      case 'checkpoint': {
        const isDone = await this.work(step, ({ recorder }) => recorder.addCheckpoint(this.id('k'), undefined));
        if (isDone) this.checkSeen();
        return undefined;
      }
      case 'call': {
        const call = await this.begin(step, step.session, true);
        if (call !== undefined) await this.finish(step, call, 'done');
        return undefined;
      }
      case 'begin':
        await this.begin(step, step.session, step.writes);
        return undefined;
      case 'end': {
        const calls = this.ground.history.calls.filter(({ reported }) => !reported);
        const call = calls[step.call % Math.max(1, calls.length)];
        if (call !== undefined) await this.finish(step, call, step.outcome);
        return undefined;
      }
    }
  }

  private async openTurn(step: Worked, session: Session): Promise<void> {
    const { ground } = this;
    const before = ground.history.seq;
    const turn = this.id('t');
    const isDone = await this.work(step, ({ recorder }) => recorder.openTurn({ session: `s-${session}`, turn, prompt: `do ${turn}` }));
    if (!isDone) return;
    this.checkSeen();
    assert.ok(ground.history.turns.some(({ id, seq }) => id === turn && seq > before), `${turn} is open`);
  }

  /** Every recorded path is known as it is on the disk, but for those that a call has in its hands. */
  private checkSeen(): void {
    const { history } = this.ground;
    for (const [path, content] of history.recorded) if (history.openCallsAt(path).length === 0) assert.equal(content?.text, this.ground.disk(path)?.text, `${path} was looked at`);
  }

  private async begin(step: Extract<Worked, { do: 'call' | 'begin' }>, name: Session, writes: boolean): Promise<Call | undefined> {
    const { ground } = this;
    if (this.turnOf(name) === undefined) await this.openTurn({ ...step, crash: undefined }, name);
    const turn = this.turnOf(name) as string;
    const session = `s-${name}`;
    const change = ground.change(step.edits, name);
    const call = this.id('c');
    this.changes.set(call, change);
    const named = [...new Set([...change.texts.keys(), ...change.modes.keys()])].map(path => `${project}/${path}`);
    const expected = (path: string): Uint8Array | undefined => {
      const text = change.texts.get(path.slice(project.length + 1));
      return typeof text === 'string' ? Buffer.from(text) : undefined;
    };
    const isBegun = await this.work(step, ({ recorder }) => recorder.begin({ session, turn, call, tool: 'Write', paths: named, expected }));
    const begun = ground.history.calls.find(({ id }) => id === call);
    if (!isBegun || begun === undefined) return undefined;
    for (const path of begun.paths.keys()) assert.deepEqual(ground.history.recorded.get(path), ground.disk(path), `${path} was looked at`);
    if (writes) this.write(call, name);
    return begun;
  }

  private write(call: string, author: string): void {
    const change = this.changes.get(call);
    if (change === undefined) return;
    this.changes.delete(call);
    const there = (path: string): boolean => this.ground.disk(path) !== null;
    const texts = new Map([...change.texts].filter(([path, text]) => text !== null || there(path)));
    this.ground.write({ texts, modes: new Map([...change.modes].filter(([path]) => there(path) && texts.get(path) !== null)) }, author);
  }

  private async finish(step: Worked, call: Call, outcome: 'done' | 'failed' | 'cancelled' | 'interrupted'): Promise<void> {
    const { id, session, turn } = call;
    if (outcome === 'done') this.write(id, session.slice(-1));
    const isDone = await this.work(step, ({ recorder }) => recorder.end({ session, turn, call: id, outcome, paths: [...call.paths.keys()].map(path => `${project}/${path}`) }));
    if (isDone) for (const path of call.paths.keys()) assert.deepEqual(this.ground.history.recorded.get(path), this.ground.disk(path), `${path} was looked at`);
  }

  /** In the end another process reads all of it, and finds the same. */
  private end(): void {
    const { ground } = this;
    const fresh = ground.world.open();
    fresh.store.refresh();
    assert.deepEqual(plain(fresh.store.timeline), plain(ground.observer.store.timeline), 'a new process finds the same history');
    checkEveryMoment(fresh.store.timeline, ground.history);
    checkReconstructed(fresh.store, ground.history);
    for (const hash of ground.named) assert.equal(sha256(fresh.store.blobs.read(hash)), hash, 'every content that a record names is in the store');
  }
}

/** A timeline but for what was folded since it was last saved. */
function plain(timeline: unknown): unknown {
  assert.ok(timeline instanceof TimelineFold);
  return { ...timeline, touched: undefined };
}
