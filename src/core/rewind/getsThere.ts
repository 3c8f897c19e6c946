import { activePath, isSamePath } from '../timeline/activePath.ts';
import type { Reach, Scope } from '../timeline/activity.ts';
import type { Operation, Timeline } from '../timeline/model.ts';

function goingBack(timeline: Timeline, scope: Scope, session: string, fromSeq: number): Operation {
  const operation = 'o-supposed';
  const owner = { host: '', boot: '', pid: 0, started: '' };
  return {
    id: operation,
    seq: timeline.seq + 1,
    at: timeline.at,
    intent: { type: 'restore.intent', operation, kind: 'rewind', scope, reach: 'session', session, target: '', fromSeq, owner, paths: [], emptied: [], made: [], left: [] },
    done: { type: 'restore.done', operation, paths: [], removed: [], made: [] },
  };
}

/**
 * Whether one session, taken back to where a record was not there yet, stands where it stood then. It does not where the whole
 * workspace was taken back since (or brought forward again): that is nothing that one session alone can undo.
 */
export function getsThere(timeline: Timeline, scope: Scope, reach: Reach, fromSeq: number): boolean {
  if (reach.session === undefined) return true;
  const going = goingBack(timeline, scope, reach.session, fromSeq);
  const supposed = { ...timeline, operations: new Map([...timeline.operations, [going.id, going]]) };
  return isSamePath(activePath(supposed, scope, reach), activePath(timeline, scope, reach, fromSeq));
}
