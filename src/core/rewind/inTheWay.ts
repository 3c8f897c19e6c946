import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { parentsOf, unsoundPath, whyRefused, type Obstacle } from '../snapshot/paths.ts';
import type { DirectoryEntry } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { PathGoal } from './goals.ts';
import type { PlanContext, PlanItem } from './plan.ts';
import type { Selection } from './selection.ts';
import { sightOf, type Sight } from './sight.ts';

/** What keeps a file from its place, or from being looked at. */
export interface Hindrance extends Pick<PlanItem, 'reason' | 'overridable'> {
  readonly action: 'conflict' | 'unavailable';
}

/** What a plan takes away itself, and what it decided of the paths that nothing is in the way of. */
export interface Ground {
  readonly items: ReadonlyMap<string, PlanItem>;
  /** The folders that what is undone had brought. */
  readonly emptied: ReadonlySet<string>;
}

export function groundOf(items: readonly PlanItem[], { emptied }: Selection): Ground {
  return { items: new Map(items.map(one => [one.path, one])), emptied: new Set(emptied.map(({ path }) => path)) };
}

interface FolderInTheWay {
  /** It, and the folders in it. */
  readonly folders: readonly DirectoryEntry[];
  /** Something in it that the plan does not delete: it stays, and the folder with it. */
  readonly held: string | undefined;
  /** There are folders that no record knows, and that never held what the plan deletes: they are empty, and somebody's. */
  readonly isSomebodys: boolean;
}

/** What is in a folder that stands where a file is to be. */
function folderInTheWay({ files, store }: PlanContext, path: string, { items, emptied }: Ground): FolderInTheWay {
  const folders: DirectoryEntry[] = [];
  let held: string | undefined;
  let isSomebodys = false;
  /** Returns whether the plan deletes anything in it. */
  const enter = (folder: string): boolean => {
    const absolute = join(store.identity.path, folder);
    const stat = files.stat(absolute);
    if (stat?.kind !== 'directory' || store.owns(absolute) || unsoundPath(folder) !== undefined) {
      held ??= folder;
      return false;
    }
    folders.push({ path: folder, mode: stat.mode });
    let loses = false;
    for (const name of files.readDirectory(absolute)) {
      const inner = `${folder}/${name}`;
      if (items.get(inner)?.action === 'delete' || enter(inner)) loses = true;
      if (held !== undefined) return loses;
    }
    isSomebodys ||= !loses && !emptied.has(folder);
    return loses;
  };
  try {
    enter(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    held ??= path;
  }
  return { folders, held, isSomebodys };
}

/** The folders that stand where the plan's files are to be; undefined where there is something in them that stays. */
export function foldersInTheWay(context: PlanContext, items: readonly PlanItem[], ground: Ground): readonly DirectoryEntry[] | undefined {
  const folders: DirectoryEntry[] = [];
  for (const { path, action } of items) {
    if (action !== 'create') continue;
    const sight = sightOf(context, path);
    if (sight.kind === 'refused' || !sight.isFolder) continue;
    const found = folderInTheWay(context, path, ground);
    if (found.held !== undefined) return undefined;
    folders.push(...found.folders);
  }
  return folders;
}

function behindObstacle({ goal, expected }: PathGoal, { items }: Ground, { path, kind }: Obstacle): Hindrance | undefined {
  const above = items.get(path);
  if (above?.action === 'delete') return undefined;
  const goes = goal.kind === 'absent';
  // On record it is gone, or it went when the plan's own file came.
  if (goes && (expected.kind === 'absent' || above !== undefined)) return undefined;
  const isWork = above === undefined ? kind === 'file' && !goes : above.action !== 'unavailable';
  return { action: isWork ? 'conflict' : 'unavailable', reason: whyRefused(kind), overridable: false };
}

/**
 * What is in the way of a file: a folder where it is to be, or something else where a folder is to be that it is in. Undefined where that goes
 * with the same plan.
 */
export function hindranceOf(context: PlanContext, goal: PathGoal, sight: Sight, ground: Ground): Hindrance | undefined {
  if (sight.kind === 'refused') return { action: 'unavailable', reason: sight.reason, overridable: false };
  if (sight.obstacle !== undefined) return behindObstacle(goal, ground, sight.obstacle);
  if (!sight.isFolder || goal.goal.kind === 'absent') return undefined;
  const { held, isSomebodys } = folderInTheWay(context, goal.path, ground);
  if (held !== undefined) return { action: 'conflict', reason: held === goal.path ? 'a folder is there now' : `a folder is there now, and ${held} in it stays`, overridable: false };
  return isSomebodys ? { action: 'conflict', reason: 'a folder is there now', overridable: true } : undefined;
}

/** Where two files are to come of which one is in a folder of the other's name, that one comes, and the other is the user's to decide. */
export function untangled(items: readonly PlanItem[]): readonly PlanItem[] {
  const needed = new Set(items.filter(({ action }) => action === 'create').flatMap(({ path }) => parentsOf(path)));
  return items.map(item => (item.action === 'create' && needed.has(item.path) ? { ...item, action: 'conflict', reason: 'other files are to be in a folder there', overridable: false } : item));
}

type IntentPath = RecordOf<'restore.intent'>['paths'][number];

/** The steps of a restore, each of which makes way for the next. */
export interface Steps {
  /** Deletions of what stands where a folder is to be, or is in a folder that stands where a file is to be. */
  readonly clearing: readonly IntentPath[];
  /** Those folders. */
  readonly cleared: DirectoryEntry[];
  /** Folders that the files need, or that had been removed empty. */
  readonly folders: ReadonlySet<string>;
  readonly others: readonly IntentPath[];
  /** Folders that go if nothing is left in them. */
  readonly emptied: DirectoryEntry[];
}

/** The order is told by the intent alone, so that whoever finishes it keeps to the same. */
export function stepsOf({ paths, made, emptied }: Pick<RecordOf<'restore.intent'>, 'paths' | 'made' | 'emptied'>): Steps {
  const files = new Set(paths.filter(({ after }) => after.kind !== 'absent').map(({ path }) => path));
  const isAtOrBelowFile = ({ path }: { readonly path: string }): boolean => files.has(path) || parentsOf(path).some(parent => files.has(parent));
  const folders = new Set([...made.filter(folder => !isAtOrBelowFile(folder)).flatMap(({ path }) => [...parentsOf(path), path]), ...[...files].flatMap(parentsOf)]);
  const isInTheWay = (planned: IntentPath): boolean => planned.after.kind === 'absent' && (folders.has(planned.path) || isAtOrBelowFile(planned));
  return {
    clearing: paths.filter(isInTheWay),
    cleared: emptied.filter(isAtOrBelowFile),
    folders,
    others: paths.filter(planned => !isInTheWay(planned)),
    emptied: emptied.filter(folder => !isAtOrBelowFile(folder)),
  };
}
