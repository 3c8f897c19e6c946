import type { RecordOf } from '../core/timeline/records.ts';
import type { RootStore } from '../core/timeline/store.ts';

const actionWords = { restore: 'restored', create: 're-created', delete: 'deleted', merge: 'merged', unchanged: 'unchanged', conflict: 'left as yours', unavailable: 'skipped' } as const;

function line(word: string, path: string, reason: string | undefined): string {
  return `${word.padEnd(14)} ${path}${reason === undefined ? '' : `  (${reason})`}`;
}

function lines(intent: RecordOf<'restore.intent'>, done: RecordOf<'restore.done'> | undefined): readonly string[] {
  const written = intent.paths.map(({ path, action }) => {
    const outcome = done?.paths.find(candidate => candidate.path === path);
    const word = outcome === undefined ? 'not finished' : outcome.outcome === 'done' ? actionWords[action] : outcome.outcome;
    return { path, text: line(word, path, outcome?.reason) };
  });
  const left = intent.left.map(({ path, action, reason }) => ({ path, text: line(actionWords[action], path, reason) }));
  return [...written, ...left].sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ text }) => text);
}

/** Every file of a restore with what became of it, told from the journal, so that it reads the same in a year. */
export function reportText(store: RootStore, id: string, title: string | undefined): string | undefined {
  const operation = store.timeline.operations.get(id);
  if (operation === undefined) return undefined;
  const { intent, done } = operation;
  const folders = (done?.removed ?? []).map(({ path }) => line('folder removed', path, undefined));
  const made = (done?.made ?? []).map(({ path }) => line('folder made', path, undefined));
  const head = [title ?? intent.kind, operation.id, new Date(operation.at).toISOString(), store.identity.path];
  if (done?.recovered === true) head.push('Cut short, and finished at a later start.');
  return [...head, '', ...lines(intent, done), ...folders, ...made, ''].join('\n');
}
