import { TurnstoneError } from '../base/errors.ts';
import { branchIds } from './branches.ts';
import type { Timeline } from './model.ts';

export type NamedKind = 'turn' | 'call' | 'step' | 'checkpoint' | 'branch' | 'operation' | 'session';

export interface Named {
  readonly kind: NamedKind;
  readonly id: string;
}

function idsOf(timeline: Timeline, kind: NamedKind): Iterable<string> {
  switch (kind) {
    case 'turn':
      return timeline.turns.keys();
    case 'call':
      return timeline.calls.keys();
    case 'step':
    case 'checkpoint':
      return [...timeline.points.values()].filter(point => point.kind === kind).map(({ id }) => id);
    case 'branch':
      return branchIds(timeline);
    case 'operation':
      return timeline.operations.keys();
    case 'session':
      return timeline.sessions.keys();
  }
}

/** The kinds of ids that name a point to go back to. */
export const pointKinds = ['turn', 'call', 'step', 'checkpoint'] as const;

/** Finds what an id, or the beginning of one, names. Throws `notFound`, or `usage` where it names several. */
export function findNamed(timeline: Timeline, prefix: string, kinds: readonly NamedKind[]): Named {
  const found: Named[] = [];
  for (const kind of kinds) {
    for (const id of idsOf(timeline, kind)) {
      if (id === prefix) return { kind, id };
      if (prefix.length > 0 && id.startsWith(prefix)) found.push({ kind, id });
    }
  }
  const only = found[0];
  if (only === undefined) throw new TurnstoneError('notFound', `There is no ${kinds.join(' or ')} ${prefix}. Nothing was touched.`);
  if (found.length > 1) {
    throw new TurnstoneError('usage', `${prefix} could be ${found.slice(0, 4).map(({ id }) => id).join(', ')}. Nothing was touched. Give more of the id.`);
  }
  return only;
}
