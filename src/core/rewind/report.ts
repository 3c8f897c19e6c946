import type { DonePath } from './apply.ts';
import type { PlanItem } from './plan.ts';
import type { RestoreResult } from './restore.ts';

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

function sentenceOf(result: RestoreResult, counts: Counts, standing: Report['standing']): string {
  if (standing === 'blocked') {
    const files = counts.conflict === 1 ? '1 file holds work' : `${counts.conflict} files hold work`;
    return `${files} that would be lost. Nothing was written. Choose what to do with it: --on-conflict skip, merge or overwrite.`;
  }
  const parts = words.filter(([tally]) => counts[tally] > 0).map(([tally, word]) => `${counts[tally]} ${word}`);
  const list = parts.length === 0 ? 'no file differs' : parts.join(', ');
  switch (result.kind) {
    case 'planned':
      return `Would be: ${list}. Nothing was written.`;
    case 'already':
      return `Already there: ${list}.`;
    default:
      return `${standing === 'done' ? 'Done' : 'Done in part'}: ${list}. Undo it with: turnstone undo.`;
  }
}

export function report(result: RestoreResult): Report {
  const outcomes = new Map((result.kind === 'applied' ? result.done : []).map(done => [done.path, done]));
  const counts = { restored: 0, created: 0, deleted: 0, merged: 0, unchanged: 0, conflict: 0, skipped: 0, failed: 0 };
  for (const { path, action } of result.plan.items) {
    const outcome = outcomes.get(path)?.outcome;
    if (outcome === 'failed' || outcome === 'skipped') counts[outcome] += 1;
    else counts[tallyOf[action]] += 1;
  }
  const left = counts.conflict + counts.skipped + counts.failed;
  const standing = result.kind === 'blocked' || (result.kind === 'planned' && result.plan.blocked) ? 'blocked' : left > 0 ? 'leftovers' : 'done';
  return { counts, outcomes, standing, sentence: sentenceOf(result, counts, standing) };
}
