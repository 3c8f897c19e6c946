import { join } from 'node:path';
import { reportAll } from '../core/rewind/report.ts';
import type { WholeResult } from '../core/rewind/restore.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { RestoredFile, RestoreResult } from './turnstone.d.ts';

function filesText(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function messageFor(kind: RestoreResult['kind'], count: (...actions: readonly string[]) => number): string {
  switch (kind) {
    case 'conflict':
      return `${filesText(count('conflict'))} would lose work that is not taken back. Nothing was written.`;
    case 'already':
      return 'There was nothing to do: the files are like that already.';
    case 'partly':
      return `${filesText(count('conflict', 'skipped', 'failed'))} could not be done, or were left; the rest is done.`;
    case 'done':
      return `${filesText(count('restored', 'created', 'deleted', 'merged'))} changed.`;
  }
}

/** A restore's result as clients see it: with the files that are theirs. */
export function restoreResult(result: WholeResult, unreadable: readonly string[], isOwn: (store: RootStore, path: string) => boolean): RestoreResult {
  const { counts, outcomes, standing } = reportAll(result);
  const files = result.parts.flatMap(({ context: { store }, plan }, index) =>
    plan.items.filter(({ path }) => isOwn(store, path)).map(({ path, action, reason }): RestoredFile => {
      const done = outcomes[index]?.get(path);
      const why = done?.reason ?? reason;
      return { path: join(store.identity.path, path), action, ...(done === undefined ? {} : { outcome: done.outcome }), ...(why === undefined ? {} : { reason: why }) };
    }),
  );
  const isLeft = standing === 'leftovers' || unreadable.length > 0;
  const kind = standing === 'blocked' ? 'conflict' : isLeft ? 'partly' : result.kind === 'already' ? 'already' : 'done';
  const warnings = [...result.parts.flatMap(({ plan }) => plan.warnings), ...unreadable.map(name => `The history of ${name} can't be read. What was done there is left as it is.`)];
  const tallies: Readonly<Record<string, number>> = { ...counts };
  const message = [messageFor(kind, (...actions) => actions.reduce((sum, action) => sum + (tallies[action] ?? 0), 0)), ...warnings].join(' ');
  return { kind, message, ...(result.kind === 'applied' ? { operation: result.operation } : {}), files };
}
