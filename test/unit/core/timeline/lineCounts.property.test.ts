import assert from 'node:assert/strict';
import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { lineLimit } from '../../../../src/core/timeline/evidence.ts';
import { lineCounts, type LineCounts } from '../../../../src/core/timeline/lineCounts.ts';

/** What the hunks of the difference add up to. */
function countHunks(old: string, fresh: string, limit: number): LineCounts | undefined {
  const lines = structuredPatch('', '', old, fresh, '', '', { context: 0, maxEditLength: limit })?.hunks.flatMap(hunk => hunk.lines);
  const count = (mark: string): number => (lines ?? []).filter(line => line.startsWith(mark)).length;
  return lines === undefined ? undefined : { added: count('+'), removed: count('-') };
}

function agree(old: string, fresh: string, limit: number): void {
  assert.deepEqual(lineCounts(old, fresh, limit), countHunks(old, fresh, limit), JSON.stringify([old, fresh, limit]));
}

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'a\r\n', '\r\n', 'a\r', '+\n', '-a\n', '\\\n', ' a\n');
const last = fc.constantFrom('', '', 'a', '\r', 'é');
const text = fc.tuple(fc.array(line, { maxLength: 12 }), last).map(([lines, end]) => lines.join('') + end);

/** Long enough for several words of bits, and like the other one but for some edits, so that a narrow band often holds. */
const edited = fc
  .record({
    kinds: fc.constantFrom(2, 5, 40, 1000),
    seeds: fc.array(fc.nat(999), { minLength: 1, maxLength: 300 }),
    edits: fc.array(fc.record({ at: fc.nat(300), drop: fc.nat(3), put: fc.array(fc.nat(999), { maxLength: 3 }) }), { maxLength: 30 }),
    limit: fc.constantFrom(1, 5, 20, 40, 100, 1000),
  })
  .map(({ kinds, seeds, edits, limit }) => {
    const fresh = [...seeds];
    for (const { at, drop, put } of edits) fresh.splice(at, drop, ...put);
    const textOf = (numbers: readonly number[]): string => numbers.map(number => `${number % kinds}\n`).join('');
    return { old: textOf(seeds), fresh: textOf(fresh), limit };
  });

describe('counts of changed lines', function () {
  this.timeout(30_000);

  it('are those of the hunks, whatever the lines are', () => {
    fc.assert(fc.property(text, text, (old, fresh) => agree(old, fresh, 2 * lineLimit)), { numRuns: 2000 });
  });

  it('are those of the hunks in longer texts, and are given up where those are', () => {
    fc.assert(fc.property(edited, ({ old, fresh, limit }) => agree(old, fresh, limit)), { numRuns: 600 });
  });

  it('are given up with the first change too many', () => {
    const numbered = (count: number, word: string): string => Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
    for (const [count, expected] of [[lineLimit, { added: lineLimit, removed: lineLimit }], [lineLimit + 1, undefined]] as const) {
      assert.deepEqual(lineCounts(`first\n${numbered(count, 'old')}last\n`, `first\n${numbered(count, 'new')}last\n`, 2 * lineLimit), expected);
    }
  });

  it('cost little where every line was replaced or moved, and where thousands are alike: fifty times, in the time that hunks would take for ten', () => {
    const numbers = Array.from({ length: 2000 }, (_, index) => index);
    const texts = (line: (number: number) => string, other: (number: number) => string): readonly [string, string] => [numbers.map(line).join('\n'), numbers.map(other).join('\n')];
    const pairs = [
      texts(number => `old ${number}`, number => `new ${number}`),
      texts(number => `line ${number}`, number => `line ${(number * 7919) % 2000}`),
      texts(number => `${number % 3}`, number => `${(number * number) % 3}`),
    ];
    for (const [old, fresh] of pairs) for (let run = 0; run < 50; run += 1) assert.ok(lineCounts(old, fresh, 2 * lineLimit) !== undefined);
  });
});
