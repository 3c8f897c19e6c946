import { TurnstoneError } from '../base/errors.ts';
import type { FileStat, Files } from '../base/files.ts';
import type { Workspace } from '../base/workspace.ts';
import { asFile, modeOf, sameContent, type State } from '../snapshot/state.ts';
import type { DirectoryEntry } from '../timeline/model.ts';
import type { RootStore } from '../timeline/store.ts';
import { foldersInTheWay, groundOf, hindranceOf, untangled, type Ground, type Hindrance } from './inTheWay.ts';
import { mergeBytes } from './merge.ts';
import type { PathGoal } from './goals.ts';
import type { Selection } from './selection.ts';
import { lookWhole, sightOf, type Sight } from './sight.ts';

/** What a user wants done where a path holds work that is not being undone. */
export type OnConflict = 'stop' | 'skip' | 'merge' | 'overwrite';

export type PlanAction = 'restore' | 'create' | 'delete' | 'merge' | 'unchanged' | 'conflict' | 'unavailable';

export interface PlanItem {
  readonly path: string;
  readonly action: PlanAction;
  readonly reason: string | undefined;
  /** What is there now, and what is to be there. */
  readonly before: State;
  readonly after: State;
  /** The bytes to write, where they are not in the store yet: a merge's result. */
  readonly merged: Uint8Array | undefined;
  /** The file has other names, or an owner or group, that a new file in its place would not have. */
  readonly inPlace: boolean;
  /** A document of this editor holds unsaved text that the user gave up. */
  readonly throughEditor: boolean;
  /** Whether the user may decide to replace what is there. */
  readonly overridable: boolean;
}

/** What a restore would do, before anything is written. The same object is executed. */
export interface Plan {
  readonly selection: Selection;
  /** The journal's end that it was made at. */
  readonly seq: number;
  readonly items: readonly PlanItem[];
  /** Folders that stand where files are to be, and hold nothing but what the plan deletes. */
  readonly cleared: readonly DirectoryEntry[];
  /** Conflicts that stop the whole restore: nothing is written while there is one. */
  readonly blocked: boolean;
  /** Things worth knowing that stop nothing. */
  readonly warnings: readonly string[];
}

/** The calls that run in this process: a restore that takes them back stops them first. */
export interface RunningHere {
  has(call: string): boolean;
  /** Tells calls to stop, and waits until they have; false where none of them runs here. */
  stop(calls: readonly string[], reason: unknown): Promise<boolean>;
}

export interface PlanContext {
  readonly files: Files;
  readonly store: RootStore;
  readonly workspace: Workspace;
  /** The same for another folder that a restore names; undefined where its history is gone. Missing where there is only one folder. */
  readonly sister?: (root: { readonly key: string; readonly store: string }) => PlanContext | undefined;
  /** Records what calls that say nothing of what they change, and have not ended, have done so far; missing where nobody can look. Throws where that fails: then nothing is taken back of it. */
  readonly lookAround?: () => Promise<void>;
  /** Missing where no calls are run. */
  readonly running?: RunningHere | undefined;
}

/** The user's decision for a path of a folder: `root` is its key, for one restore may have the same path in two. */
export type Decide = (path: string, root: string) => OnConflict;

interface Look {
  readonly absolute: string;
  /** What is there as a file. */
  readonly now: State;
  readonly hindrance: Hindrance | undefined;
}

type Verdict = Pick<PlanItem, 'action' | 'reason'> & Partial<Pick<PlanItem, 'after' | 'merged' | 'overridable' | 'throughEditor'>>;

function unavailableReason(goal: State, store: RootStore): string | undefined {
  switch (goal.kind) {
    case 'absent':
    case 'link':
    case 'directory':
      return undefined;
    case 'content':
      return store.blobs.has(goal.hash) ? undefined : 'its content is not in the store any more';
    case 'oversize':
      return 'it was too large to be kept';
    case 'special':
      return 'it was neither a file nor a link';
    case 'unreadable':
      return `it could not be read when it was recorded (${goal.reason})`;
  }
}

