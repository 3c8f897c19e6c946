// The sweeps are independent of each other: each runs in one of as many threads as the machine has cores.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Findings } from './sweep.ts';
import type { Job } from './worker.ts';

interface Waiting {
  readonly job: Job;
  readonly resolve: (findings: Findings) => void;
  readonly reject: (error: unknown) => void;
}

export class Pool {
  private readonly size = Math.min(availableParallelism(), 8);
  private readonly idle: Worker[] = [];
  private readonly waiting: Waiting[] = [];
  private workers = 0;

  run(job: Job): Promise<Findings> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    if (this.waiting.length === 0) return;
    const worker = this.idle.pop() ?? this.hire();
    if (worker === undefined) return;
    const { job, resolve, reject } = this.waiting.shift() as Waiting;
    const end = (): void => {
      worker.off('message', succeed).off('error', fail);
      this.next();
    };
    const succeed = (findings: Findings): void => {
      this.idle.push(worker);
      resolve(findings);
      end();
    };
    const fail = (error: unknown): void => {
      this.workers -= 1;
      reject(error);
      end();
    };
    worker.on('message', succeed).on('error', fail);
    worker.postMessage(job);
  }

  private hire(): Worker | undefined {
    if (this.workers === this.size) return undefined;
    this.workers += 1;
    return new Worker(new URL('./worker.ts', import.meta.url));
  }

  async close(): Promise<void> {
    await Promise.all(this.idle.map(worker => worker.terminate()));
  }
}
