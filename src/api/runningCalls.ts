import type { RunningHere } from '../core/rewind/plan.ts';

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** Whoever does not stop when told to is waited for this long: what it is waiting for may be the rewind itself. In milliseconds. */
const patience = 5000;

function afterPatience(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, patience).unref());
}

/** The wrapped calls that run in this process, and how a restore stops them. */
export class RunningCalls implements RunningHere {
  private readonly calls = new Map<string, Running>();
  private readonly waited: () => Promise<void>;

  constructor(waited: () => Promise<void> = afterPatience) {
    this.waited = waited;
  }

  has(call: string): boolean {
    return this.calls.has(call);
  }

  /** Knows calls for as long as `work` runs. It is the same work in each of their folders. */
  async during<T>(calls: readonly string[], controller: AbortController, work: () => Promise<T>): Promise<T> {
    const result = work();
    const running = { controller, ended: result.catch(() => undefined) };
    for (const call of calls) this.calls.set(call, running);
    try {
      return await result;
    } finally {
      for (const call of calls) this.calls.delete(call);
    }
  }

  async stop(calls: readonly string[], reason: unknown): Promise<boolean> {
    const running = [...new Set(calls.flatMap(call => this.calls.get(call) ?? []))];
    if (running.length === 0) return false;
    for (const { controller } of running) controller.abort(reason);
    await Promise.race([Promise.all(running.map(({ ended }) => ended)), this.waited()]);
    // One that goes on all the same is not waited for again: it ends as interrupted, and what it does later is nobody's.
    for (const call of calls) this.calls.delete(call);
    return true;
  }
}
