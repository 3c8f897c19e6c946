import assert from 'node:assert/strict';
import { headsOf } from '../../src/core/timeline/activePath.ts';
import { activityOf } from '../../src/core/timeline/activity.ts';
import { stateBefore } from '../../src/core/timeline/manifest.ts';
import type { Change, Timeline } from '../../src/core/timeline/model.ts';
import type { RootStore } from '../../src/core/timeline/store.ts';
import { viewTurns } from '../../src/core/timeline/view.ts';
import { textOf, type Author, type History } from './model/history.ts';
import { InForce } from './model/inForce.ts';

function authorOf(by: Change['by']): string {
  return by.kind === 'call' ? by.call : by.kind === 'operation' ? by.operation : 'user';
}

function nameOf(by: Author): string {
  return by.kind === 'call' ? by.call.id : by.kind === 'restore' ? by.operation.id : 'user';
}

/** What every path holds by the records, and who changed it, is what the naive history says. */
export function checkRecorded(timeline: Timeline, history: History): void {
  assert.deepEqual(Object.fromEntries([...timeline.paths].map(([path, state]) => [path, history.contentOf(state)])), Object.fromEntries(history.recorded), 'what every path was last seen to hold');
  for (const path of timeline.paths.keys()) {
    const changes = (timeline.changes.get(path) ?? []).map(({ seq, before, after, by }) => [seq, textOf(history.contentOf(before)), textOf(history.contentOf(after)), authorOf(by)]);
    const links = history.linksOf(path).map(({ seq, before, after, by }) => [seq, textOf(before), textOf(after), nameOf(by)]);
    assert.deepEqual(changes, links, `who changed ${path}`);
  }
}

/** What every path held before any record, told from all of the history at once, is what it was seen to hold then. */
export function checkEveryMoment(timeline: Timeline, history: History): void {
  for (const path of history.recorded.keys()) {
    for (let seq = 1; seq <= history.seq + 1; seq += 1) {
      const state = stateBefore(timeline, path, seq);
      assert.deepEqual(state === undefined ? undefined : textOf(history.contentOf(state)), textOf(history.before(path, seq) ?? null), `${path} before ${seq}`);
    }
  }
}

/** A few moments, rebuilt from what was saved of them, are what they were. */
export function checkReconstructed(store: RootStore, history: History): void {
  for (const part of [0, 0.4, 0.8, 1]) {
    const seq = Math.floor(part * history.seq);
    const { paths } = store.reconstruct(seq);
    const then = history.moments.find(moment => moment.seq === seq)?.recorded ?? new Map();
    assert.deepEqual(new Map([...paths].map(([path, state]) => [path, history.contentOf(state)])), then, `what every path held after ${seq}, rebuilt`);
  }
}

/** Turns and calls in force, heads, and which files of a turn are rolled back. */
export function checkStanding(timeline: Timeline, history: History): void {
  for (const scope of ['code', 'conversation'] as const) {
    const expected = new InForce(history, scope);
    const activity = activityOf(timeline, scope);
    const active = (items: readonly { readonly id: string; readonly session: string; readonly seq: number }[]) => items.map(item => `${item.id} ${activity.abandonedBy(item.session, item.seq) === undefined}`);
    const inForce = (items: readonly { readonly id: string; readonly session: string; readonly seq: number }[]) => items.map(item => `${item.id} ${expected.did(item)}`);
    assert.deepEqual(active([...timeline.turns.values()]), inForce(history.turns), `turns in force for the ${scope}`);
    assert.deepEqual(active([...timeline.calls.values()]), inForce(history.calls), `calls in force for the ${scope}`);
    assert.deepEqual(activity.effective.map(({ id }) => id), expected.restores().map(({ id }) => id).toReversed(), `restores in force for the ${scope}`);
    for (const session of timeline.sessions.keys()) {
      const head = history.turns.findLast(turn => turn.session === session && expected.did(turn))?.id;
      assert.equal(headsOf(timeline, session)[scope], head, `the ${scope} head of ${session}`);
    }
  }
  checkFiles(timeline, history);
}

function checkFiles(timeline: Timeline, history: History): void {
  const inForce = new InForce(history, 'code');
  for (const { turn, files } of viewTurns(timeline, true)) {
    for (const { path, state } of files) {
      const calls = history.linksOf(path).flatMap(({ by }) => (by.kind === 'call' && by.call.turn === turn.id ? [by.call] : []));
      const taken = calls.filter(call => inForce.takenBackBy(call, path) !== undefined).length;
      assert.equal(state, taken === 0 ? 'active' : taken === calls.length ? 'rolledBack' : 'partly', `${path} of ${turn.id}`);
    }
  }
}
