import { messageOf } from '../core/base/errors.ts';
import { randomId } from '../core/base/ids.ts';
import type { CallEnd } from '../core/capture/callFacts.ts';
import { noteMissed } from '../core/capture/missed.ts';
import type { Recorder } from '../core/capture/recorder.ts';
import type { ToolFolder } from '../tools/toolHost.ts';
import { notRecorded, superseded, TurnstoneApiError } from './apiError.ts';
import type { ApiHost } from './apiHost.ts';

/** What of a call is in one folder. */
export interface CallPart {
  readonly call: string;
  readonly folder: ToolFolder;
  readonly recorder: Recorder;
  /** Absolute; undefined for a call that may change anything. */
  readonly paths: readonly string[] | undefined;
}

/** Whose call it is, and what it is called. */
export interface CallNames {
  readonly session: string;
  readonly turn: string;
  readonly tool: string;
}

/** In each folder a call has an id of its own: it is a call there like any other. */
export function partOf(folder: ToolFolder, recorder: Recorder, paths: readonly string[] | undefined): CallPart {
  return { call: randomId('call'), folder, recorder, paths };
}

/**
 * A tool of another extension, in between the two records of its call in each folder.
 *
 * Invariants: the tool begins only when all states before are durable and its turn is in force; how it ends is recorded whatever it does;
 * after a rewind has stopped it nothing that it returns is believed.
 */
export class WrappedCall {
  private readonly host: ApiHost;
  private readonly names: CallNames;
  private readonly parts: readonly CallPart[];
  private readonly isSuperseded: (except: string) => boolean;
  private readonly controller = new AbortController();

  constructor(host: ApiHost, names: CallNames, parts: readonly CallPart[], isSuperseded: (except: string) => boolean) {
    this.host = host;
    this.names = names;
    this.parts = parts;
    this.isSuperseded = isSuperseded;
  }

  async run<T>(work: (signal: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    return this.host.running.during(this.parts.map(({ call }) => call), this.controller, () => this.bracketed(work));
  }

  stop(reason: Error): void {
    this.controller.abort(reason);
  }

  private async bracketed<T>(work: (signal: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    const { signal } = this.controller;
    await this.begin();
    let outcome: CallEnd['outcome'] = 'failed';
    let cause: unknown;
    try {
      const result = await work(signal);
      outcome = 'done';
      if (!signal.aborted) return result;
    } catch (error) {
      if (!signal.aborted) throw error;
      cause = error;
    } finally {
      for (const part of this.parts) await this.end(part, signal.aborted ? this.outcomeOfStopped(part) : outcome);
    }
    throw this.cancelled(cause);
  }

  /** A restore that did not wait for it, or could not, has closed it with what it had left by then. What it did after that is nobody's. */
  private outcomeOfStopped({ call, folder: { store } }: CallPart): CallEnd['outcome'] {
    try {
      store.refresh();
    } catch {
      return 'interrupted';
    }
    return store.timeline.calls.get(call)?.outcome === 'open' ? 'failed' : 'interrupted';
  }

  private cancelled(cause?: unknown): TurnstoneApiError {
    return new TurnstoneApiError('superseded', superseded, cause);
  }

  private async begin(): Promise<void> {
    const begun: CallPart[] = [];
    try {
      for (const part of this.parts) {
        const { recorder, call, paths } = part;
        await recorder.begin({ ...this.names, call, paths, agentProcess: process.pid });
        begun.push(part);
        // A rewind that came while it was being recorded has not seen the call.
        if (this.controller.signal.aborted || this.isSuperseded(call)) throw this.cancelled();
      }
    } catch (error) {
      for (const part of begun) await this.end(part, 'cancelled');
      throw notRecorded(error);
    }
  }

  private async end({ call, folder, recorder, paths }: CallPart, outcome: CallEnd['outcome']): Promise<void> {
    const { session, turn, tool } = this.names;
    try {
      await recorder.end({ session, turn, call, outcome, paths: paths ?? [], mayChangeAnything: paths === undefined });
    } catch (error) {
      // The tool has run, so its caller gets what it returned; that it is not on record is said on the turn.
      const reason = messageOf(error);
      noteMissed(this.host.files, folder.store.directory, folder.key, { session, turn, tool, happenedAt: this.host.clock.now(), reason });
      this.host.warn(`The end of a call of ${tool} was not recorded: ${reason}`);
    }
  }
}
