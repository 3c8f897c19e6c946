import assert from 'node:assert/strict';
import type { Ground } from './ground.ts';
import type { Expectation } from './model/expectation.ts';
import { isSame, textOf, type Content, type History } from './model/history.ts';
import { InForce } from './model/inForce.ts';

/**
 * What is in force is what the files hold: where nobody but calls and clean restores ever touched a path, it holds what the last
 * call in force left there. The two are worked out in different ways everywhere, and must never part.
 */
export class InForceOnDisk {
  /** Paths of which that can't be said: some decision was made about somebody's work there, or something was left. */
  private readonly muddled = new Set<string>();

  /** A restore had to decide about these paths. */
  note(expected: Expectation): void {
    for (const [path, { kind }] of expected) if (kind === 'conflict' || kind === 'unsure') this.muddled.add(path);
  }

  check(ground: Ground): void {
    const { history } = ground;
    for (const { intent, done, seq } of history.operations) {
      for (const { path, outcome } of done?.paths ?? []) if (outcome !== 'done') this.muddled.add(path);
      for (const { path, action } of intent.left) if (action !== 'unchanged') this.muddled.add(path);
      if (intent.kind === 'undo' || intent.kind === 'redo') for (const { path } of intent.paths) this.noteReturn(history, path, intent.target, seq);
    }
    const inForce = new InForce(history, 'code');
    for (const [path, recorded] of history.recorded) {
      if (this.isMuddled(history, path) || !isSame(ground.disk(path), recorded)) continue;
      assert.equal(ground.text(path), textOf(lastInForce(history, inForce, path) ?? null), `${path} holds what is in force`);
    }
  }

  /** An undo asks only whether a file holds what the restore left, not whether it held something else in between. */
  private noteReturn(history: History, path: string, undone: string, before: number): void {
    const links = history.linksOf(path);
    const since = links.findIndex(({ by }) => by.kind === 'restore' && by.operation.id === undone);
    if (links.slice(since + 1).some(({ by, seq }) => by.kind === 'call' && seq < before)) this.muddled.add(path);
  }

  private isMuddled(history: History, path: string): boolean {
    if (this.muddled.has(path)) return true;
    // A call that is heard of after it was given up, or taken back, may have worked on.
    const isMuddled = history.linksOf(path).some(({ by, seq }) => by.kind === 'user' || (by.kind === 'call' && (by.call.wasGivenUp || !new InForce(history, 'code', seq).did(by.call) || new InForce(history, 'code', seq).takenBackBy(by.call, path) !== undefined)));
    // Where sessions take turns at a file, what one of them takes back may have been another's to change.
    const sessions = history.linksOf(path).flatMap(({ by }) => (by.kind === 'call' ? [by.call.session] : []));
    const takesTurns = sessions.some((session, index) => index > 0 && session !== sessions[index - 1] && sessions.indexOf(session) < index);
    if (isMuddled || takesTurns) this.muddled.add(path);
    return isMuddled || takesTurns;
  }
}

function lastInForce(history: History, inForce: InForce, path: string): Content | undefined {
  const links = history.linksOf(path);
  // Permissions are another matter.
  const last = links.findLast(({ by, before, after }) => !isSame(before, after) && by.kind === 'call' && inForce.did(by.call) && inForce.takenBackBy(by.call, path) === undefined);
  if (last !== undefined) return last.after;
  const first = links[0];
  return first === undefined ? history.recorded.get(path) : first.before;
}
