import { TurnstoneError } from '../base/errors.ts';
import type { Timeline } from './model.ts';

export type NamedKind = 'turn' | 'call' | 'operation' | 'session';

export interface Named {
  readonly kind: NamedKind;
  readonly id: string;
}

/** Finds what an id, or the beginning of one, names. Throws `notFound`, or `usage` where it names several. */
export function findNamed(timeline: Timeline, prefix: string, kinds: readonly NamedKind[]): Named {
  const maps = { turn: timeline.turns, call: timeline.calls, operation: timeline.operations, session: timeline.sessions };
  const found: Named[] = [];
  for (const kind of kinds) {
    const map: ReadonlyMap<string, unknown> = maps[kind];
    if (map.has(prefix)) return { kind, id: prefix };
    for (const id of map.keys()) if (prefix.length > 0 && id.startsWith(prefix)) found.push({ kind, id });
  }
  const only = found[0];
  if (only === undefined) throw new TurnstoneError('notFound', `There is no ${kinds.join(' or ')} ${prefix}. Nothing was touched.`);
  if (found.length > 1) {
    throw new TurnstoneError('usage', `${prefix} could be ${found.slice(0, 4).map(({ id }) => id).join(', ')}. Nothing was touched. Give more of the id.`);
  }
  return only;
}
