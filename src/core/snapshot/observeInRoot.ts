import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { observe, type Observation } from './observe.ts';
import { hasObstacle, type RelativePath } from './paths.ts';
import { absent } from './state.ts';

/** Looks at a recorded path. A folder above it that became a link is not followed: a look at all files doesn't either, and what is behind it has a name of its own, or is not the root's. */
export function observeInRoot(files: Files, root: string, path: RelativePath, maxFileSize: number): Observation {
  return hasObstacle(files, root, path) ? { state: absent } : observe(files, join(root, path), maxFileSize);
}
