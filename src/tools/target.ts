import { isAbsolute, join, resolve } from 'node:path';
import type { Files, FileStat } from '../core/base/files.ts';
import { defaultMaxFileSize, observeFile } from '../core/snapshot/observe.ts';
import { liveTarget, locate } from '../core/snapshot/paths.ts';
import type { ToolFolder, ToolHost } from './toolHost.ts';
import { Refused } from './toolResult.ts';

/** A path that a tool may touch, as it is on the disk now. */
export interface Target {
  readonly folder: ToolFolder;
  /** As recorded: relative to the folder. */
  readonly path: string;
  readonly absolute: string;
  readonly stat: FileStat | undefined;
  /** Undefined where nothing is. */
  readonly bytes: Uint8Array | undefined;
}

const untouched = 'Nothing was written.';

/** The folder that holds a path, the deepest one; links on the way are followed, as any program would. Throws `Refused`. */
export function place(host: Pick<ToolHost, 'files' | 'folders' | 'whyNone'>, named: string): { readonly folder: ToolFolder; readonly path: string } {
  if (named.includes('\0')) throw new Refused('input', `A path can't hold a null character. ${untouched}`);
  const folders = host.folders();
  const [first] = folders;
  if (first === undefined) throw new Refused('notRecording', `Not recording: ${host.whyNone} ${untouched}`);
  let reason = 'it is outside the root';
  const bases = isAbsolute(named) ? [named] : folders.map(({ store }) => resolve(store.identity.path, named));
  const found = bases.flatMap(absolute => {
    const holding = folders.flatMap(folder => {
      const located = locate(host.files, folder.store.identity.path, absolute);
      if (located.kind === 'outside') reason = located.reason;
      return located.kind === 'inside' ? [{ folder, path: located.path }] : [];
    });
    return holding.sort((a, b) => b.folder.store.identity.path.length - a.folder.store.identity.path.length).slice(0, 1);
  });
  // Of a relative path in several folders the one counts that is there.
  const there = found.find(({ folder, path }) => host.files.stat(join(folder.store.identity.path, path)) !== undefined) ?? found[0];
  if (there !== undefined) return there;
  const where = folders.map(({ store }) => store.identity.path).join(', ');
  throw new Refused('outside', `${named} can't be changed: ${reason === 'it is outside the root' ? `it is outside ${where}` : reason}. ${untouched} Give a path inside ${where}.`);
}

/**
 * Finds what a model named, and refuses what is never written or could not be brought back. A name itself is meant where the file
 * is to go from it: a link is not what it points to.
 */
export function findTarget(host: ToolHost, named: string, meansName = false): Target {
  const { folder, path } = place(host, named);
  const itself = resolve(folder.store.identity.path, named);
  if (meansName && host.files.stat(itself)?.kind === 'link') throw new Refused('notFile', `${named} is a link. ${untouched} These tools change files only.`);
  return lookAt(host, folder, path);
}

/** The same look at a path that is known already: just before it is written. */
export function lookAt(host: ToolHost, folder: ToolFolder, path: string): Target {
  const { files } = host;
  const live = liveTarget(files, folder.store.identity.path, path);
  if (live.kind === 'refused') throw new Refused('outside', `${path} can't be changed: ${live.reason}. ${untouched}`);
  const { absolute } = live;
  if (folder.store.owns(absolute)) throw new Refused('outside', `${path} can't be changed: it is in Turnstone's own storage. ${untouched}`);
  if (host.workspace.unsaved().has(absolute)) throw new Refused('unsaved', `${path} has unsaved changes in an editor. ${untouched} Ask the user to save or revert it, then read it again.`);
  const stat = files.stat(absolute);
  if (stat === undefined) return { folder, path, absolute, stat, bytes: undefined };
  return { folder, path, absolute, stat, bytes: readWhole(files, path, absolute, stat) };
}

function readWhole(files: Files, path: string, absolute: string, stat: FileStat): Uint8Array {
  if (stat.kind !== 'file') throw new Refused('notFile', `${path} is ${stat.kind === 'directory' ? 'a folder' : stat.kind === 'link' ? 'a link' : 'neither a file nor a folder'}. ${untouched} These tools change files only.`);
  // What is too large is not read to find that out; it may have grown meanwhile.
  const bytes = stat.size > defaultMaxFileSize ? undefined : observeFile(files, absolute, stat, defaultMaxFileSize).bytes;
  if (bytes === undefined) throw new Refused('tooLarge', `${path} is too large to be kept (over ${defaultMaxFileSize / 1024 / 1024} MiB), so the change could not be taken back. ${untouched}`);
  return bytes;
}

/** A user who takes the right to write away means it. */
export function mustBeWritable({ path, stat }: Target): void {
  if (stat !== undefined && (stat.mode & 0o200) === 0) throw new Refused('protected', `${path} is write-protected. ${untouched}`);
}

export function mustBeThere({ path, bytes }: Target): Uint8Array {
  if (bytes === undefined) throw new Refused('notFound', `There is no file ${path}. ${untouched}`);
  return bytes;
}

/** Whether a path holds what it held before. */
export function isUnchanged(then: Target, now: Target): boolean {
  if (then.bytes === undefined || now.bytes === undefined) return then.bytes === now.bytes;
  return Buffer.compare(then.bytes, now.bytes) === 0;
}

/** What a file is made with where there is none: what any other program would give it. */
export function newFileMode(): number {
  return 0o666 & ~process.umask();
}
