import { TurnstoneError } from '../base/errors.ts';
import type { Reach } from './activity.ts';
import { findBranch } from './branches.ts';
import type { Timeline } from './model.ts';

/** A point of the history to go back to: where the record `fromSeq` was not there yet. */
export interface Point {
  readonly target: string;
  readonly kind: 'turn' | 'call' | 'step' | 'checkpoint' | 'branch';
  readonly fromSeq: number;
  /** What going there takes along, where nothing else is said. */
  readonly reach: Reach;
}

/** The point that an id means: before a turn or a call, at a step or a checkpoint, at the tip of a branch. Throws `notFound`. */
export function pointOf(timeline: Timeline, id: string): Point {
  const turn = timeline.turns.get(id);
  const call = timeline.calls.get(id);
  const begun = turn ?? call;
  if (begun !== undefined) return { target: id, kind: turn === undefined ? 'call' : 'turn', fromSeq: begun.seq, reach: { session: begun.session } };
  const point = timeline.points.get(id);
  if (point !== undefined) return { target: id, kind: point.kind, fromSeq: point.seq + 1, reach: { session: point.session } };
  const branch = findBranch(timeline, id);
  if (branch !== undefined) return { target: id, kind: 'branch', fromSeq: branch.end, reach: branch.reach };
  throw new TurnstoneError('notFound', `There is no turn, call, step, checkpoint or branch ${id}. Nothing was touched.`);
}
