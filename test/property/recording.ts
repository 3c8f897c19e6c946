import assert from 'node:assert/strict';
import { project, type Actor } from '../twins/world.ts';
import type { Change, Ground } from './ground.ts';
import type { Call } from './model/history.ts';
import type { RestoreStep, Session, Step } from './steps.ts';

export type RecordStep = Exclude<Step, { do: 'user' | 'restart' } | RestoreStep>;

/** What agents do, and the user who makes a checkpoint: all that is recorded and restores nothing. */
export class Recording {
  private readonly ground: Ground;
  /** By call, what its tool is going to do to its files. */
  private readonly changes = new Map<string, Change>();
  private serial = 0;

  constructor(ground: Ground) {
    this.ground = ground;
  }

  private id(kind: string): string {
    this.serial += 1;
    return `${kind}-${this.serial}`;
  }

  private turnOf(session: Session): string | undefined {
    return this.ground.history.turns.findLast(turn => turn.session === `s-${session}`)?.id;
  }

  private work(step: RecordStep, work: (actor: Actor) => Promise<unknown>): Promise<boolean> {
    return this.ground.work(step.process, step.crash, undefined, work).then(ended => {
      assert.notEqual(ended.kind, 'refused', 'recording is never refused');
      this.ground.follow();
      return ended.kind === 'returned';
    });
  }

  async record(step: RecordStep): Promise<void> {
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

  private async openTurn(step: RecordStep, session: Session): Promise<void> {
    const { ground } = this;
    const before = ground.history.seq;
    const turn = this.id('t');
    const isDone = await this.work(step, ({ recorder }) => recorder.openTurn({ session: `s-${session}`, turn, prompt: `do ${turn}` }));
    if (!isDone) return;
    this.checkSeen();
    assert.ok(ground.history.turns.some(({ id, seq }) => id === turn && seq > before), `${turn} is open`);
  }

  /** Every recorded path is known as it is on the disk, but for those that a call, or an unfinished restore, has in its hands. */
  private checkSeen(): void {
    const { history } = this.ground;
    const restored = history.operations.filter(({ done }) => done === undefined).flatMap(({ intent }) => intent.paths.map(({ path }) => path));
    for (const [path, content] of history.recorded) if (history.openCallsAt(path).length === 0 && !restored.includes(path)) assert.equal(content?.text, this.ground.disk(path)?.text, `${path} was looked at`);
  }

  private async begin(step: Extract<RecordStep, { do: 'call' | 'begin' }>, name: Session, writes: boolean): Promise<Call | undefined> {
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

  private async finish(step: RecordStep, call: Call, outcome: 'done' | 'failed' | 'cancelled' | 'interrupted'): Promise<void> {
    const { id, session, turn } = call;
    if (outcome === 'done') this.write(id, session.slice(-1));
    const isDone = await this.work(step, ({ recorder }) => recorder.end({ session, turn, call: id, outcome, paths: [...call.paths.keys()].map(path => `${project}/${path}`) }));
    if (isDone) for (const path of call.paths.keys()) assert.deepEqual(this.ground.history.recorded.get(path), this.ground.disk(path), `${path} was looked at`);
  }
}
