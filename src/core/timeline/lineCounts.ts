/*
 * How many lines two texts do not share: what the hunks of their difference would add up to, without looking for the hunks.
 * The lines that stay are a longest common subsequence, and its length alone is found by a table that is computed 32 cells at a
 * time (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004).
 */

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** From so many places on, a line's places are kept as bits and not as a list. */
const oftenFrom = 64;

// As the hunks have them: a line feed belongs to its line, and a last line without one is another line than the same with it.
function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(from, next));
    from = next;
  }
  return lines;
}

/** The lines of two texts as numbers, without those that begin both and those that end both, and without those that only one of them has. */
interface Core {
  readonly old: Int32Array;
  readonly fresh: Int32Array;
  /** How many different lines there are in both. */
  readonly kinds: number;
  /** How many of each text only that one has. */
  readonly onlyOld: number;
  readonly onlyFresh: number;
}

function coreOf(oldLines: readonly string[], freshLines: readonly string[]): Core {
  let [start, oldEnd, freshEnd] = [0, oldLines.length, freshLines.length];
  while (start < oldEnd && start < freshEnd && oldLines[start] === freshLines[start]) start += 1;
  while (oldEnd > start && freshEnd > start && oldLines[oldEnd - 1] === freshLines[freshEnd - 1]) {
    oldEnd -= 1;
    freshEnd -= 1;
  }
  const [oldRest, freshRest] = [oldLines.slice(start, oldEnd), freshLines.slice(start, freshEnd)];
  const inFresh = new Set(freshRest);
  const numbers = new Map<string, number>();
  for (const line of oldRest) if (inFresh.has(line) && !numbers.has(line)) numbers.set(line, numbers.size);
  const numbered = (lines: readonly string[]): Int32Array => Int32Array.from(lines.flatMap(line => numbers.get(line) ?? []));
  const [old, fresh] = [numbered(oldRest), numbered(freshRest)];
  return { old, fresh, kinds: numbers.size, onlyOld: oldRest.length - old.length, onlyFresh: freshRest.length - fresh.length };
}

/** Where each line is in a text: as a list, or for one that is there often as bits. */
class Places {
  private readonly order: Int32Array;
  private readonly begin: Int32Array;
  private readonly bits = new Map<number, Int32Array>();
  private readonly words: number;

  constructor(lines: Int32Array, kinds: number) {
    this.words = (lines.length + 31) >>> 5;
    this.begin = new Int32Array(kinds + 1);
    for (const line of lines) this.begin[line + 1] = (this.begin[line + 1] as number) + 1;
    for (let kind = 0; kind < kinds; kind += 1) this.begin[kind + 1] = (this.begin[kind + 1] as number) + (this.begin[kind] as number);
    this.order = new Int32Array(lines.length);
    const next = this.begin.slice();
    for (let place = 0; place < lines.length; place += 1) {
      const line = lines[place] as number;
      this.order[next[line] as number] = place;
      next[line] = (next[line] as number) + 1;
    }
  }

  /** The places of a line as bits, of which at least those are right that are in the words from `first` to `last`. `spare` has no bit set, and may be what is returned. */
  of(line: number, spare: Int32Array, first: number, last: number): Int32Array {
    const [from, to] = [this.begin[line] as number, this.begin[line + 1] as number];
    if (to - from < oftenFrom) return this.mark(spare, from, to, first, last);
    let bits = this.bits.get(line);
    if (bits === undefined) {
      bits = this.mark(new Int32Array(this.words), from, to, 0, this.words - 1);
      this.bits.set(line, bits);
    }
    return bits;
  }

  private mark(bits: Int32Array, from: number, to: number, first: number, last: number): Int32Array {
    for (let index = from; index < to; index += 1) {
      const place = this.order[index] as number;
      const word = place >>> 5;
      if (word >= first && word <= last) bits[word] = (bits[word] as number) | (1 << (place & 31));
    }
    return bits;
  }
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * The length of a longest common subsequence, if all of it lies less than `band` lines off the diagonal; else the length of a
 * shorter one. A row's bit is 0 where the table grows by one to the right. The words left of the band stay as they are, those right of it are all ones,
 * which no carry changes: nothing else than leaving out the matches outside the band.
 */
function commonLength({ old, fresh, kinds }: Core, band: number): number {
  const words = (old.length + 31) >>> 5;
  const row = new Int32Array(words).fill(-1);
  const places = new Places(old, kinds);
  const spare = new Int32Array(words);
  for (let index = 0; index < fresh.length; index += 1) {
    const first = Math.max(0, index - band) >>> 5;
    const last = Math.min(words - 1, (index + band) >>> 5);
    const matches = places.of(fresh[index] as number, spare, first, last);
    let carry = 0;
    for (let word = first; word <= last; word += 1) {
      const bits = row[word] as number;
      const match = matches[word] as number;
      const both = bits & match;
      const sum = (bits + both + carry) | 0;
      carry = ((bits & both) | ((bits | both) & ~sum)) >>> 31;
      row[word] = sum | (bits & ~match);
    }
    if (matches === spare) spare.fill(0, first, last + 1);
  }
  let length = 0;
  for (const word of row) length += bitsIn(~word);
  return length;
}

/** The counts of added and removed lines; undefined where they are more than `limit` together. */
export function lineCounts(oldText: string, freshText: string, limit: number): LineCounts | undefined {
  const core = coreOf(linesOf(oldText), linesOf(freshText));
  if (core.onlyOld + core.onlyFresh + Math.abs(core.old.length - core.fresh.length) > limit) return undefined;
  const common = core.old.length === 0 || core.fresh.length === 0 ? 0 : commonLength(core, limit);
  const removed = core.onlyOld + core.old.length - common;
  const added = core.onlyFresh + core.fresh.length - common;
  return added + removed > limit ? undefined : { added, removed };
}
