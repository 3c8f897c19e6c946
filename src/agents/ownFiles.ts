import type { Files } from '../core/base/files.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';
import { readSettings, type FileChange, type HookChange } from './hookFiles.ts';

/** A file that holds nothing but Turnstone's, for an agent that runs or loads whatever lies in a folder. */
export interface OwnFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** Tells what Turnstone wrote, this version or an earlier one, from everybody else's, and from what somebody has changed since. */
export type IsOwnText = (text: string) => boolean;

/** Plans to put the files there. Where one of them is somebody else's, all of it is refused. */
export function planOwnFiles(files: Files, settings: string, wanted: readonly OwnFile[], isOwn: IsOwnText): HookChange {
  const changes: FileChange[] = [];
  for (const { path: named, text: after, mode } of wanted) {
    const path = canonicalPath(files, named);
    const found = readSettings(files, path);
    if (found.kind === 'unusable') return { kind: 'refused', path, reason: found.reason };
    const { text: before } = found;
    if (before !== undefined && !isOwn(before)) return { kind: 'refused', path, reason: `${path} is not Turnstone's, or was changed since. It was left as it is, and nothing was written; move it away first.` };
    const lacks = before === undefined ? 0 : mode & 0o100 & ~(files.stat(path)?.mode ?? mode);
    if (lacks !== 0) return { kind: 'refused', path, reason: `${path} can't be run any more. Nothing was changed; remove it, or make it executable.` };
    if (before !== after) changes.push({ path, before, after, mode });
  }
  return changes.length === 0 ? { kind: 'none', path: settings } : { kind: 'change', path: settings, files: changes };
}

/** Plans to take the files away, as far as they are Turnstone's. */
export function planWithoutOwnFiles(files: Files, settings: string, paths: readonly string[], isOwn: IsOwnText): HookChange {
  const changes = paths.flatMap((named): readonly FileChange[] => {
    const path = canonicalPath(files, named);
    const before = ownText(files, path, isOwn);
    return before === undefined ? [] : [{ path, before, after: undefined }];
  });
  return changes.length === 0 ? { kind: 'none', path: settings } : { kind: 'change', path: settings, files: changes };
}

/** The text of a file of Turnstone's; undefined where there is none, or somebody else's. */
export function ownText(files: Files, named: string, isOwn: IsOwnText): string | undefined {
  const found = readSettings(files, canonicalPath(files, named));
  return found.kind === 'text' && found.text !== undefined && isOwn(found.text) ? found.text : undefined;
}
