/** Numbers that a seed decides: `below(n)` is a whole number from 0 to n - 1. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  below(limit: number): number {
    // Mulberry32: small, and good enough to choose with.
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Up to `most` different ones. */
  some<T>(choices: readonly T[], most: number): T[] {
    const left = [...choices];
    return Array.from({ length: this.below(most + 1) }, () => left.splice(this.below(left.length), 1)[0] as T);
  }
}
