import { join } from 'node:path';
import { randomId } from '../core/base/ids.ts';
import type { TurnOutcome } from '../core/capture/callFacts.ts';
import { SpreadTurn } from '../core/capture/spreadTurn.ts';
import { isSuperseded } from '../core/timeline/activePath.ts';
import { place } from '../tools/target.ts';
import { mustRecord, type ToolFolder } from '../tools/toolHost.ts';
import { Refused } from '../tools/toolResult.ts';
import { notRecorded, superseded, TurnstoneApiError } from './apiError.ts';
import { checked, type ApiInput } from './apiInputs.ts';
import type { ApiSession } from './apiSession.ts';
import type { AgentTurn, CallOptions } from './turnstone.d.ts';
import { partOf, WrappedCall, type CallPart } from './wrappedCall.ts';

/**
 * A turn of another extension's agent. It begins in the first recorded folder, and comes to others with its calls.
 *
 * Invariant: what its client asks for is recorded in that order, whether or not it waits for it; calls run beside each other.
 */
export class ApiTurn implements AgentTurn {
  readonly id = randomId('turn');
  readonly prompt: string;
  private readonly session: ApiSession;
  private readonly spread: SpreadTurn;
  /** Labels of its steps that are on record. */
  readonly steps = new Map<string, string>();
  /** Settles when it is open where it begins, or can't be. */
  readonly opened: Promise<unknown>;
  private readonly running = new Set<Promise<unknown>>();
  private readonly calls = new Set<WrappedCall>();
  private isOver = false;

  constructor(session: ApiSession, prompt: string) {
    this.session = session;
    this.prompt = prompt;
    this.spread = new SpreadTurn(session.opening, this.id, prompt, session.title);
    // Where nothing is recorded now, its first call says so, or finds that it is by then.
    this.opened = session.inOrder(() => this.comeHome()).catch(() => undefined);
  }

  /** The folders that it has come to, the first one first. */
  get folders(): readonly string[] {
    return this.spread.folders;
  }

  async run<T>(options: CallOptions, work: (signal: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    const call = checked('call', options);
    if (typeof work !== 'function') throw new TurnstoneApiError('input', 'What a call is to run is no function. Nothing was done.');
    this.mustBeOpen();
    const result = this.recorded(call, work);
    const ended = result.catch(() => undefined);
    this.running.add(ended);
    try {
      return await result;
    } finally {
      this.running.delete(ended);
    }
  }

  private async recorded<T>(call: ApiInput<'call'>, work: (signal: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    await this.session.settled();
    this.mustBeInForce();
    const names = { session: this.session.id, turn: this.id, tool: call.tool };
    const wrapped = new WrappedCall(this.session.host, names, await this.partsOf(call), except => this.isSuperseded(except));
    this.calls.add(wrapped);
    try {
      return await wrapped.run(work);
    } finally {
      this.calls.delete(wrapped);
    }
  }

  /** Stops what still runs of it after another process has taken it back. */
  stopIfSuperseded(reason: Error): void {
    if (this.calls.size > 0 && this.isSuperseded()) for (const call of this.calls) call.stop(reason);
  }

  /** Opens the turn where the call comes. A call that says nothing of what it changes may do it in any folder. */
  private async partsOf({ paths }: ApiInput<'call'>): Promise<readonly CallPart[]> {
    const { host } = this.session;
    try {
      const folders = host.folders();
      if (folders.length === 0) throw new Refused('notRecording', `Not recording: ${host.whyNone} Nothing has run.`);
      const placed = paths?.map(named => place(host, typeof named === 'string' ? named : named.fsPath));
      for (const { folder } of placed ?? []) mustRecord(host, folder);
      const open = folders.filter(({ store }) => host.whyNotIn(store.identity) === undefined);
      // Of one that may change anything it is enough that one folder is recorded.
      if (open.length === 0) mustRecord(host, folders[0] as ToolFolder);
      const parts = open.flatMap(folder => {
        const own = placed?.filter(({ folder: { key } }) => key === folder.key).map(({ path }) => join(folder.store.identity.path, path));
        return own?.length === 0 ? [] : [partOf(folder, this.session.recorderIn(folder), own)];
      });
      for (const { folder, recorder } of parts) await this.spread.comeTo(folder.key, recorder);
      return parts;
    } catch (error) {
      throw notRecorded(error);
    }
  }

  private mustBeOpen(): void {
    if (this.isOver) throw new TurnstoneApiError('closed', 'The turn is over. Nothing has run. Open another one.');
  }

  private mustBeInForce(): void {
    if (this.isSuperseded()) throw new TurnstoneApiError('superseded', superseded);
  }

  /** Whether a rewind has taken it back, as far as the histories of its folders can be read. */
  isSuperseded(except?: string): boolean {
    return this.spread.folders.some(key => {
      const store = this.session.storeIn(key);
      return store !== undefined && isSuperseded(store.timeline, this.id, except);
    });
  }

  step(label: string): Promise<string> {
    const text = checked('label', label);
    this.mustBeOpen();
    return this.session.inOrder(async () => {
      this.mustBeInForce();
      const step = randomId('step');
      const home = await this.comeHome();
      if (home === undefined) throw new TurnstoneApiError('notRecording', 'Not recording: no folder of this window is recorded, or recording is paused. The step is not on record.');
      try {
        await this.session.recorderIn(home).addStep({ session: this.session.id, turn: this.id, step, label: text });
      } catch (error) {
        throw notRecorded(error);
      }
      this.steps.set(step, text);
      return step;
    });
  }

  private async comeHome(): Promise<ToolFolder | undefined> {
    const { host } = this.session;
    const folders = host.folders().filter(({ store }) => host.whyNotIn(store.identity) === undefined);
    const home = folders.find(({ key }) => key === this.spread.folders[0]) ?? folders[0];
    if (home !== undefined) await this.spread.comeTo(home.key, this.session.recorderIn(home));
    return home;
  }

  close(): Promise<void> {
    return this.end('closed');
  }

  /** It is over: when its calls have ended, or, where it is interrupted, at once. */
  end(outcome: TurnOutcome): Promise<void> {
    if (this.isOver) return this.session.settled();
    this.isOver = true;
    return this.session.inOrder(async () => {
      if (outcome === 'closed') await Promise.all(this.running);
      await this.spread.end(outcome);
    });
  }
}
