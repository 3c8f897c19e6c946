import { TurnstoneError } from '../base/errors.ts';
import { sameContent } from '../snapshot/state.ts';
import { activePath, isSamePath } from '../timeline/activePath.ts';
import { isInScope, isWithin, reachOf, restoresInForce, type Reach, type Scope } from '../timeline/activity.ts';
import { findBranch } from '../timeline/branches.ts';
import { effectiveChanges } from '../timeline/chain.ts';
import type { Call, Change, DirectoryEntry, Operation, Timeline } from '../timeline/model.ts';
import { pointOf, type Point } from '../timeline/points.ts';
import type { RecordOf } from '../timeline/records.ts';
import { getsThere } from './getsThere.ts';
import { goalOf, withOpenCall, type Look, type PathGoal } from './goals.ts';
import type { Choice } from './intrusion.ts';
import { callsIn, madeBy, type Selection } from './selection.ts';

/** Folders as they were at a point: what first happened to each after it tells whether it was there. */
export function foldersBefore(calls: readonly Call[], operations: readonly Operation[]): Pick<Selection, 'emptied' | 'made'> {
  const brought = [...calls.map(call => ({ seq: call.seq, folders: madeBy([call]) })), ...operations.map(({ seq, done }) => ({ seq, folders: done?.made ?? [] }))];
  const removed = operations.map(({ seq, done }) => ({ seq, folders: done?.removed ?? [] }));
  const events = [...brought.map(event => ({ ...event, wasThere: false })), ...removed.map(event => ({ ...event, wasThere: true }))].sort((a, b) => a.seq - b.seq);
  const first = new Map<string, { readonly folder: DirectoryEntry; readonly wasThere: boolean }>();
  for (const { folders, wasThere } of events) for (const folder of folders) if (!first.has(folder.path)) first.set(folder.path, { folder, wasThere });
  const which = (wasThere: boolean): readonly DirectoryEntry[] => [...first.values()].filter(entry => entry.wasThere === wasThere).map(entry => entry.folder);
  return { emptied: which(false), made: which(true) };
}

/** Where to go, and how much of the history is taken along. */
export interface Travel {
  readonly kind: 'rewind' | 'switch' | 'fork';
  /** The turn, call, step, checkpoint or branch that was named. */
  readonly target: string;
  readonly scope: RecordOf<'restore.intent'>['scope'];
  /** By default the target's own session, where that alone gets there; a checkpoint made by hand belongs to none, and takes the whole workspace. */
  readonly reach?: RecordOf<'restore.intent'>['reach'] | undefined;
  /** Where the target is in this history, if it is named in another folder's. */
  readonly point?: Point;
}

/** What only the user changed since a point: it goes only when that is decided, and a file that is all his own stays. */
function usersOwn(path: string, changes: readonly Change[], fromSeq: number): PathGoal | undefined {
  const first = changes.find(({ seq }) => seq >= fromSeq);
  const last = changes.at(-1);
  if (first === undefined || last === undefined || sameContent(first.before, last.after)) return undefined;
  const isUsers = first.before.kind === 'absent';
  return { path, goal: first.before, expected: last.after, foreign: 'it was changed outside the recorded calls', base: undefined, keepsMode: false, isUsers };
}

/** The changes of a path, with what the disk holds by now and no record has seen. */
function withDrift(timeline: Timeline, path: string, recorded: readonly Change[], look: Look): readonly Change[] {
  const last = timeline.paths.get(path);
  const now = look(path);
  if (last === undefined || now.kind === 'unreadable' || sameContent(now, last)) return recorded;
  return [...recorded, { seq: timeline.seq + 1, path, before: last, after: now, by: { kind: 'drift' } }];
}

interface Stretch {
  readonly fromSeq: number;
  readonly reach: Reach;
  readonly calls: readonly Call[];
  readonly operations: readonly Operation[];
}

/** All that one session did from a point on; what others' restores took back of it is as if it had not been. */
function goalsOfSession(timeline: Timeline, { reach, calls, operations }: Stretch, openCalls: readonly Call[], look: Look): readonly PathGoal[] {
  const ids = new Set(calls.map(call => call.id));
  const operationIds = new Set(operations.map(operation => operation.id));
  const choice: Choice = {
    isChosen: ({ by }) => (by.kind === 'call' && ids.has(by.call)) || (by.kind === 'operation' && operationIds.has(by.operation)),
    isOwn: ({ by }) => by.kind !== 'drift' && by.session === reach.session,
  };
  const paths = new Set([...timeline.changes.keys(), ...openCalls.flatMap(call => [...call.snapshots.keys()])]);
  return [...paths].flatMap(path => {
    const changes = effectiveChanges(timeline, path, ({ intent }) => reachOf(intent).session !== reach.session);
    return goalOf(path, withOpenCall(timeline, path, changes, openCalls, look), choice, reach, timeline) ?? [];
  });
}

/** All that was done from a point on by anybody; what the user did himself is named, and guarded. */
function goalsOfWorkspace(timeline: Timeline, { fromSeq, reach }: Stretch, openCalls: readonly Call[], look: Look): readonly PathGoal[] {
  const choice: Choice = { isChosen: ({ by, seq }) => by.kind !== 'drift' && seq >= fromSeq, isOwn: ({ by }) => by.kind !== 'drift' };
  return [...timeline.paths.keys()].flatMap(path => {
    const recorded = timeline.changes.get(path) ?? [];
    const isOpen = openCalls.some(call => call.snapshots.has(path));
    const changes = isOpen ? withOpenCall(timeline, path, recorded, openCalls, look) : withDrift(timeline, path, recorded, look);
    return goalOf(path, changes, choice, reach, timeline) ?? usersOwn(path, changes, fromSeq) ?? [];
  });
}

