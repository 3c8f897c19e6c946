import fc from 'fast-check';
import type { OnConflict } from '../../src/core/rewind/plan.ts';
import { outageKinds, type OutageKind } from '../twins/outage.ts';

/** Numbers in a step choose among what there is when its turn comes, so that a step makes sense wherever shrinking leaves it. */
type Choice = number;

/** One change of a file, by a tool or by the user. `back`: to a text that the path held before. */
export interface Edit {
  readonly path: Choice;
  readonly how: 'first' | 'last' | 'all' | 'back' | 'delete' | 'move' | 'mode';
  readonly to: Choice;
}

/**
 * The process that works dies at one of its file operations, and with it the whole machine's power, or not. The user, or an agent, goes on
 * before anybody recovers a restore; and that may be cut short `again`.
 */
export interface Crash {
  readonly at: number;
  /** What the disk has then of what was not synced. */
  readonly power: OutageKind | undefined;
  readonly seed: number;
  readonly written: number;
  readonly meanwhile: readonly Edit[];
  readonly by: 'u' | 'a' | 'b';
  readonly again?: number | undefined;
}

/** The user saves files while a restore runs, at one of its file operations; not where it crashes. */
export interface During {
  readonly at: number;
  readonly edits: readonly Edit[];
}

interface Worked {
  readonly process: Choice;
  readonly crash?: Crash | undefined;
}

interface Restores extends Worked {
  readonly decision: OnConflict;
  /** Whether it is asked first what it would do. */
  readonly dry?: boolean | undefined;
  readonly during?: During | undefined;
}

export type Session = 'a' | 'b' | 'c';

export type RestoreStep =
  | ({ readonly do: 'rewind'; readonly target: Choice; readonly scope: 'code' | 'conversation' | 'both'; readonly reach: 'session' | 'workspace' | undefined } & Restores)
  | ({ readonly do: 'fork'; readonly target: Choice; readonly reach: 'session' | 'workspace' | undefined } & Restores)
  | ({ readonly do: 'switch'; readonly branch: Choice } & Restores)
  | ({ readonly do: 'rollback'; readonly target: Choice; readonly path: Choice | undefined } & Restores)
  | ({ readonly do: 'undo' | 'redo'; readonly which: Choice | undefined } & Restores);

export type Step =
  | ({ readonly do: 'turn' | 'close' | 'leave' | 'step'; readonly session: Session } & Worked)
  | ({ readonly do: 'call'; readonly session: Session; readonly edits: readonly Edit[] } & Worked)
  | ({ readonly do: 'begin'; readonly session: Session; readonly edits: readonly Edit[]; readonly writes: boolean } & Worked)
  | ({ readonly do: 'end'; readonly call: Choice; readonly outcome: 'done' | 'failed' | 'cancelled' | 'interrupted' } & Worked)
  | ({ readonly do: 'checkpoint' } & Worked)
  | { readonly do: 'user'; readonly edits: readonly Edit[] }
  | { readonly do: 'restart' }
  | RestoreStep;

const choice = fc.nat(40);
const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.nat(5),
  how: fc.constantFrom<Edit['how'][]>('all', 'all', 'all', 'all', 'last', 'last', 'first', 'back', 'delete', 'delete', 'move', 'mode'),
  to: fc.nat(5),
});
const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
const session = fc.constantFrom<Session[]>('a', 'a', 'a', 'b', 'b', 'c');
/** Undefined but for one time in so many. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> => fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const crash: fc.Arbitrary<Crash> = fc.record({ at: fc.nat(120), power: fc.option(fc.constantFrom(...outageKinds), { freq: 2, nil: undefined }), seed: fc.nat(), written: fc.constantFrom(0, 7, 1e9), meanwhile: fc.oneof(fc.constant([]), edits), by: fc.constantFrom('u' as const, 'u' as const, 'a' as const, 'b' as const), again: seldom(fc.nat(60), 3) });
const worked = { process: fc.nat(1), crash: seldom(crash, 24) };
const restores = {
  ...worked,
  crash: seldom(crash, 12),
  dry: seldom(fc.constant(true), 3),
  decision: fc.constantFrom<OnConflict[]>('stop', 'stop', 'stop', 'skip', 'skip', 'overwrite', 'overwrite', 'merge'),
  during: seldom(fc.record({ at: fc.nat(120), edits }), 24),
};
const reach = fc.constantFrom('session' as const, 'workspace' as const, undefined);

const one = <const T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: one('turn'), session, ...worked }) },
  { weight: 12, arbitrary: fc.record({ do: one('call'), session, edits, ...worked }) },
  { weight: 3, arbitrary: fc.record({ do: one('begin'), session, edits, writes: fc.boolean(), ...worked }) },
  { weight: 3, arbitrary: fc.record({ do: one('end'), call: choice, outcome: fc.constantFrom('done' as const, 'done' as const, 'failed' as const, 'cancelled' as const, 'interrupted' as const), ...worked }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('close' as const, 'leave' as const, 'step' as const, 'step' as const), session, ...worked }) },
  { weight: 2, arbitrary: fc.record({ do: one('checkpoint'), ...worked }) },
  { weight: 5, arbitrary: fc.record({ do: one('user'), edits }) },
  { weight: 1, arbitrary: fc.record({ do: one('restart') }) },
  { weight: 8, arbitrary: fc.record({ do: one('rewind'), target: choice, scope: fc.constantFrom('code' as const, 'code' as const, 'code' as const, 'conversation' as const, 'both' as const), reach, ...restores }) },
  { weight: 2, arbitrary: fc.record({ do: one('fork'), target: choice, reach, ...restores }) },
  { weight: 5, arbitrary: fc.record({ do: one('switch'), branch: choice, ...restores }) },
  { weight: 3, arbitrary: fc.record({ do: one('rollback'), target: choice, path: seldom(fc.nat(5), 3), ...restores }) },
  { weight: 6, arbitrary: fc.record({ do: one('undo'), which: seldom(choice, 3), ...restores }) },
  { weight: 5, arbitrary: fc.record({ do: one('redo'), which: seldom(choice, 3), ...restores }) },
);

/** Without fast-check's liking for small numbers, which leaves little that could be gone back to. */
export const sequence: fc.Arbitrary<readonly Step[]> = fc.noBias(fc.array(step, { minLength: 2, maxLength: 20, size: 'max' }));
