import fc from 'fast-check';
import type { Journal } from '../../../../src/core/journal/journal.ts';
import { TimelineFold } from '../../../../src/core/timeline/fold.ts';
import { FoldState } from '../../../../src/core/timeline/foldState.ts';
import type { Timeline } from '../../../../src/core/timeline/model.ts';
import { foldBatch } from '../../../../src/core/timeline/reconstruct.ts';
import type { State } from '../../../../src/core/snapshot/state.ts';

/** All that a timeline is, orders included: maps that are equal in another order are not the same timeline. */
export function contentsOf(timeline: Timeline): unknown {
  const { seq, at, sessions, turns, points, operations, changes, paths, invalid } = timeline;
  const calls = [...timeline.calls].map(([id, call]) => [id, { ...call, snapshots: [...call.snapshots] }]);
  const hidden = timeline instanceof FoldState ? [[...timeline.resumed], [...paths.keys()].map(path => [...timeline.openAt(path)])] : [];
  return { seq, at, sessions: [...sessions], turns: [...turns], calls, points: [...points], operations: [...operations], changes: [...changes], paths: [...paths], invalid, hidden };
}

/** The fold of a journal from its first record on, with no generation in between. */
export function wholeFold(journal: Journal, until = Infinity): TimelineFold {
  const fold = new TimelineFold();
  for (const batch of journal.readUntil(until).batches) foldBatch(fold, batch, until);
  return fold;
}

const session = fc.constantFrom('s-1', 's-2');
const turn = fc.constantFrom('t-1', 't-2', 't-3', 'current');
const call = fc.constantFrom('c-1', 'c-2', 'c-3', 'c-4', 'c-5');
const path = fc.constantFrom('a', 'b/c', 'b/d', '\ud800 é');
const hash = fc.constantFrom('1', '2', '3').map(letter => letter.repeat(64));
const operation = fc.constantFrom('o-1', 'o-2');
const state: fc.Arbitrary<State> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('content' as const), hash, mode: fc.constantFrom(0o644, 0o755), size: fc.constantFrom(1, 2 ** 40, -7) }) },
  fc.constant({ kind: 'absent' as const }),
  fc.constant({ kind: 'link' as const, target: '../elsewhere' }),
  fc.constant({ kind: 'directory' as const, mode: 0o755 }),
  fc.constant({ kind: 'special' as const }),
  fc.record({ kind: fc.constant('oversize' as const), hash, mode: fc.constant(0o600), size: fc.nat() }),
  fc.constant({ kind: 'unreadable' as const, reason: 'EIO' }),
);
const directories = fc.array(fc.record({ path, mode: fc.constantFrom(0o755, 0o700) }), { maxLength: 1 });

function list<T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(item, { maxLength: 3 });
}

/** Any record at all, sensible or not: a fold takes all of them, and so does a generation. */
export const anyRecord: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ type: fc.constant('session.open'), session, agent: fc.constantFrom('x', 'y'), agentSession: fc.string(), transcript: fc.string(), title: hash }, { requiredKeys: ['type', 'session', 'agent', 'agentSession'] }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('turn.open'), session, turn, prompt: hash, elsewhere: fc.boolean() }, { requiredKeys: ['type', 'session', 'turn'] }) },
  fc.record({ type: fc.constant('turn.resume'), session, turn, resumes: turn }),
  {
    weight: 6,
    arbitrary: fc.record(
      {
        type: fc.constant('call.open'), session, turn, call, tool: fc.constantFrom('Write', 'Bash'), agentCall: fc.string(), delegate: fc.string(), undeclared: fc.boolean(),
        paths: list(fc.record({ path, before: state, missing: list(path), expects: hash }, { requiredKeys: ['path', 'before', 'missing'] })),
        outside: list(fc.record({ path: fc.constant('/etc/x'), reason: fc.string() })),
      },
      { requiredKeys: ['type', 'session', 'turn', 'call', 'tool', 'paths'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('call.report'), session, turn, call, paths: list(fc.record({ path, expects: hash }, { requiredKeys: ['path'] })) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('call.close'), session, turn, call, outcome: fc.constantFrom('done', 'failed', 'interrupted', 'cancelled'),
      paths: list(fc.record({ path, found: state, after: state, made: directories }, { requiredKeys: ['path', 'after', 'made'] })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant('effects'), session, turn, call, candidates: list(call), isComplete: fc.boolean(),
        paths: list(fc.record({ path, before: state, after: state, made: directories }, { requiredKeys: ['path', 'before', 'after'] })), removed: directories, made: directories, uncovered: list(fc.record({ path: fc.constantFrom('', 'a'), reason: fc.string() })),
      },
      { requiredKeys: ['type', 'session', 'turn', 'call', 'isComplete', 'paths', 'uncovered'] },
    ),
  },
  fc.record({ type: fc.constant('drift'), paths: list(fc.record({ path, after: state })) }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('turn.close'), session, turn, outcome: fc.constantFrom('closed', 'interrupted') }) },
  fc.record({ type: fc.constant('step'), session, turn, step: fc.constantFrom('p-1', 'p-2'), label: hash }, { requiredKeys: ['type', 'session', 'turn', 'step'] }),
  fc.record({ type: fc.constant('checkpoint'), checkpoint: fc.constantFrom('k-1', 'k-2'), label: hash }, { requiredKeys: ['type', 'checkpoint'] }),
  fc.record({ type: fc.constant('gap'), session, turn, tool: fc.string(), happenedAt: fc.nat(), reason: fc.string() }, { requiredKeys: ['type', 'session', 'happenedAt', 'reason'] }),
  fc.record(
    {
      type: fc.constant('restore.intent'), operation, kind: fc.constantFrom('rewind', 'undo', 'switch'), scope: fc.constant('code'), reach: fc.constantFrom('session', 'workspace'), session, target: turn, fromSeq: fc.nat(20),
      calls: list(call), owner: fc.constant({ host: 'h', boot: 'b', pid: 1, started: '1' }),
      paths: list(fc.record({ path, action: fc.constant('restore'), before: state, after: state, inPlace: fc.boolean() }, { requiredKeys: ['path', 'action', 'before', 'after'] })),
      emptied: directories, made: directories, left: fc.constant([]),
    },
    { requiredKeys: ['type', 'operation', 'kind', 'scope', 'reach', 'target', 'fromSeq', 'owner', 'paths', 'emptied', 'made', 'left'] },
  ),
  fc.record({ type: fc.constant('restore.done'), operation, paths: list(fc.record({ path, outcome: fc.constantFrom('done', 'failed', 'skipped'), after: state })), removed: directories, made: directories }),
  fc.constant({ type: 'of.a.later.version', anything: [1] }),
);

/** What is no record; a store that holds it is read-only. */
export const notARecord: fc.Arbitrary<unknown> = fc.constantFrom<unknown>({ type: 'drift', paths: [{ path: '../x', after: { kind: 'absent' } }] }, { type: 'turn.close' }, null, 7);