function write(goal: State, now: State): PlanAction {
  if (goal.kind === 'absent') return 'delete';
  return now.kind === 'absent' ? 'create' : 'restore';
}

/** The state to bring, with the permissions that nobody but the undone calls has changed. */
function withMode({ goal, expected, keepsMode }: PathGoal, now: State): State {
  const mine = modeOf(now);
  if (goal.kind !== 'content' || mine === undefined || (mine === modeOf(expected) && !keepsMode)) return goal;
  return { ...goal, mode: mine };
}

function conflict(reason: string, overridable = true): Verdict {
  return { action: 'conflict', reason, overridable };
}

/** Judges one path by what is on the disk and in the editors now. */
function judge(context: PlanContext, goal: PathGoal, { absolute, now, hindrance }: Look): Verdict {
  const unsaved = context.workspace.unsaved().get(absolute);
  if (unsaved !== undefined) {
    const where = unsaved.owner === 'here' ? 'it has unsaved changes in the editor' : 'it has unsaved changes in another window';
    return { ...conflict(where, unsaved.owner === 'here'), throughEditor: unsaved.owner === 'here' };
  }
  if (now.kind === 'unreadable') return { action: 'unavailable', reason: `it can't be read (${now.reason})` };
  if (now.kind === 'special') return { action: 'unavailable', reason: 'it is neither a file nor a link now' };
  if (sameContent(now, goal.goal)) {
    const untouched = !goal.keepsMode && modeOf(now) === modeOf(goal.expected) && modeOf(now) !== modeOf(goal.goal);
    if (now.kind === 'content' && untouched && sameContent(now, goal.expected)) return { action: 'restore', reason: 'permissions only' };
    return { action: 'unchanged', reason: undefined };
  }
  if (goal.stays !== undefined) return { action: 'unchanged', reason: goal.stays };
  const missing = unavailableReason(goal.goal, context.store);
  if (missing !== undefined) return { action: 'unavailable', reason: missing };
  if (hindrance !== undefined) return hindrance;
  if (goal.foreign !== undefined) return conflict(goal.foreign);
  if (!sameContent(now, goal.expected)) return conflict(now.kind === 'absent' ? 'it was deleted since' : 'it was changed since');
  return { action: write(goal.goal, now), reason: undefined };
}

/** What becomes of a conflict by the user's decision. */
function decide(context: PlanContext, goal: PathGoal, { absolute, now }: Look, verdict: Verdict, decision: OnConflict): Verdict {
  if (verdict.action !== 'conflict') return verdict;
  // What else is in a folder has no part in this, and the text of another window's editor nobody here knows.
  if (verdict.overridable !== true) return verdict;
  if (decision === 'overwrite') {
    const missing = unavailableReason(goal.goal, context.store);
    if (missing !== undefined) return { action: 'unavailable', reason: missing };
    return { ...verdict, action: write(goal.goal, now), reason: `${verdict.reason}; what is there is kept in the store` };
  }
  if (decision === 'merge' && goal.base?.kind === 'content' && goal.goal.kind === 'content' && now.kind === 'content' && verdict.throughEditor !== true) {
    const mine = lookWhole(context.files, absolute).bytes;
    const merged = mine === undefined ? undefined : mergeBytes(context.store.blobs.read(goal.base.hash), mine, context.store.blobs.read(goal.goal.hash));
    if (merged === undefined) return { ...verdict, reason: `${verdict.reason}; the two changes overlap` };
    if (merged.hash === now.hash) return { action: 'unchanged', reason: `${verdict.reason}; nothing of what goes is in it` };
    return { action: 'merge', reason: verdict.reason, merged: merged.bytes, after: { kind: 'content', hash: merged.hash, mode: now.mode, size: merged.bytes.length } };
  }
  return verdict;
}

// A new file is its maker's. Whose file it is, is nothing that a restore may change, and giving files away is the superuser's.
function isOfOthers({ owner, group }: FileStat): boolean {
  const [user, own] = [process.geteuid?.(), process.getegid?.()];
  return user !== undefined && (owner !== user || group !== own);
}