function scopesOf(scope: Travel['scope']): readonly Scope[] {
  return scope === 'both' ? ['code', 'conversation'] : [scope];
}

function reachFor(timeline: Timeline, { reach, scope }: Travel, { fromSeq, reach: own }: Pick<Point, 'fromSeq' | 'reach'>): Reach {
  if (reach === 'workspace') return { session: undefined };
  if (reach === 'session' && own.session === undefined) throw new TurnstoneError('usage', 'That point belongs to no session, so it takes the whole workspace along. Nothing was touched.');
  if (scopesOf(scope).every(one => getsThere(timeline, one, own, fromSeq))) return own;
  if (reach === 'session') throw new TurnstoneError('usage', 'The whole workspace was taken back since then, and one session alone can\'t undo that. --reach workspace goes there. Nothing was touched.');
  return { session: undefined };
}

/** What a switch could not do, by path. */
function leftBy({ intent, done }: Operation): ReadonlySet<string> {
  const failed = (done?.paths ?? []).filter(({ outcome }) => outcome !== 'done');
  return new Set([...failed, ...intent.left.filter(({ action }) => action !== 'unchanged')].map(({ path }) => path));
}

/**
 * Going to the branch that is checked out: one is there, whatever the user did since. Only what the way there
 * has left is tried again, as long as nothing was recorded on top of it.
 */
function selectStay(timeline: Timeline, { kind, target, scope }: Travel, look: Look): Selection {
  const newest = restoresInForce(timeline)[0];
  const arrival = newest?.intent.kind === 'switch' && newest.intent.target === target ? newest : undefined;
  const isFresh = arrival !== undefined && callsIn(timeline, ({ seq }) => seq > arrival.seq).length === 0;
  const again = isFresh ? selectStretch(timeline, { kind, target, scope }, { fromSeq: arrival.intent.fromSeq, reach: reachOf(arrival.intent) }, look) : undefined;
  const left = arrival === undefined ? new Set<string>() : leftBy(arrival);
  const nothing = { kind, target, scope, reach: { session: undefined }, fromSeq: timeline.seq + 1, calls: undefined, goals: [], openCalls: [], drifted: [], emptied: [], made: [], moves: false };
  return again === undefined ? nothing : { ...again, goals: again.goals.filter(({ path }) => left.has(path)), drifted: again.drifted.filter(path => left.has(path)), moves: false };
}

/** Goes back to before a turn or a call, to a step or a checkpoint, or over to another branch: all that its reach did from there on. */
export function selectTravel(timeline: Timeline, travel: Travel, look: Look): Selection {
  const { kind, target, point } = travel;
  if (kind === 'switch' && point === undefined && findBranch(timeline, target)?.current === true) return selectStay(timeline, travel, look);
  const place = point ?? pointOf(timeline, target);
  return selectStretch(timeline, travel, { fromSeq: place.fromSeq, reach: reachFor(timeline, travel, place) }, look);
}

function selectStretch(timeline: Timeline, { kind, target, scope }: Travel, { fromSeq, reach }: Pick<Stretch, 'fromSeq' | 'reach'>, look: Look): Selection {
  const takesCode = scope !== 'conversation';
  const calls = takesCode ? callsIn(timeline, call => isWithin(reach, call.session) && call.seq >= fromSeq) : [];
  const operations = takesCode ? [...timeline.operations.values()].filter(({ intent, seq }) => isInScope(intent, 'code') && isWithin(reach, reachOf(intent).session) && seq >= fromSeq) : [];
  const openCalls = calls.filter(call => call.outcome === 'open');
  const stretch = { fromSeq, reach, calls, operations };
  const goalsOf = reach.session === undefined ? goalsOfWorkspace : goalsOfSession;
  const goals = takesCode ? goalsOf(timeline, stretch, openCalls, look) : [];
  const drifted = takesCode && reach.session === undefined ? [...timeline.paths.keys()].filter(path => isDrifted(timeline, path, openCalls, look)) : [];
  return { kind, target, scope, reach, fromSeq, calls: undefined, goals, openCalls, drifted, ...foldersBefore(calls, operations), moves: moves(timeline, scope, reach, fromSeq) };
}

function isDrifted(timeline: Timeline, path: string, openCalls: readonly Call[], look: Look): boolean {
  return !openCalls.some(call => call.snapshots.has(path)) && withDrift(timeline, path, [], look).length > 0;
}

/** Whether a head would stand elsewhere than now. */
function moves(timeline: Timeline, scope: Travel['scope'], reach: Reach, fromSeq: number): boolean {
  return scopesOf(scope).some(one => !isSamePath(activePath(timeline, one, reach, fromSeq), activePath(timeline, one, reach)));
}

/** Rewinds code to before a turn or a call, for the session that did it. */
export function selectRewind(timeline: Timeline, target: string, look: Look): Selection {
  return selectTravel(timeline, { kind: 'rewind', target, scope: 'code' }, look);
}
