import type { State } from '../snapshot/state.ts';
import type { Timeline } from './model.ts';

/**
 * What a path held just before a record: its last observation then, or, where it was not looked at yet, what was
 * found at the first look after; undefined for a path that no record names.
 */
export function stateBefore(timeline: Timeline, path: string, seq: number): State | undefined {
  const changes = timeline.changes.get(path) ?? [];
  return changes.findLast(change => change.seq < seq)?.after ?? changes[0]?.before ?? timeline.paths.get(path);
}
