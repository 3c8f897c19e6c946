import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { isUnknown } from './gitRepository.ts';
import type { IgnoreRules } from './ignoreRules.ts';
import { parentsOf, type RelativePath } from './paths.ts';

/** Whether a look at all files would see what is at a path; false also where the rules for it can't be read. */
export function isCovered(files: Files, root: string, rules: IgnoreRules, leavesOut: (absolute: string) => boolean, path: RelativePath): boolean {
  try {
    let folder = rules.begin(files, root, files.readDirectory(root));
    for (const part of [...parentsOf(path), path]) {
      const absolute = join(root, part);
      const name = part.slice(part.lastIndexOf('/') + 1);
      const isDirectory = part !== path;
      if (isUnknown(folder) || name === '.git' || leavesOut(absolute) || folder.ignores(name, isDirectory)) return false;
      if (isDirectory) folder = folder.enter(name, files.readDirectory(absolute));
    }
    return true;
  } catch {
    return false;
  }
}
