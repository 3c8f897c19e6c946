import { TurnstoneError } from '../core/base/errors.ts';
import { filesNamed, patchOf } from '../core/timeline/patches.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { compareFile, type FileView } from '../core/timeline/view.ts';
import { fileJson } from './fileJson.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine } from './plainText.ts';

export function patches(store: RootStore, files: readonly FileView[]): string {
  return files.map(file => patchOf(store, file, plainLine(file.path))).join('');
}

/** `diff`: what a turn or call changed, what differs since a step, checkpoint or branch, or how two such points differ. */
export function diff(store: RootStore, id: string, second: string | undefined, path: string | undefined): Output {
  const files = filesNamed(store.timeline, id, second).filter(file => path === undefined || file.path === path);
  if (path !== undefined && files.length === 0) throw new TurnstoneError('notFound', `${id} did not change ${path}.`);
  return {
    json: { files: files.map(file => fileJson(store.identity.path, compareFile(file, store.blobs, 3))) },
    text: patches(store, files).trimEnd(),
    exitCode: exitCodes.done,
  };
}
