import { writingItems } from '../core/rewind/intent.ts';
import type { PlanItem } from '../core/rewind/plan.ts';
import type { Part } from '../core/rewind/restore.ts';
import type { KnownFolder } from './knownFolder.ts';
import { shortPath } from './places.ts';
import { nameOf } from './words.ts';

/** What a restore would do in one folder. */
export interface FolderPlan extends Pick<Part, 'plan'> {
  readonly folder: KnownFolder;
  /** What its files go by in dialogs; undefined for the folder in which the restore was asked for, whose files need no more than their names. */
  readonly label: string | undefined;
}

/** A plan over all folders that it concerns, as dialogs tell it. */
export interface RestorePlan {
  readonly parts: readonly FolderPlan[];
  /** Folders whose history can't be read: whether they are concerned nobody can tell. */
  readonly unreadable: readonly string[];
}

/** One file of a plan. The same path may be in two folders. */
export interface RestoreFile {
  readonly part: FolderPlan;
  readonly item: PlanItem;
}

/** Names the folders of a plan apart from each other, and from the one in which it was asked for. */
export function folderPlans(home: KnownFolder, parts: readonly { readonly folder: KnownFolder; readonly plan: Part['plan'] }[]): readonly FolderPlan[] {
  const names = [home, ...parts.map(({ folder }) => folder).filter(({ root }) => root.key !== home.root.key)].map(({ name }) => name);
  return parts.map(({ folder, plan }) => {
    if (folder.root.key === home.root.key) return { folder, plan, label: undefined };
    const isOnly = names.filter(name => name === folder.name).length === 1;
    return { folder, plan, label: isOnly ? folder.name : shortPath(folder.root.path) };
  });
}

/** The files that a plan writes. */
export function writingFiles({ parts }: RestorePlan): readonly RestoreFile[] {
  return parts.flatMap(part => writingItems(part.plan).map(item => ({ part, item })));
}

export function conflictFiles({ parts }: RestorePlan): readonly RestoreFile[] {
  return parts.flatMap(part => part.plan.items.filter(({ action }) => action === 'conflict').map(item => ({ part, item })));
}

/** "app.ts", or "library · app.ts" in another folder than the one in which the restore was asked for. */
export function fileName({ part, item }: RestoreFile): string {
  return part.label === undefined ? nameOf(item.path) : `${part.label} · ${nameOf(item.path)}`;
}

/** Tells a file apart from those of the same path in other folders. No key of a folder holds a slash. */
export function fileKey(path: string, root: string): string {
  return `${root}/${path}`;
}

/** What a plan would do, to tell whether it is still what the user agreed to. */
export function signature(parts: readonly Part[]): string {
  return JSON.stringify(parts.map(({ context, plan }) => [context.store.identity.key, plan.items.map(({ path, action, before, after }) => [path, action, before, after])]));
}
