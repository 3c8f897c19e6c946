import type { DonePath } from './apply.ts';
import type { PlanItem } from './plan.ts';
import type { Part, RestoreResult, WholeResult } from './restore.ts';

export interface Counts {
  readonly restored: number;
  readonly created: number;
  readonly deleted: number;
  readonly merged: number;
  readonly unchanged: number;
  readonly conflict: number;
  readonly skipped: number;
  readonly failed: number;
}

/** A restore's result in numbers and one sentence; the same for the command line and the editor. */
export interface Report {
  readonly counts: Counts;
  readonly outcomes: ReadonlyMap<string, DonePath>;
  /** `blocked`: nothing was written. `leftovers`: something covered by it was not done. */
  readonly standing: 'done' | 'leftovers' | 'blocked';
  readonly sentence: string;
}

type Tally = keyof Counts;

const tallyOf: Record<PlanItem['action'], Tally> = {
  restore: 'restored',
  create: 'created',
  delete: 'deleted',
  merge: 'merged',
  unchanged: 'unchanged',
  conflict: 'conflict',
  unavailable: 'skipped',
};

const words: readonly (readonly [Tally, string])[] = [
  ['restored', 'restored'],
  ['created', 're-created'],
  ['deleted', 'deleted'],
  ['merged', 'merged'],
  ['unchanged', 'unchanged'],
  ['conflict', 'left as yours'],
  ['skipped', 'skipped'],
  ['failed', 'failed'],
];

/** What to do where conflicts stop a restore. `stuck` are those that no decision but to leave them gets past. */
function blockedSentence(conflicts: number, stuck: readonly string[]): string {
  const files = conflicts === 1 ? '1 file holds work' : `${conflicts} files hold work`;
  const nothing = `${files} that would be lost. Nothing was written.`;
  const [first, ...more] = stuck;
  if (first === undefined) return `${nothing} Choose what to do with it: --on-conflict skip, merge or overwrite.`;
  const names = more.length === 0 ? first : more.length === 1 ? `${first} and ${more[0]}` : `${first} and ${more.length} others`;
  return `${nothing} Only --on-conflict skip gets past ${names}, which can be neither merged nor overwritten: it leaves conflicts as they are, and all other files are done.`;
}

function sentenceOf(kind: WholeResult['kind'], counts: Counts, standing: Report['standing'], stuck: readonly string[]): string {
  if (standing === 'blocked') return blockedSentence(counts.conflict, stuck);
  const parts = words.filter(([tally]) => counts[tally] > 0).map(([tally, word]) => `${counts[tally]} ${word}`);
  const list = parts.length === 0 ? 'no file differs' : parts.join(', ');
  switch (kind) {
    case 'planned':
      return `Would be: ${list}. Nothing was written.`;
    case 'already':
      return `Already there: ${list}.`;
    default:
      return `${standing === 'done' ? 'Done' : 'Done in part'}: ${list}. Undo it with: turnstone undo.`;
  }
}

type Done = Pick<Part, 'plan' | 'done'>;

function tally({ plan, done }: Done, counts: Record<Tally, number>): ReadonlyMap<string, DonePath> {
  const outcomes = new Map(done.map(one => [one.path, one]));
  for (const { path, action } of plan.items) {
    const outcome = outcomes.get(path)?.outcome;
    if (outcome === 'failed' || outcome === 'skipped') counts[outcome] += 1;
    else counts[tallyOf[action]] += 1;
  }
  return outcomes;
}

/** The report of a restore over one or several folders; `outcomes` in the order of its parts. */
export function reportAll({ kind, parts }: { readonly kind: WholeResult['kind']; readonly parts: readonly Done[] }): Omit<Report, 'outcomes'> & { readonly outcomes: readonly ReadonlyMap<string, DonePath>[] } {
  const counts = { restored: 0, created: 0, deleted: 0, merged: 0, unchanged: 0, conflict: 0, skipped: 0, failed: 0 };
  const outcomes = parts.map(part => tally(part, counts));
  const left = counts.conflict + counts.skipped + counts.failed;
  const isBlocked = kind === 'blocked' || (kind === 'planned' && parts.some(({ plan }) => plan.blocked));
  const standing = isBlocked ? 'blocked' : left > 0 ? 'leftovers' : 'done';
  const stuck = parts.flatMap(({ plan }) => plan.items.filter(({ action, overridable }) => action === 'conflict' && !overridable).map(({ path }) => path));
  return { counts, outcomes, standing, sentence: sentenceOf(kind, counts, standing, stuck) };
}

/** The report of a restore in one folder. */
export function report(result: RestoreResult): Report {
  const { outcomes, ...rest } = reportAll({ kind: result.kind, parts: [{ plan: result.plan, done: result.kind === 'applied' ? result.done : [] }] });
  return { ...rest, outcomes: outcomes[0] as ReadonlyMap<string, DonePath> };
}
