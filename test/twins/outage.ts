import type { FileChange, NameChange } from './memoryNodes.ts';
import type { SeededRandom } from './random.ts';

/**
 * What a power failure leaves of what was not synced. POSIX promises nothing about that: not the order of writes,
 * not that one write arrives as a whole, not that a file's name and its bytes arrive together.
 */
export interface Outage {
  nameSurvives(change: NameChange): boolean;
  /** What the disk got of a file's unsynced changes. */
  surviving(changes: readonly FileChange[]): readonly FileChange[];
}

export const outageKinds = ['lost', 'kept', 'reordered', 'torn', 'zero-filled', 'names only', 'bytes only', 'mixed'] as const;
export type OutageKind = (typeof outageKinds)[number];

/** A disk writes whole sectors of this many bytes; a file's size cuts anywhere. */
export const sector = 512;

type Write = Extract<FileChange, { readonly kind: 'write' }>;

/** Those sectors of a write that are chosen, each as a write of its own. */
function sectorsOf({ at, bytes }: Write, isChosen: (index: number, last: number) => boolean): readonly Write[] {
  const first = Math.floor(at / sector);
  const last = Math.floor((at + bytes.length - 1) / sector);
  const pieces: Write[] = [];
  for (let number = first; number <= last; number += 1) {
    if (!isChosen(number - first, last - first)) continue;
    const [from, to] = [Math.max(at, number * sector), Math.min(at + bytes.length, (number + 1) * sector)];
    pieces.push({ kind: 'write', at: from, bytes: bytes.subarray(from - at, to - at) });
  }
  return pieces;
}

/** A part of a write: a beginning, cut at a sector or anywhere, or only some of its sectors; the size may have grown all the same. */
function tear(write: Write, random: SeededRandom): readonly FileChange[] {
  const { at, bytes } = write;
  if (bytes.length === 0) return [];
  const grown: readonly FileChange[] = random.chance(0.5) ? [{ kind: 'grow', size: at + bytes.length }] : [];
  switch (random.below(5)) {
    case 0:
      return [{ ...write, bytes: bytes.subarray(0, random.below(bytes.length)) }, ...grown];
    case 1: {
      const count = random.below(Math.ceil(bytes.length / sector) + 1);
      return [...sectorsOf(write, index => index < count), ...grown];
    }
    case 2: {
      // Only the last sector, or only one in the middle.
      const only = random.chance(0.5) ? Number.POSITIVE_INFINITY : random.below(Math.ceil(bytes.length / sector) + 1);
      return [...sectorsOf(write, (index, last) => index === Math.min(only, last)), ...grown];
    }
    case 3:
      return [...sectorsOf(write, () => random.chance(0.5)), ...grown];
    default:
      // All but the last byte: a line without its end.
      return [{ ...write, bytes: bytes.subarray(0, -1) }, ...grown];
  }
}

function isWrite(change: FileChange): change is Write {
  return change.kind === 'write';
}

/** A power failure of a kind; the same seed gives the same one for the same disk. */
export function outage(kind: OutageKind, random: SeededRandom): Outage {
  switch (kind) {
    case 'lost':
      return { nameSurvives: () => false, surviving: () => [] };
    case 'kept':
      return { nameSurvives: () => true, surviving: changes => changes };
    case 'reordered':
      return { nameSurvives: () => random.chance(0.5), surviving: changes => changes.filter(() => random.chance(0.5)) };
    case 'torn':
      return { nameSurvives: () => random.chance(0.8), surviving: changes => changes.flatMap(change => (isWrite(change) ? tear(change, random) : random.chance(0.7) ? [change] : [])) };
    case 'zero-filled':
      return { nameSurvives: () => random.chance(0.8), surviving: changes => changes.map(change => (isWrite(change) ? { kind: 'grow', size: change.at + change.bytes.length } : change)) };
    case 'names only':
      return { nameSurvives: () => true, surviving: () => [] };
    case 'bytes only':
      return { nameSurvives: () => false, surviving: changes => changes };
    case 'mixed': {
      const each = (['lost', 'kept', 'reordered', 'torn', 'zero-filled'] as const).map(other => outage(other, random));
      return { nameSurvives: () => random.chance(0.6), surviving: changes => random.pick(each).surviving(changes) };
    }
  }
}
