import type { Clock } from '../../src/core/base/clock.ts';

/** Time that only moves when somebody sleeps or the test says so; a sleep ends at once. */
export class FakeClock implements Clock {
  private time: number;

  constructor(time = 1_700_000_000_000) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    // Others get their turn, as they would while somebody really sleeps.
    await new Promise(resolve => setImmediate(resolve));
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }

  set(time: number): void {
    this.time = time;
  }
}
