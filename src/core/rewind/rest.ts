import { sameContent } from '../snapshot/state.ts';
import { activityOf, type Activity, type Reach } from '../timeline/activity.ts';
import type { Change, Timeline } from '../timeline/model.ts';
import { describe, spanOf, type PathGoal } from './goals.ts';
import type { Choice } from './intrusion.ts';

export const usersFile = 'it is your own file, and stays';

/** Tells whether going back takes a change out of force: it is a call's, or a roll back's, and nothing has taken it back yet. */
export function inForceIn(timeline: Timeline): (change: Change) => boolean {
  let known: Activity | undefined;
  return ({ by, path }) => {
    known ??= activityOf(timeline);
    if (by.kind === 'drift') return false;
    if (by.kind === 'operation') {
      const operation = timeline.operations.get(by.operation);
      return operation?.intent.kind === 'rollback' && known.isInForceFor(by.session, operation);
    }
    const seq = timeline.calls.get(by.call)?.seq ?? 0;
    return known.abandonedBy(by.session, seq) === undefined && !known.isRolledBack({ call: by.call, session: by.session, seq, path });
  };
}

/** What a path holds that is not what is to be undone: all since it was as it is to be, or since that began where nothing of it is in the path's changes any more. */
function tailOf(changes: readonly Change[], choice: Choice, from: number): readonly Change[] {
  return spanOf(changes, choice)?.tail ?? changes.filter(({ seq }) => seq > from);
}

/**
 * A path that what is to be undone has changed and that holds nothing of it, and yet is not as it was: it is named, so that nobody takes it for what
 * it was. Where going back takes something out of force that had changed the path, and only the user has been there since, he decides.
 */
export function restOf(timeline: Timeline, path: string, changesNow: () => readonly Change[], choice: Choice, isInForce: (change: Change) => boolean, { session }: Reach): PathGoal | undefined {
  const chosen = (timeline.changes.get(path) ?? []).filter(choice.isChosen);
  const tail = chosen[0] === undefined ? [] : tailOf(changesNow(), choice, chosen[0].seq);
  const [first, last] = [tail[0], tail.at(-1)];
  if (first === undefined || last === undefined || sameContent(first.before, last.after)) return undefined;
  const other = tail.find(({ by }) => by.kind !== 'drift');
  const foreign = describe(other ?? first, session, timeline);
  const rest = { path, goal: first.before, expected: last.after, foreign, base: first.before, keepsMode: false };
  if (other !== undefined || !chosen.some(isInForce)) return { ...rest, stays: `nothing of what goes is left in it, and ${foreign}: it stays` };
  return first.before.kind === 'absent' ? { ...rest, stays: usersFile } : rest;
}
