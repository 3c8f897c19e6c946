import { TurnstoneError } from '../core/base/errors.ts';
import { locate } from '../core/snapshot/paths.ts';
import { findNamed } from '../core/timeline/names.ts';
import { filesNamed, patchOf } from '../core/timeline/patches.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { countFile, promptOf, titleOf, viewTurns, type FileView, type TurnView } from '../core/timeline/view.ts';
import type { CallContext } from './recordedCall.ts';
import type { ToolFolder } from './toolHost.ts';
import type { InputOf } from './toolInputs.ts';
import { Refused } from './toolResult.ts';
import { isAbsolute } from 'node:path';

const defaultTurns = 20;

/** A model is given as much of a patch as this many characters. */
const patchLimit = 60_000;

const marks = { added: 'A', modified: 'M', deleted: 'D' } as const;

/** A name on one line, whatever is in it. */
function oneLine(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
}

function time(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

function readableFolders({ host }: CallContext): readonly ToolFolder[] {
  const folders = host.folders();
  if (folders.length === 0) throw new Refused('notRecording', `Not recording: ${host.whyNone}`);
  for (const { store } of folders) store.refresh();
  return folders;
}

function turnLines(store: RootStore, { turn, agent, files, abandonedBy }: TurnView): readonly string[] {
  const state = `${turn.state === 'closed' ? '' : ` (${turn.state})`}${abandonedBy === undefined ? '' : ' (rewound)'}`;
  const counted = files.map(file => countFile(file, store.blobs)).map(file => {
    const counts = file.kind === 'text' ? ` +${file.added} -${file.removed}` : '';
    return `    ${marks[file.status]} ${oneLine(file.path)}${counts}${file.state === 'active' ? '' : ' (rolled back)'}`;
  });
  return [`${turn.id}  ${time(turn.at)}  ${oneLine(agent)}  ${oneLine(titleOf(promptOf(turn, store.blobs)))}${state}`, ...counted];
}

function pointLines({ timeline, blobs }: RootStore): readonly string[] {
  return [...timeline.points.values()].toReversed().slice(0, defaultTurns).map(({ id, kind, at, label }) => {
    const name = label === undefined ? '' : `  ${oneLine(titleOf(Buffer.from(blobs.read(label)).toString('utf8')))}`;
    return `${id}  ${time(at)}  ${kind}${name}`;
  });
}

export async function listCheckpoints(context: CallContext, { limit = defaultTurns, all = false }: InputOf<'list'>): Promise<string> {
  return readableFolders(context).map(({ store }) => {
    const turns = viewTurns(store.timeline, all);
    const more = turns.length > limit ? [`${turns.length - limit} older turns are not listed.`] : [];
    const points = pointLines(store);
    return [
      `${store.identity.path}:`,
      ...(store.damage === undefined ? [] : [store.damage]),
      ...(turns.length === 0 ? ['No turns are recorded here yet.'] : turns.slice(0, limit).flatMap(view => turnLines(store, view))),
      ...more,
      ...(points.length === 0 ? [] : ['Steps and checkpoints, newest first:', ...points]),
    ].join('\n');
  }).join('\n\n');
}

/** Where an id is known; an id that is in no folder is told with what the last of them says. */
function folderWith(folders: readonly ToolFolder[], id: string): ToolFolder {
  let problem: unknown;
  for (const folder of folders) {
    try {
      findNamed(folder.store.timeline, id, ['turn', 'call', 'step', 'checkpoint', 'branch']);
      return folder;
    } catch (error) {
      if (!TurnstoneError.is(error)) throw error;
      problem = error.code === 'usage' || problem === undefined ? error : problem;
    }
  }
  throw problem;
}

function recordedName({ host }: CallContext, { store }: ToolFolder, path: string): string {
  if (!isAbsolute(path)) return path.replaceAll('\\', '/').replace(/^\.\//, '');
  const located = locate(host.files, store.identity.path, path);
  return located.kind === 'inside' ? located.path : path;
}

export async function diff(context: CallContext, { id, second_id, path }: InputOf<'diff'>): Promise<string> {
  const folder = folderWith(readableFolders(context), id);
  const { store } = folder;
  const name = path === undefined ? undefined : recordedName(context, folder, path);
  const files = filesNamed(store.timeline, id, second_id).filter((file: FileView) => name === undefined || file.path === name);
  if (files.length === 0) return name === undefined ? 'No file differs.' : `${name} does not differ.`;
  const patch = files.map(file => patchOf(store, file, oneLine(file.path))).join('\n');
  if (patch.length <= patchLimit) return patch;
  return `${patch.slice(0, patchLimit)}\n… ${patch.length - patchLimit} more characters are not shown. Name one file with path to see less at once: ${files.map(file => oneLine(file.path)).join(', ')}`;
}
