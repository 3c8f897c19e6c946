/** Something that holds a resource and lets go of it once. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(dispose: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      dispose();
    },
  };
}

/**
 * Owns disposables from birth to the end.
 *
 * Invariants: everything added is disposed exactly once, in reverse order; what is added after the
 * end is disposed at once, so that a late arrival can't leak.
 */
export class DisposableStore implements Disposable {
  private readonly owned: Disposable[] = [];
  private ended = false;

  add<T extends Disposable>(disposable: T): T {
    if (this.ended) disposable.dispose();
    else this.owned.push(disposable);
    return disposable;
  }

  dispose(): void {
    this.ended = true;
    for (let next = this.owned.pop(); next !== undefined; next = this.owned.pop()) next.dispose();
  }
}
