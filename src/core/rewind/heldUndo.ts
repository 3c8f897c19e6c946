import { activityOf, endedOperations, type Activity } from '../timeline/activity.ts';
import type { Operation, Timeline } from '../timeline/model.ts';
import { leftBy } from './selection.ts';

export function isUndoOf({ intent }: Operation, target: string): boolean {
  return (intent.kind === 'undo' || intent.kind === 'redo') && intent.target === target;
}

/** What would be in force if a restore were taken back now. */
function activityWithout(timeline: Timeline, { id, seq, at, intent }: Operation): Activity {
  const undo: Operation = {
    id: `undo of ${id}`,
    seq: timeline.seq + 1,
    at,
    intent: { ...intent, kind: 'undo', target: id, fromSeq: seq, paths: [], left: [] },
    done: { type: 'restore.done', operation: `undo of ${id}`, paths: [], removed: [], made: [] },
  };
  return activityOf({ ...timeline, operations: new Map([...timeline.operations, [undo.id, undo]]) });
}

/**
 * Which paths stay as they are though an undo (or a redo) is taken back, because its target does not come into force with that: another one holds
 * them. What that one had to leave was brought by this one alone. All stay where the target is in force already: it had been undone before this one, and
 * what this one did then has gone with that. Undefined where it is this one that keeps its target out of force.
 */
export function heldByOthers(timeline: Timeline, operation: Operation): ((path: string) => boolean) | undefined {
  const { intent } = operation;
  const target = timeline.operations.get(intent.target);
  if ((intent.kind !== 'undo' && intent.kind !== 'redo') || target === undefined) return undefined;
  const [now, after] = [activityOf(timeline), activityWithout(timeline, operation)];
  const back = [undefined, ...timeline.sessions.keys()].filter(session => now.isInForceFor(session, operation) && after.isInForceFor(session, target));
  if (back.length > 0) return back.every(session => now.isInForceFor(session, target)) ? () => true : undefined;
  const left = after.effective.filter(other => isUndoOf(other, intent.target)).map(other => leftBy(other, true));
  return path => left.length === 0 || left.some(paths => !paths.has(path));
}

/** Whether the restore that changed a path last left there what another one had written: it is that one, or what brought it back. */
function isStillIn(timeline: Timeline, path: string, operation: string): boolean {
  const last = timeline.changes.get(path)?.findLast(({ by }) => by.kind === 'operation')?.by;
  let [id, isIn] = [last?.kind === 'operation' ? last.operation : undefined, true];
  while (id !== undefined && id !== operation) {
    const intent = timeline.operations.get(id)?.intent;
    id = intent?.kind === 'undo' || intent?.kind === 'redo' ? intent.target : undefined;
    isIn = !isIn;
  }
  return id !== undefined && isIn;
}

/** What other undos of the same target brought and what is there still: where the target comes into force again, it goes too. */
export function broughtByOthers(timeline: Timeline, { id, intent }: Operation): readonly { readonly by: Operation; readonly path: string }[] {
  if (intent.kind !== 'undo' && intent.kind !== 'redo') return [];
  const others = endedOperations(timeline).filter(other => other.id !== id && isUndoOf(other, intent.target));
  return others.flatMap(by => (by.done?.paths ?? []).filter(({ path }) => isStillIn(timeline, path, by.id)).map(({ path }) => ({ by, path })));
}
