import { timesOf } from '../base/files.ts';
import { parentsOf, type RelativePath } from './paths.ts';
import type { TreeCache } from './treeCache.ts';

/** Why what is at a path is no entry: `ignored` by a rule, or otherwise `hidden`, it is not covered; `waiting`, the look did not come to it. */
export type Left = 'ignored' | 'hidden' | 'waiting';

/** File systems tell times in steps of up to two seconds: within one, a file may change and look the same. */
const tick = 2000;

/** Whether a file could have been written after the look at `scannedAt` without its stamp telling. */
export function isRacy(stamp: string, scannedAt: number): boolean {
  const times = timesOf(stamp);
  return times === undefined || Math.max(times.written, times.changed) >= scannedAt - tick;
}

/**
 * What a look leaves out, and what that means for the look before and the one after: a path is gone only if it was looked for,
 * and new only if the last look would have seen it.
 */
export class TreeKnowledge {
  private readonly left = new Map<RelativePath, Left>();
  private readonly last: TreeCache | undefined;

  constructor(last: TreeCache | undefined) {
    this.last = last;
  }

  leave(path: RelativePath, why: Left): void {
    this.left.set(path, why);
  }

  get waiting(): number {
    return [...this.left.values()].filter(left => left === 'waiting').length;
  }

  wasUnknown(path: RelativePath): boolean {
    return this.last?.unknown.has(path) === true;
  }

  private wasUnknownAbove(path: RelativePath): boolean {
    return path !== '' && ['', ...parentsOf(path)].some(above => this.wasUnknown(above));
  }

  /** The outermost of a covered tree that the last look did not know: it is told of all that is below. */
  isNewlyCovered(path: RelativePath): boolean {
    return this.wasUnknown(path) && !this.wasUnknownAbove(path);
  }

  /** Why a path was not seen; undefined where it is gone. */
  whyLeft(path: RelativePath): Left | undefined {
    if (this.left.size === 0) return undefined;
    const outermost = ['', ...parentsOf(path), path].find(above => this.left.has(above));
    return outermost === undefined ? undefined : this.left.get(outermost);
  }

  /** Of what is at or below these paths the next look must not say that it is new. */
  unknownNow(): ReadonlySet<RelativePath> {
    const unknown = new Set<RelativePath>();
    for (const [path, left] of this.left) {
      // What was not looked at now is as well known as it was before.
      if (left !== 'waiting' || this.last === undefined || this.wasUnknown(path) || this.wasUnknownAbove(path)) unknown.add(path);
    }
    for (const path of this.last?.unknown ?? []) if (this.whyLeft(path) === 'waiting') unknown.add(path);
    return unknown;
  }
}
