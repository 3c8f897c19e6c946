import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { messageOf, systemCode } from '../base/errors.ts';
import type { FileKind, FileStat, Files } from '../base/files.ts';

/** A path that is recorded: relative to its root, with `/` on every platform. */
export type RelativePath = string;

const linkDepth = 40;

/** The path with every link in it followed; parts that don't exist stay as they are named. */
export function canonicalPath(files: Files, path: string, depth = 0): string {
  const stat = files.stat(path);
  if (stat === undefined) {
    const parent = dirname(path);
    return parent === path ? path : join(canonicalPath(files, parent, depth), basename(path));
  }
  try {
    return files.realPath(path);
  } catch (error) {
    // A dangling link: a write through it makes what it points to.
    if (stat.kind !== 'link' || systemCode(error) !== 'ENOENT' || depth >= linkDepth) throw error;
    return canonicalPath(files, resolve(dirname(path), files.readLink(path)), depth + 1);
  }
}

// `GIT~1` is the short name that Windows gives to `.git`.
const gitNames = new Set(['.git', 'git~1']);

/** Why a recorded path may never be touched, whatever is on the disk; undefined for a sound one. */
export function unsoundPath(path: RelativePath): string | undefined {
  if (path === '' || path.includes('\0')) return 'it names nothing';
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)) return 'it is outside the root';
  // Elsewhere these are ordinary characters of a name.
  if (sep === '\\' && /[\\:]/.test(path)) return 'it is outside the root';
  const parts = path.split('/');
  if (parts.some(part => part === '' || part === '.' || part === '..')) return 'it is outside the root';
  if (parts.some(part => gitNames.has(part.toLowerCase().replace(/[. ]+$/, '')) || part.toLowerCase() === '.git')) return 'it is in .git';
  return undefined;
}

export function isSoundPath(path: unknown): path is RelativePath {
  return typeof path === 'string' && unsoundPath(path) === undefined;
}

export type Located =
  | { readonly kind: 'inside'; readonly path: RelativePath }
  /** Readable evidence at most; never written by us. */
  | { readonly kind: 'outside'; readonly reason: string };

/** Where in the root the file is that a tool names; links are followed, as the tool does. */
export function locate(files: Files, root: string, path: string): Located {
  let canonical: string;
  try {
    canonical = canonicalPath(files, path);
  } catch (error) {
    return { kind: 'outside', reason: `it can't be followed (${systemCode(error) ?? messageOf(error)})` };
  }
  const inside = relative(root, canonical);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return { kind: 'outside', reason: 'it is outside the root' };
  const recorded = inside.split(sep).join('/');
  const reason = unsoundPath(recorded);
  return reason === undefined ? { kind: 'inside', path: recorded } : { kind: 'outside', reason };
}

/** What is no folder, where a path has one. */
export interface Obstacle {
  readonly path: RelativePath;
  readonly kind: Exclude<FileKind, 'directory'>;
}

export type LiveTarget =
  | { readonly kind: 'target'; readonly absolute: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly obstacle?: Obstacle };

function statOrReason(files: Files, path: string): FileStat | undefined | string {
  try {
    return files.stat(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return `a folder on its way can't be read (${systemCode(error)})`;
  }
}

export function whyRefused(obstacle: Obstacle['kind']): string {
  return obstacle === 'link' ? 'a folder on its way is a link now' : 'a file is where its folder was';
}

/** The absolute path to write for a recorded one, checked against the disk as it is now: no link on the way out. */
export function liveTarget(files: Files, root: string, path: RelativePath): LiveTarget {
  const reason = unsoundPath(path);
  if (reason !== undefined) return { kind: 'refused', reason };
  for (const parent of parentsOf(path)) {
    const stat = statOrReason(files, join(root, parent));
    if (typeof stat === 'string') return { kind: 'refused', reason: stat };
    if (stat === undefined || stat.kind === 'directory') continue;
    return { kind: 'refused', reason: whyRefused(stat.kind), obstacle: { path: parent, kind: stat.kind } };
  }
  return { kind: 'target', absolute: join(root, path) };
}

/** Whether something else is where a folder above a path would be: nothing is there under this name, whatever is behind a link. */
export function hasObstacle(files: Files, root: string, path: RelativePath): boolean {
  const live = liveTarget(files, root, path);
  return live.kind === 'refused' && live.obstacle !== undefined;
}

/** The folders above a path, outermost first. */
export function parentsOf(path: RelativePath): readonly RelativePath[] {
  return path.split('/').slice(0, -1).map((_, index, parts) => parts.slice(0, index + 1).join('/'));
}

/** The folders above a path that don't exist, outermost first: nothing is there, or a file that has to give way to them. */
export function missingParents(files: Files, root: string, path: RelativePath): readonly RelativePath[] {
  return parentsOf(path).filter(parent => {
    const stat = statOrReason(files, join(root, parent));
    return stat === undefined || (typeof stat !== 'string' && stat.kind === 'file');
  });
}
