import type { CountedFile } from '../core/timeline/view.ts';

/** One changed file as `--json` shows it. */
export function fileJson(root: string, file: CountedFile, withHunks: boolean): unknown {
  const { path, status, added, removed, state } = file;
  const hunks = file.hunks.map(({ id, oldStart, oldLines, newStart, newLines, lines }) => ({ id, oldStart, oldLines, newStart, newLines, lines, state }));
  return { root, path, status, added, removed, state, ...(withHunks ? { hunks } : {}) };
}
