import { defaultMaxFileSize } from '../core/snapshot/observe.ts';
import { moveFile, removeFile, writeContent } from './fileWrites.ts';
import { versionOf } from './knowledge.ts';
import { mustGoOn, recorded, type CallContext } from './recordedCall.ts';
import { findTarget, mustBeThere, mustBeWritable, type Target } from './target.ts';
import { editBytes, encodeText } from './textEdit.ts';
import type { InputOf } from './toolInputs.ts';
import { Refused } from './toolResult.ts';

type Say = (target: Target) => string;

function told(text: string, warning: string | undefined): string {
  return warning === undefined ? text : `${text} ${warning}`;
}

/** Finds a file and what the session knows of it, and refuses a call that builds on something else. */
function freshTarget(context: CallContext, named: string, version: string | undefined, meansName = false): Target {
  const target = findTarget(context.host, named, meansName);
  const { store } = target.folder;
  store.refresh();
  if (store.damage !== undefined) throw new Refused('notRecording', `Not recording: ${store.damage} Nothing was written, because it could not be taken back.`);
  context.turns.in(target.folder).knowledge.mustBeFresh(store.timeline, target.path, target.bytes, version);
  mustBeWritable(target);
  return target;
}

async function replaceContent(context: CallContext, target: Target, bytes: Uint8Array, say: Say): Promise<string> {
  const { path } = target;
  if (bytes.length > defaultMaxFileSize) throw new Refused('tooLarge', `${path} would be too large to be kept (${bytes.length} bytes; ${defaultMaxFileSize} are the most). Nothing was written.`);
  const version = versionOf(bytes);
  const place = context.turns.in(target.folder);
  if (target.bytes !== undefined && version === versionOf(target.bytes)) {
    place.knowledge.note(path, bytes, target.folder.store.timeline.seq);
    return `${path} holds exactly that already. Nothing was written. Its version is ${version}.`;
  }
  const write = ([now]: readonly Target[], call: string): void => writeContent(context.host.files, now as Target, bytes, call);
  const warning = await recorded(context, place, { targets: [target], after: new Map([[path, bytes]]), write });
  return told(`${say(target)} Its version is ${version} now.`, warning);
}

export async function writeFile(context: CallContext, { path: named, content, version }: InputOf<'write'>): Promise<string> {
  mustGoOn(context.signal);
  const bytes = encodeText(content, 'content');
  const target = freshTarget(context, named, version);
  return replaceContent(context, target, bytes, ({ path, stat }) => (stat === undefined ? `${path} was made (${bytes.length} bytes).` : `${path} was replaced (${bytes.length} bytes).`));
}

export async function editFile(context: CallContext, { path, version, ...edit }: InputOf<'edit'>): Promise<string> {
  return multiEdit(context, { path, version, edits: [edit] });
}

export async function multiEdit(context: CallContext, { path: named, edits, version }: InputOf<'multiEdit'>): Promise<string> {
  mustGoOn(context.signal);
  const target = freshTarget(context, named, version);
  const bytes = editBytes(mustBeThere(target), edits, target.path);
  return replaceContent(context, target, bytes, ({ path }) => `${path} was changed (${edits.length === 1 ? '1 edit' : `${edits.length} edits`}).`);
}

export async function deleteFile(context: CallContext, { path: named, version }: InputOf<'delete'>): Promise<string> {
  mustGoOn(context.signal);
  const target = freshTarget(context, named, version, true);
  mustBeThere(target);
  const write = ([now]: readonly Target[]): void => removeFile(context.host.files, now as Target);
  const warning = await recorded(context, context.turns.in(target.folder), { targets: [target], after: new Map([[target.path, undefined]]), write });
  return told(`${target.path} was deleted.`, warning);
}

export async function moveFileTo(context: CallContext, { path: named, new_path, version }: InputOf<'move'>): Promise<string> {
  mustGoOn(context.signal);
  const from = freshTarget(context, named, version, true);
  const bytes = mustBeThere(from);
  const to = findTarget(context.host, new_path, true);
  if (to.folder.key !== from.folder.key) throw new Refused('input', `${named} and ${new_path} are in two different folders. Nothing was written. Write the new file and delete the old one.`);
  if (to.bytes !== undefined) throw new Refused('exists', `There is a file ${to.path} already. Nothing was written. Delete it first, or give another name.`);
  const write = ([source, destination]: readonly Target[]): void => moveFile(context.host.files, source as Target, destination as Target);
  const warning = await recorded(context, context.turns.in(from.folder), { targets: [from, to], after: new Map([[from.path, undefined], [to.path, bytes]]), write });
  return told(`${from.path} was moved to ${to.path}. Its version is ${versionOf(bytes)}.`, warning);
}
