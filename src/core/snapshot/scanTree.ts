import { posix, win32 } from 'node:path';
import type { Files } from '../base/files.ts';
import type { IgnoreRules } from './ignoreRules.ts';
import type { RelativePath } from './paths.ts';
import type { State } from './state.ts';
import type { TreeCache } from './treeCache.ts';
import { TreeWalk } from './treeWalk.ts';

export interface ScanOptions {
  /** What the last look knew. */
  readonly cache: TreeCache | undefined;
  readonly rules: IgnoreRules;
  /** Bytes; the content of a larger file is not kept, only its hash is known. */
  readonly maxFileSize: number;
  /** Milliseconds; for the racy rule and the budget. */
  readonly now: () => number;
  /** Milliseconds; when they are over the scan stops and says so. */
  readonly budget: number;
  /** The store itself, other known roots below this one. */
  readonly leavesOut: (absolute: string) => boolean;
  /** Takes a content that the cache did not know; false: over the limit of copied content, then only its hash is known (`oversize`), and the path is uncovered. */
  readonly keep: (hash: string, bytes: Uint8Array) => boolean;
  /** The user's home directory, which is never walked as a root; the system's answer unless told. */
  readonly home?: string | undefined;
}

/** `before` is absent where the last look knew that nothing was there, `after` where it is gone. */
export interface TreeChange {
  readonly path: RelativePath;
  readonly before: State;
  readonly after: State;
}

/** A folder, by its permission bits, undefined where there was, or is, none. The empty path is the root, which neither comes nor goes. */
export interface FolderChange {
  readonly path: RelativePath;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A path or a folder, relative to the root, '' for the root. */
export interface Uncovered {
  readonly path: RelativePath;
  readonly reason: string;
}

export interface TreeScan {
  readonly cache: TreeCache;
  /** Against the last look; none where this is the first. */
  readonly changes: readonly TreeChange[];
  /** The folders that came, went, or have other permissions, likewise. */
  readonly folders: readonly FolderChange[];
  readonly uncovered: readonly Uncovered[];
  /** False where the budget ended the scan, or nothing could be looked at. */
  readonly isComplete: boolean;
  readonly isFirst: boolean;
}

/** Whether a root is a home directory, a drive or a file system, or a folder around a home directory: far more than a project. */
export function isTooWide(root: string, home: string): boolean {
  const isWindows = /^([A-Za-z]:|\\\\)/.test(root);
  const plain = (path: string): string => (isWindows ? win32.normalize(path).toLowerCase() : path).replace(/[\\/]+$/, '');
  const top = isWindows ? win32.parse(win32.normalize(root)).root : posix.parse(root).root;
  const [own, its] = [plain(root), plain(home)];
  return own === plain(top) || own === '' || its === own || its.startsWith(`${own}${isWindows ? '\\' : '/'}`);
}

function homeOf({ home }: ScanOptions): string {
  return home ?? process.getBuiltinModule('node:os').homedir();
}

/** Looks at all of a root's covered tree, and tells how it differs from the last look. */
export function scanTree(files: Files, root: string, options: ScanOptions): TreeScan {
  const walk = new TreeWalk(files, root, options);
  return isTooWide(root, homeOf(options)) ? walk.refused('a home directory, a drive or a whole file system is never looked through') : walk.scan();
}

/** The hash of a content that is on one side of a change only. */
function loneHash(here: State, there: State): string | undefined {
  return there.kind === 'absent' && (here.kind === 'content' || here.kind === 'oversize') ? here.hash : undefined;
}

function byHash(changes: readonly TreeChange[], hashOf: (change: TreeChange) => string | undefined): ReadonlyMap<string, readonly RelativePath[]> {
  const paths = new Map<string, RelativePath[]>();
  for (const change of changes) {
    const hash = hashOf(change);
    if (hash !== undefined) paths.set(hash, [...(paths.get(hash) ?? []), change.path]);
  }
  return paths;
}

/** What looks like a file that was moved: it is gone here and new there, with the same content, and no other pair is as likely. For display only. */
export function movesIn(changes: readonly TreeChange[]): readonly { readonly from: RelativePath; readonly to: RelativePath }[] {
  const gone = byHash(changes, ({ before, after }) => loneHash(before, after));
  const made = byHash(changes, ({ before, after }) => loneHash(after, before));
  return [...gone].flatMap(([hash, sources]) => {
    const targets = made.get(hash) ?? [];
    if (sources.length === 1 && targets.length === 1) return [{ from: sources[0] as string, to: targets[0] as string }];
    return sources.flatMap(from => {
      const named = (paths: readonly RelativePath[]): readonly RelativePath[] => paths.filter(path => posix.basename(path) === posix.basename(from));
      const [to, ...others] = named(targets);
      return to !== undefined && others.length === 0 && named(sources).length === 1 ? [{ from, to }] : [];
    });
  });
}
