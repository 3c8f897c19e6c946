import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/core/base/digest.ts';
import type { State } from '../../../../src/core/snapshot/state.ts';
import { compare, encodingOf, hunkByteLimit, textOf } from '../../../../src/core/timeline/evidence.ts';
import { viewTurn } from '../../../../src/core/timeline/view.ts';
import { World } from '../../../twins/world.ts';

const blobs = new Map<string, Uint8Array>();

function state(bytes: string | Uint8Array): State {
  const content = Buffer.from(bytes as string);
  blobs.set(sha256(content), content);
  return { kind: 'content', hash: sha256(content), mode: 0o644, size: content.length };
}

function diff(before: State, after: State, context: 0 | 1 | 3 | 5 = 3) {
  return compare(before, after, hash => blobs.get(hash) as Uint8Array, context);
}

function numbered(count: number, changes: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: count }, (_, index) => `${changes[index + 1] ?? `line ${index + 1}`}\n`).join('');
}

describe('evidence', () => {
  it('H1: a line edited twice and an insert taken back are one hunk', async () => {
    const start = numbered(40);
    const world = await World.make({ 'a.txt': start });
    const agent = world.open();
    const [once, twice] = [numbered(40, { 10: 'once' }), numbered(40, { 10: 'twice' })];
    await agent.turn('t-1', [{ 'a.txt': once }, { 'a.txt': twice }, { 'a.txt': twice.replace('line 30\n', 'line 30\ninserted\n') }, { 'a.txt': twice }]);
    agent.store.refresh();
    const turn = agent.store.timeline.turns.get('t-1');
    const [file] = turn === undefined ? [] : viewTurn(agent.store.timeline, turn).files;
    const { hunks, added, removed } = compare(file?.before as State, file?.after as State, hash => agent.store.blobs.read(hash), 0);
    assert.deepEqual([hunks.map(({ oldStart, newStart, lines }) => [oldStart, newStart, lines]), added, removed], [[[10, 10, ['-line 10', '+twice']]], 1, 1]);
    assert.equal((await agent.rollback('t-1')).kind, 'applied');
    assert.equal(world.memory.text('/project/a.txt'), start);
  });

  it('shows as much context as is asked for, and names a hunk by its change alone', () => {
    const [before, after] = [state(numbered(30)), state(numbered(30, { 15: 'changed' }))];
    assert.deepEqual(([1, 3, 5] as const).map(context => diff(before, after, context).hunks.map(({ lines }) => lines.length)), [[4], [8], [12]]);
  });

  it('tells added, deleted, binary, large and special', () => {
    const absent: State = { kind: 'absent' };
    const kinds = [
      diff(absent, state('a\nb\n')),
      diff(state('a\n'), absent),
      diff(state(Buffer.from([0, 1])), state(Buffer.from([0, 2]))),
      diff(state('x'), state('x'.repeat(hunkByteLimit + 1))),
      diff({ kind: 'link', target: 'a' }, state('a')),
      diff(state(numbered(5000)), state(numbered(5000).replaceAll('line', 'other'))),
    ].map(({ kind, added, removed }) => [kind, added, removed]);
    assert.deepEqual(kinds, [['text', 2, 0], ['text', 0, 1], ['binary', 0, 0], ['large', 0, 0], ['none', 0, 0], ['large', 0, 0]]);
  });

  it('knows encodings by their marks and shows every text', () => {
    const texts: readonly (readonly [string, Uint8Array])[] = [
      ['utf8', Buffer.from('Név')],
      ['utf8bom', Buffer.from('\uFEFFNév')],
      ['utf16le', Buffer.from('\uFEFFNév', 'utf16le')],
      ['utf16be', Buffer.from('\uFEFFNév', 'utf16le').swap16()],
      ['latin1', Buffer.from('Név', 'latin1')],
    ];
    for (const [encoding, bytes] of texts) assert.deepEqual([encodingOf(bytes), textOf(bytes)], [encoding, 'Név']);
    assert.equal(textOf(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0])), undefined);
  });

  it('shows that a last line has lost its line feed', () => {
    assert.deepEqual(diff(state('a\n'), state('a')).hunks[0]?.lines, ['-a', '+a', '\\ No newline at end of file']);
  });
});
