import type { BlobStore } from '../core/snapshot/blobs.ts';
import type { State } from '../core/snapshot/state.ts';
import type { Counts } from '../core/timeline/evidence.ts';
import { countFile, type FileView } from '../core/timeline/view.ts';

const limit = 5000;
const known = new Map<string, Counts>();

function name(state: State): string {
  return state.kind === 'content' ? state.hash : state.kind;
}

/**
 * A file's counts of lines. The tree asks for them at every change of the history, and two contents never
 * differ otherwise than they did the first time.
 */
export function countsOf(file: FileView, blobs: BlobStore): Counts {
  const key = `${name(file.before)} ${name(file.after)}`;
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const { added, removed, kind } = countFile(file, blobs);
  // "none" may only mean that a content could not be read just now.
  if (kind !== 'none') known.set(key, { added, removed, kind });
  const oldest = known.keys().next().value;
  if (known.size > limit && oldest !== undefined) known.delete(oldest);
  return { added, removed, kind };
}
