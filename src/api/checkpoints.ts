import { activityOf } from '../core/timeline/activity.ts';
import type { ApiSession } from './apiSession.ts';
import type { Checkpoint } from './turnstone.d.ts';

/** The turns of a session that are on record, and their steps. */
export function checkpointsOf(session: ApiSession): readonly Checkpoint[] {
  const stores = session.stores.map(({ timeline }) => ({ timeline, activity: activityOf(timeline) }));
  return session.turns.flatMap(turn => {
    const there = stores.flatMap(({ timeline, activity }) => {
      const opened = timeline.turns.get(turn.id);
      return opened === undefined ? [] : [{ at: opened.at, rewound: activity.abandonedBy(session.id, opened.seq) !== undefined }];
    });
    const [first] = there;
    if (first === undefined) return [];
    const steps = stores.flatMap(({ timeline, activity }) =>
      [...timeline.points.values()].filter(point => point.turn === turn.id).map((point): Checkpoint => {
        const rewound = activity.abandonedBy(session.id, point.seq) !== undefined;
        return { id: point.id, kind: 'step', session: session.id, turn: turn.id, label: turn.steps.get(point.id) ?? '', at: point.at, rewound };
      }),
    );
    return [{ id: turn.id, kind: 'turn', session: session.id, turn: turn.id, label: turn.prompt, at: Math.min(...there.map(({ at }) => at)), rewound: there.some(({ rewound }) => rewound) }, ...steps];
  });
}
