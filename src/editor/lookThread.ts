import { Worker } from 'node:worker_threads';
import type { Disposable } from '../core/base/disposable.ts';
import { TurnstoneError } from '../core/base/errors.ts';
import type { Looking } from '../core/capture/treeLooks.ts';
import type { LookAnswer, LookRequest } from '../lookMessages.ts';

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Looks at all files in a thread of its own, so that the extension host is never blocked by one.
 *
 * Invariants: the thread is started by the first look, and again by the first one after it ended; it keeps no process alive; whatever ends it, no one waits for ever.
 */
export class LookThread implements Disposable {
  private readonly bundle: string;
  private readonly storage: string;
  private readonly waiting = new Map<number, Waiting>();
  private worker: Worker | undefined;
  private asked = 0;

  constructor(bundle: string, storage: string) {
    this.bundle = bundle;
    this.storage = storage;
  }

  /** The looks at one known folder. */
  at(root: string): Looking {
    return {
      begin: (...words) => this.ask(root, { kind: 'begin', words }),
      end: (...words) => this.ask(root, { kind: 'end', words }),
      between: (...words) => this.ask(root, { kind: 'between', words }),
      ahead: (...words) => this.ask(root, { kind: 'ahead', words }),
    };
  }

  private ask(root: string, ask: LookRequest['ask']): Promise<void> {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.running().postMessage({ id, root, ask } satisfies LookRequest);
    });
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(this.bundle, { workerData: this.storage });
    worker.unref();
    worker.on('message', (answer: LookAnswer) => this.take(answer));
    worker.on('error', error => this.end(worker, error));
    worker.on('exit', () => this.end(worker, new Error('The thread that looks at files ended. Nothing was changed.')));
    this.worker = worker;
    return worker;
  }

  private take({ id, failure }: LookAnswer): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (failure === undefined) waiting?.resolve();
    else waiting?.reject(failure.code === undefined ? new Error(failure.message) : new TurnstoneError(failure.code, failure.message));
  }

  private end(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  dispose(): void {
    void this.worker?.terminate();
  }
}