/** Whether a new file in its place would not be the same one to others; undefined where nobody can tell. */
export function mustStay(files: Files, absolute: string): boolean | undefined {
  try {
    const stat = files.stat(absolute);
    return stat === undefined ? undefined : stat.links > 1 || isOfOthers(stat);
  } catch {
    return undefined;
  }
}

/** What a path is to become as a file; a folder that was there is made for itself. */
function asFileGoal(goal: PathGoal): PathGoal {
  return { ...goal, goal: asFile(goal.goal), expected: asFile(goal.expected) };
}

function item(context: PlanContext, goal: PathGoal, sight: Sight, hindrance: Hindrance | undefined, decision: OnConflict): PlanItem {
  const fallback = { path: goal.path, before: goal.expected, after: goal.goal, merged: undefined, inPlace: false, throughEditor: false, overridable: false };
  if (sight.kind === 'refused') return { ...fallback, action: 'unavailable', reason: sight.reason };
  const { absolute, now } = sight;
  if (context.store.owns(absolute)) return { ...fallback, action: 'unavailable', reason: "it is in Turnstone's own storage" };
  if (hindrance?.action === 'unavailable') return { ...fallback, action: 'unavailable', reason: hindrance.reason };
  const look = { absolute, now, hindrance };
  const verdict = decide(context, goal, look, judge(context, goal, look), decision);
  const stays = now.kind === 'content' ? mustStay(context.files, absolute) : false;
  if (stays === undefined) return { ...fallback, action: 'unavailable', reason: "it can't be read" };
  return { ...fallback, before: now, after: withMode(goal, now), ...verdict, inPlace: stays && verdict.action !== 'delete' };
}

/** What only can be judged when it is known what the plan takes away. */
function isHindered(sight: Sight): boolean {
  return sight.kind === 'seen' && (sight.isFolder || sight.obstacle !== undefined);
}

function itemsOf(context: PlanContext, selection: Selection, decided: (path: string) => OnConflict): { readonly items: readonly PlanItem[]; readonly ground: Ground } {
  const seen = selection.goals.map(asFileGoal).map(goal => ({ goal, sight: sightOf(context, goal.path) }));
  const free = seen.filter(({ sight }) => !isHindered(sight)).map(({ goal, sight }) => item(context, goal, sight, undefined, decided(goal.path)));
  const ground = groundOf(free, selection);
  const hindered = seen.filter(({ sight }) => isHindered(sight)).map(({ goal, sight }) => item(context, goal, sight, hindranceOf(context, goal, sight, ground), decided(goal.path)));
  return { items: untangled([...free, ...hindered]).toSorted((a, b) => (a.path < b.path ? -1 : 1)), ground };
}

/** Folders that were where files are now: their permissions are known, and they come back also where nothing was in them. */
function foldersAt({ goals, made }: Selection, items: readonly PlanItem[]): readonly DirectoryEntry[] {
  const goes = new Set(items.filter(({ action }) => action === 'delete' || action === 'unchanged').map(({ path }) => path));
  return goals.flatMap(({ path, goal }) => (goal.kind === 'directory' && goes.has(path) && !made.some(known => known.path === path) ? [{ path, mode: goal.mode }] : []));
}

/** Makes the plan. Reads the disk and the store, writes nothing. */
export function makePlan(context: PlanContext, selection: Selection, decideFor: Decide, warnings: readonly string[] = []): Plan {
  const { store } = context;
  if (store.damage !== undefined) throw new TurnstoneError('damaged', store.damage);
  const decided = (path: string): OnConflict => decideFor(path, store.identity.key);
  const { items, ground } = itemsOf(context, selection, decided);
  // Leaving a conflict alone is a decision; anything else that did not resolve it stops the restore.
  const blocked = items.some(({ action, path }) => action === 'conflict' && decided(path) !== 'skip');
  const made = [...selection.made, ...foldersAt(selection, items)];
  return { selection: { ...selection, made }, seq: store.timeline.seq, items, cleared: foldersInTheWay(context, items, ground) ?? [], blocked, warnings: [...warnings, ...(selection.notes ?? [])] };
}
