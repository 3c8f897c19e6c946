import { modesOf } from '../core/timeline/folderWork.ts';
import type { Operation } from '../core/timeline/model.ts';
import type { RecordOf } from '../core/timeline/records.ts';
import type { RootStore } from '../core/timeline/store.ts';

const actionWords = { restore: 'restored', create: 're-created', delete: 'deleted', merge: 'merged', unchanged: 'unchanged', conflict: 'left as yours', unavailable: 'skipped' } as const;

/** The history of another folder that a restore names; undefined where it is gone or can't be read. */
export type OtherStore = (root: { readonly key: string; readonly store: string }) => RootStore | undefined;

function line(word: string, path: string, reason: string | undefined): string {
  return `${word.padEnd(14)} ${path}${reason === undefined ? '' : `  (${reason})`}`;
}

function fileLines(intent: RecordOf<'restore.intent'>, done: RecordOf<'restore.done'> | undefined): readonly string[] {
  const written = intent.paths.map(({ path, action }) => {
    const outcome = done?.paths.find(candidate => candidate.path === path);
    const word = outcome === undefined ? 'not finished' : outcome.outcome === 'done' ? actionWords[action] : outcome.outcome;
    return { path, text: line(word, path, outcome?.reason) };
  });
  const left = intent.left.map(({ path, action, reason }) => ({ path, text: line(actionWords[action], path, reason) }));
  return [...written, ...left].sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ text }) => text);
}

/** What became of a restore in one folder. */
function folderLines(store: RootStore, { intent, done }: Operation): readonly string[] {
  const recovered = done?.recovered === true ? ['Cut short, and finished at a later start.'] : [];
  const [before, after] = [modesOf(done?.removed ?? []), modesOf(done?.made ?? [])];
  const removed = [...before.keys()].filter(path => !after.has(path)).map(path => line('folder removed', path, undefined));
  const made = [...after].map(([path, mode]) => (before.has(path) ? line('permissions', path, `folder, ${mode.toString(8)} again`) : line('folder made', path, undefined)));
  return [store.identity.path, ...recovered, '', ...fileLines(intent, done), ...removed, ...made, ''];
}

/** Every file of a restore with what became of it, in all its folders, told from their journals, so that it reads the same in a year. */
export function reportText(store: RootStore, id: string, title: string | undefined, other: OtherStore): string | undefined {
  const operation = store.timeline.operations.get(id);
  if (operation === undefined) return undefined;
  const elsewhere = (operation.intent.roots ?? []).filter(({ key }) => key !== store.identity.key).flatMap(root => {
    const there = other(root);
    const same = there?.timeline.operations.get(id);
    return there === undefined || same === undefined ? [`The history of another folder (${root.key}) can't be read.`, ''] : folderLines(there, same);
  });
  return [title ?? operation.intent.kind, operation.id, new Date(operation.at).toISOString(), ...folderLines(store, operation), ...elsewhere].join('\n');
}
