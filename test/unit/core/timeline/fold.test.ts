import assert from 'node:assert/strict';
import { TimelineFold } from '../../../../src/core/timeline/fold.ts';
import { parseRecord, type JournalRecord } from '../../../../src/core/timeline/records.ts';
import type { State } from '../../../../src/core/snapshot/state.ts';

function state(letter: string): State {
  return letter === '' ? { kind: 'absent' } : letter === '?' ? { kind: 'unreadable', reason: 'EIO' } : { kind: 'content', hash: letter.repeat(64), mode: 0o644, size: 1 };
}

function open(call: string, before: string, turn = 't-1'): JournalRecord {
  return { type: 'call.open', session: 's-1', turn, call, tool: 'Write', paths: [{ path: 'a', before: state(before), missing: [] }] };
}

/** A call of an outside agent, and what it will leave. */
function openFor(call: string, before: string, expects: string): JournalRecord {
  const path = { path: 'a', before: state(before), missing: [], expects: expects.repeat(64) };
  return { type: 'call.open', session: 's-1', turn: 't-1', call, tool: 'Write', agentCall: call, paths: [path] };
}

function close(call: string, after: string, outcome: 'done' | 'failed' | 'interrupted' = 'done'): JournalRecord {
  return { type: 'call.close', session: 's-1', turn: 't-1', call, outcome, paths: [{ path: 'a', after: state(after), made: [] }] };
}

function closeFound(call: string, found: string, after: string): JournalRecord {
  return { type: 'call.close', session: 's-1', turn: 't-1', call, outcome: 'done', paths: [{ path: 'a', found: state(found), after: state(after), made: [] }] };
}

function drift(after: string): JournalRecord {
  return { type: 'drift', paths: [{ path: 'a', after: state(after) }] };
}

function letter(of: State): string {
  return of.kind === 'content' ? (of.hash[0] as string) : of.kind === 'absent' ? '-' : '?';
}

function fold(...records: readonly JournalRecord[]): TimelineFold {
  const timeline = new TimelineFold();
  records.forEach((record, index) => timeline.add({ seq: index + 1, at: index, record }));
  return timeline;
}

/** The chain of a path's changes, as `before→after:who`. */
function chain(...records: readonly JournalRecord[]): string {
  return (fold(...records).changes.get('a') ?? []).map(({ before, after, by }) => `${letter(before)}→${letter(after)}:${by.kind === 'call' ? by.call : by.kind}`).join(' ');
}

