import { toDisposable, type Disposable } from './disposable.ts';

/** Subscribes to facts; the shape is VS Code's own, so that the editor side can pass them on. */
export type Event<T> = (listener: (fact: T) => void) => Disposable;

/**
 * Announces facts to listeners.
 *
 * Invariants: a listener that throws doesn't keep the fact from the others (its error is rethrown
 * after all have heard); listeners added while announcing hear the next fact only.
 */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<(fact: T) => void>();

  readonly event: Event<T> = listener => {
    this.listeners.add(listener);
    return toDisposable(() => this.listeners.delete(listener));
  };

  fire(fact: T): void {
    const errors: unknown[] = [];
    for (const listener of [...this.listeners]) {
      try {
        listener(fact);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  dispose(): void {
    this.listeners.clear();
  }
}
