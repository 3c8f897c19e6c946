import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TimelineFold } from '../../../../src/core/timeline/fold.ts';
import { freeze } from '../../../../src/core/timeline/frozen.ts';
import { foldBatch } from '../../../../src/core/timeline/reconstruct.ts';
import { thaw } from '../../../../src/core/timeline/thaw.ts';
import { isSoundPath } from '../../../../src/core/snapshot/paths.ts';
import { anyRecord, contentsOf } from './histories.ts';

const store = 'j-1';
const history = fc.array(anyRecord, { minLength: 1, maxLength: 40 });

function add(fold: TimelineFold, records: readonly unknown[], from: number, to: number): void {
  if (to > from) foldBatch(fold, { seq: from + 1, prev: '', at: 1000 + from, tick: 0, records: records.slice(from, to) });
}

function folded(records: readonly unknown[], to = records.length): TimelineFold {
  const fold = new TimelineFold();
  for (let index = 0; index < to; index += 1) add(fold, records, index, index + 1);
  return fold;
}

/** Goes on one record at a time, as `folded` does. */
function goOn(fold: TimelineFold, records: readonly unknown[], to = records.length): TimelineFold {
  for (let index = fold.seq; index < to; index += 1) add(fold, records, index, index + 1);
  return fold;
}

describe('a frozen state', () => {
  it('goes on as if nothing had happened, wherever it was frozen', () => {
    fc.assert(
      fc.property(history, fc.nat(), (records, at) => {
        const cut = at % (records.length + 1);
        const thawed = new TimelineFold();
        assert.ok(thaw(freeze(folded(records, cut), 0, store), cut, store, thawed));
        assert.deepEqual(contentsOf(thawed), contentsOf(folded(records, cut)));
        assert.deepEqual(contentsOf(goOn(thawed, records)), contentsOf(folded(records)));
      }),
      { numRuns: 400 },
    );
  });

  it('is the same in deltas, put on top of any state since their base, by whichever process', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(), { minLength: 3, maxLength: 6 }), fc.nat(), (records, places, more) => {
        const [first = 0, ...cuts] = places.map(place => place % (records.length + 1)).sort((a, b) => a - b);
        const keyframe = freeze(folded(records, first), 0, store);
        const reader = new TimelineFold();
        assert.ok(thaw(keyframe, first, store, reader));
        for (const cut of cuts) {
          // Each writer began somewhere between, and knows what was touched from there on.
          const writer = folded(records, Math.min(first, cut));
          writer.track();
          goOn(writer, records, cut);
          const base = first + (more % (reader.seq - first + 1));
          if (base > 0 && base <= cut) assert.ok(thaw(freeze(writer, base, store), cut, store, reader), `${base} to ${cut} on ${reader.seq}`);
          else assert.ok(thaw(freeze(writer, 0, store), cut, store, reader));
          assert.deepEqual(contentsOf(reader), contentsOf(folded(records, cut)));
        }
        assert.deepEqual(contentsOf(goOn(reader, records)), contentsOf(folded(records)));
      }),
      { numRuns: 600 },
    );
  });

  it('keeps what was touched when older things are forgotten', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), (records, one, other) => {
        const [first = 0, second = 0] = [one, other].map(place => 1 + (place % records.length)).sort((a, b) => a - b);
        const writer = new TimelineFold();
        writer.track();
        goOn(writer, records, first);
        const reader = folded(records, first);
        writer.forgetTouched(first);
        goOn(writer, records, second);
        if (first > 1) assert.throws(() => freeze(writer, first - 1, store), /nobody knows/);
        assert.ok(thaw(freeze(writer, first, store), second, store, reader));
        assert.deepEqual(contentsOf(reader), contentsOf(folded(records, second)));
      }),
      { numRuns: 300 },
    );
  });

  it('of another store, or with any byte changed, never breaks anything and never brings an unsound path', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(255), (records, place, value) => {
        const bytes = freeze(folded(records), 0, store);
        assert.equal(thaw(bytes, records.length, 'j-2', new TimelineFold()), false);
        const changed = Buffer.from(bytes);
        changed[place % changed.length] = value;
        const fold = new TimelineFold();
        const taken = thaw(changed, records.length, store, fold);
        if (!taken) assert.deepEqual(contentsOf(fold), contentsOf(new TimelineFold()), 'nothing was taken from it');
        for (const path of [...fold.paths.keys(), ...fold.changes.keys(), ...[...fold.calls.values()].flatMap(({ snapshots }) => [...snapshots.keys()])]) assert.ok(isSoundPath(path), path);
      }),
      { numRuns: 2000 },
    );
  });

  it('cut short anywhere is not taken', () => {
    const bytes = freeze(folded(fc.sample(history, { numRuns: 1, seed: 7 })[0] ?? []), 0, store);
    for (let length = 0; length < bytes.length; length += 1) assert.equal(thaw(bytes.subarray(0, length), 9, store, new TimelineFold()), false, `${length} of ${bytes.length}`);
  });

  it('that leaves its root is not taken', () => {
    for (const evil of ['../x', '/etc/passwd', 'a/../../b', '.git/config', '']) {
      const fold = new TimelineFold();
      fold.paths.set(evil, { kind: 'absent' });
      assert.equal(thaw(freeze(fold, 0, store), 1, store, new TimelineFold()), false, evil);
    }
  });

  it('that names what is not there is not taken', () => {
    const records = [
      { type: 'turn.open', session: 's-1', turn: 't-1' },
      { type: 'call.open', session: 's-1', turn: 't-1', call: 'c-1', tool: 'Write', paths: [{ path: 'a', before: { kind: 'absent' }, missing: [] }] },
      { type: 'call.close', session: 's-1', turn: 't-1', call: 'c-1', outcome: 'done', paths: [{ path: 'a', after: { kind: 'directory', mode: 1 }, made: [] }] },
    ];
    for (const part of ['sessions', 'turns', 'calls'] as const) {
      const fold = folded(records);
      fold[part].clear();
      assert.equal(thaw(freeze(fold, 0, store), 3, store, new TimelineFold()), false, part);
    }
    assert.ok(thaw(freeze(folded(records), 0, store), 3, store, new TimelineFold()));
  });
});