describe('fold', () => {
  const chains: readonly (readonly [what: string, records: readonly JournalRecord[], expected: string])[] = [
    ['one call', [open('c1', 'a'), close('c1', 'b')], 'a→b:c1'],
    ['a call that changed nothing', [open('c1', 'a'), close('c1', 'a')], ''],
    ['a failed call that changed nothing', [open('c1', 'a'), close('c1', 'a', 'failed')], ''],
    ['drift that was looked at', [open('c1', 'a'), close('c1', 'b'), drift('d')], 'a→b:c1 b→d:drift'],
    ['drift that a later call found', [open('c1', 'a'), close('c1', 'b'), open('c2', 'd'), close('c2', 'e')], 'a→b:c1 b→d:drift d→e:c2'],
    ['a file that was created and deleted', [open('c1', ''), close('c1', 'b'), open('c2', 'b'), close('c2', '')], '-→b:c1 b→-:c2'],
    ['events that come twice', [open('c1', 'a'), open('c1', 'a'), close('c1', 'b'), close('c1', 'b')], 'a→b:c1'],
    ['calls that overlap', [open('c1', 'a'), open('c2', 'a'), close('c1', 'b'), close('c2', 'c')], 'a→b:c1 b→c:c2'],
    ['an end without a beginning', [open('c1', 'a'), close('c1', 'b'), close('c9', 'd')], 'a→b:c1 b→d:drift'],
    ['an interrupted call that left what it was to leave', [openFor('c1', 'a', 'b'), close('c1', 'b', 'interrupted')], 'a→b:c1'],
    ['an interrupted call whose work comes late', [openFor('c1', 'a', 'b'), close('c1', 'a', 'interrupted'), close('c1', 'b')], 'a→b:c1'],
    ['work of the user under an interrupted call', [openFor('c1', 'a', 'b'), close('c1', 'c', 'interrupted')], 'a→c:drift'],
    ['work of the user under an interrupted call of which nobody knows what it was to leave', [open('c1', 'a'), close('c1', 'b', 'interrupted')], 'a→b:drift'],
    ['work of the user under a call that failed', [openFor('c1', 'a', 'b'), close('c1', 'c', 'failed')], 'a→c:drift'],
    ['work of the user before an end that comes twice', [openFor('c1', 'a', 'b'), close('c1', 'b'), close('c1', 'c')], 'a→b:c1 b→c:drift'],
    ['work of the user before an end that comes late', [openFor('c1', 'a', 'b'), close('c1', 'b', 'interrupted'), close('c1', 'c')], 'a→b:c1 b→c:drift'],
    ['a late report of work that was not there yet when its turn ended', [open('c1', 'a'), close('c1', 'a', 'interrupted'), close('c1', 'b')], 'a→b:c1'],
    ['overlapping calls that end in order', [openFor('c1', 'a', 'b'), openFor('c2', 'a', 'x'), close('c1', 'c'), closeFound('c2', 'b', 'c')], 'a→c:c1'],
    ['overlapping calls that end out of order', [openFor('c1', 'a', 'b'), openFor('c2', 'a', 'x'), closeFound('c2', 'b', 'c'), close('c1', 'c')], 'a→b:c1 b→c:c2'],
    ['a call that begins when another has worked and not ended', [openFor('c1', 'a', 'b'), openFor('c2', 'b', 'c'), close('c1', 'b'), close('c2', 'c')], 'a→b:c1 b→c:c2'],
    ['a call that fails after another one\'s unreported work', [openFor('c1', 'a', 'b'), openFor('c2', 'b', 'c'), close('c1', 'b'), close('c2', 'b', 'failed')], 'a→b:c1'],
    ['a second report that found something else', [openFor('c1', 'a', 'b'), closeFound('c1', 'a', 'b'), closeFound('c1', 'd', 'b')], 'a→b:c1'],
    ['other content that the tool found and nobody can tell', [openFor('c1', 'a', 'b'), closeFound('c1', '?', 'c')], 'a→c:drift'],
    ['work of the user that the tool found', [openFor('c1', 'a', 'b'), closeFound('c1', 'd', 'e')], 'a→d:drift d→e:c1'],
    ['a look that failed', [open('c1', 'a'), close('c1', 'b'), drift('?'), open('c2', 'b'), close('c2', 'c')], 'a→b:c1 b→c:c2'],
    ['drift that nobody had seen before', [drift('d')], ''],
  ];
  for (const [what, records, expected] of chains) it(`tells ${what}`, () => assert.equal(chain(...records), expected));

  it('takes the outcome of a late end, and keeps a failed one', () => {
    assert.equal(fold(open('c1', 'a'), close('c1', 'b', 'interrupted'), close('c1', 'b')).calls.get('c1')?.outcome, 'done');
    assert.equal(fold(open('c1', 'a'), close('c1', 'a', 'failed'), close('c1', 'b')).calls.get('c1')?.outcome, 'failed');
  });

  it('goes on with a turn that was given up', () => {
    const turn: JournalRecord = { type: 'turn.open', session: 's-1', turn: 't-1' };
    const states = [[turn], [turn, ended('interrupted')], [turn, ended('interrupted'), turn], [turn, ended('closed'), ended('interrupted')]].map(records => fold(...records).turns.get('t-1')?.state);
    assert.deepEqual(states, ['open', 'interrupted', 'open', 'closed']);
  });

  it('knows a session whose beginning it never saw', () => {
    assert.equal(fold(open('c1', 'a')).sessions.get('s-1')?.agent, 'unknown');
  });
});

function ended(outcome: 'closed' | 'interrupted'): JournalRecord {
  return { type: 'turn.close', session: 's-1', turn: 't-1', outcome };
}

describe('records', () => {
  it('of a later version are passed over, and unsound ones are not', () => {
    const kinds = [
      { type: 'something.new', anything: 1 },
      { type: 'drift', paths: [] },
      { type: 'drift', paths: [{ path: '../x', after: { kind: 'absent' } }] },
      { type: 'drift', paths: [{ path: 'x', after: { kind: 'content', hash: 'short', mode: 1, size: 1 } }] },
      { type: 'drift' },
      {},
      null,
      7,
    ].map(value => parseRecord(value).kind);
    assert.deepEqual(kinds, ['unknown', 'record', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid']);
  });
});
