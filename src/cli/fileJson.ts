import type { ComparedFile, CountedFile } from '../core/timeline/view.ts';

/** One changed file as `--json` shows it, with its hunks where they were looked for. */
export function fileJson(root: string, file: CountedFile | ComparedFile): unknown {
  const { path, status, added, removed, state } = file;
  const hunks = 'hunks' in file ? { hunks: file.hunks.map(({ id, oldStart, oldLines, newStart, newLines, lines }) => ({ id, oldStart, oldLines, newStart, newLines, lines, state })) } : {};
  return { root, path, status, added, removed, state, ...hunks };
}
