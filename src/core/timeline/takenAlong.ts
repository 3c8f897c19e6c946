import { endedOperations, isInScope } from './activity.ts';
import type { Operation, Timeline } from './model.ts';

interface TakenAlong {
  /** By path, oldest first. */
  readonly byPath: ReadonlyMap<string, readonly Operation[]>;
  readonly byOperation: ReadonlyMap<string, ReadonlySet<string>>;
}

const known = new WeakMap<Timeline, { readonly seq: number; readonly taken: TakenAlong }>();

function takenIn(timeline: Timeline): TakenAlong {
  let cached = known.get(timeline);
  if (cached?.seq !== timeline.seq) {
    cached = { seq: timeline.seq, taken: collect(timeline) };
    known.set(timeline, cached);
  }
  return cached.taken;
}

/**
 * The restores that took a path along without changing it, because it held the right thing already; and those that undid such a
 * one. Nothing in the path's changes tells of them, but what they took back is not in force.
 */
export function takenAlong(timeline: Timeline, path: string): readonly Operation[] {
  return takenIn(timeline).byPath.get(path) ?? [];
}

/** The paths that a restore took along without changing them. */
export function pathsTakenAlong(timeline: Timeline, operation: string): Iterable<string> {
  return takenIn(timeline).byOperation.get(operation) ?? [];
}

function collect(timeline: Timeline): TakenAlong {
  const byPath = new Map<string, Operation[]>();
  const byOperation = new Map<string, ReadonlySet<string>>();
  for (const operation of endedOperations(timeline)) {
    const { intent, done } = operation;
    if (!isInScope(intent, 'code')) continue;
    const written = new Set(done?.paths.map(({ path }) => path));
    // What stayed for a reason was not as it was to be.
    const left = intent.left.filter(({ action, reason }) => action === 'unchanged' && reason === undefined).map(({ path }) => path);
    const again = intent.kind === 'undo' || intent.kind === 'redo' ? (byOperation.get(intent.target) ?? []) : [];
    const paths = new Set([...left, ...again].filter(path => !written.has(path)));
    byOperation.set(operation.id, paths);
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), operation]);
  }
  return { byPath, byOperation };
}
