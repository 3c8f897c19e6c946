import { isSame, type Content, type History, type Link, type Operation } from './history.ts';
import { InForce, isWithin } from './inForce.ts';

/** What a restore has to make of one path. */
export type Expected =
  /** Nothing that is to be undone is in it: it is not touched, whatever is decided. */
  | { readonly kind: 'stays' }
  | { readonly kind: 'becomes'; readonly goal: Content }
  /** Somebody else's work is in it: without a decision nothing at all is written. */
  | { readonly kind: 'conflict'; readonly goal: Content }
  /** Restores of other reaches have a part in it: only that nobody's work is lost is certain. */
  | { readonly kind: 'unsure' };

export type Expectation = ReadonlyMap<string, Expected>;

/** Nothing is to be touched. */
export const nothing: Expectation = new Map();

/** What the disk holds. */
export type Disk = (path: string) => Content;

const stays: Expected = { kind: 'stays' };

function becomes(goal: Content): Expected {
  return { kind: 'becomes', goal };
}

function conflict(goal: Content, now: Content): Expected {
  return isSame(goal, now) ? becomes(goal) : { kind: 'conflict', goal };
}

/** A path's links, and after them what the disk holds by now: an open call's work, if it is what that one was to leave. */
function withDisk(history: History, path: string, disk: Disk): readonly Link[] {
  const links = history.linksOf(path);
  const [last, now] = [history.recorded.get(path), disk(path)];
  if (last === undefined || isSame(last, now)) return links;
  const call = history.openCallsAt(path).find(({ paths }) => now !== null && paths.get(path)?.expects === now.text);
  return [...links, { seq: history.seq + 1, before: last, after: now, by: call === undefined ? { kind: 'user' } : { kind: 'call', call } }];
}

/** Whether a restore among these has brought back what somebody else had written: that is guarded as on the day when it was written. */
function bringsBack(links: readonly Link[], first: number, isOwn: (link: Link) => boolean): boolean {
  const others = links.filter((link, index) => link.by.kind !== 'restore' && !(index >= first && isOwn(link)));
  return links.slice(first).some(({ by, after }) => by.kind === 'restore' && others.some(other => isSame(other.after, after)));
}

function judge(links: readonly Link[], isOwn: (link: Link) => boolean, now: Content, first = links.findIndex(isOwn)): Expected {
  const begin = links[first];
  if (begin === undefined) return stays;
  const since = links.slice(first);
  const goal = begin.before;
  if (since.every(isOwn)) return bringsBack(links, first, isOwn) ? { kind: 'unsure' } : becomes(goal);
  // It was as it is to be in between, or a restore may have brought back what was before the others' work.
  if (since.some(link => link.by.kind === 'restore') || since.some((link, index) => index > 0 && isSame(link.before, goal))) return { kind: 'unsure' };
  return conflict(goal, now);
}

/** Whether a restore found a path as it was to be, and so took back in silence what others have done there. */
function isQuietAt(history: History, path: string, isOthers: (operation: Operation) => boolean): boolean {
  return history.operations.some(operation => isOthers(operation) && operation.intent.left.some(left => left.path === path && left.action === 'unchanged'));
}

function everyPath(history: History, judgeOne: (path: string) => Expected): Expectation {
  return new Map([...history.recorded.keys()].map(path => [path, judgeOne(path)]));
}

function isFrom(from: number, { by }: Link): boolean {
  return by.kind !== 'user' && (by.kind === 'call' ? by.call : by.operation).seq >= from;
}

/** Nothing is certain but that nobody's work is lost. */
export function uncertain(history: History): Expectation {
  return everyPath(history, () => ({ kind: 'unsure' }));
}

/** Going back to where `from` was not there yet, for one session: what it did from there on goes. */
export function goingBackOf(history: History, session: string, from: number, disk: Disk): Expectation {
  const isOwn = (link: Link): boolean => link.by.kind !== 'user' && (link.by.kind === 'call' ? link.by.call : link.by.operation).session === session && isFrom(from, link);
  return everyPath(history, path => {
    const links = withDisk(history, path, disk);
    if (isQuietAt(history, path, operation => operation.session !== session)) return { kind: 'unsure' };
    // A restore of the whole workspace moved this session's work too, and perhaps others'.
    const isMoved = links.some(link => link.by.kind === 'restore' && link.by.operation.session === undefined && isFrom(from, link));
    if (!isMoved) return judge(links, isOwn, disk(path));
    const isAlone = links.every(({ by }) => by.kind !== 'user' && (by.kind === 'call' ? by.call.session === session : isWithin(by.operation.session, session)));
    return isAlone ? judge(links, link => isFrom(from, link), disk(path)) : { kind: 'unsure' };
  });
}

/** What the user changed in a file of somebody's since the point, and before the first that goes, is gone back over too; a file that he made is not. */
function beginOf(links: readonly Link[], first: number, since: number): number {
  let begin = first;
  while (begin > 0 && links[begin - 1]?.by.kind === 'user' && (links[begin - 1] as Link).seq >= since) begin -= 1;
  return links.slice(begin, first).some(({ before }) => before === null) ? first : begin;
}

/** The same for the whole workspace: every recorded path is as it was then, but for what is the user's own. */
export function goingBackOfAll(history: History, from: number, disk: Disk, target?: string): Expectation {
  const isOwn = (link: Link): boolean => isFrom(from, link);
  // A user's change that a call found when it began was there before that call.
  const isFound = history.calls.some(({ id, seq }) => seq === from && id === target);
  return everyPath(history, path => {
    const links = withDisk(history, path, disk);
    if (links.some(isOwn)) return judge(links, isOwn, disk(path), beginOf(links, links.findIndex(isOwn), isFound ? from + 1 : from));
    const since = links.filter(({ seq }) => (isFound ? seq > from : seq >= from));
    const first = since[0];
    // A call that had begun by then stays with all that it did.
    if (since.some(({ by }) => by.kind !== 'user')) return { kind: 'unsure' };
    // A file that the user made stays; what he changed goes when that is decided.
    return first === undefined || first.before === null ? stays : conflict(first.before, disk(path));
  });
}

/** Taking back single calls, later ones stay. */
export function rollingBack(history: History, calls: ReadonlySet<string>, path: string | undefined, disk: Disk): Expectation {
  const isOwn = ({ by }: Link): boolean => by.kind === 'call' && calls.has(by.call.id);
  const named = history.calls.filter(({ id }) => calls.has(id)).flatMap(call => [...call.paths.keys()]);
  return everyPath(history, candidate => {
    if (!named.includes(candidate) || (path !== undefined && path !== candidate)) return stays;
    const links = withDisk(history, candidate, disk);
    // What restores took back and brought again decides here whose work is left, before the first call too.
    return links.some(({ by }) => by.kind === 'restore') || isQuietAt(history, candidate, () => true) ? { kind: 'unsure' } : judge(links, isOwn, disk(candidate));
  });
}

/** Undo and redo: what the restore wrote is as it was before it, where nothing has changed since. */
export function undoing(history: History, operation: Operation, disk: Disk): Expectation {
  // Where a session has gone back past a restore of the whole workspace, that one's work is left alone.
  const isPassed = operation.session === undefined && history.turns.some(({ session }) => !new InForce(history, 'code').isFor(operation, session));
  const isOther = (other: Operation): boolean => other !== operation && (other.intent.kind === 'undo' || other.intent.kind === 'redo') && other.intent.target === operation.intent.target;
  const target = history.operations.find(({ id }) => id === operation.intent.target);
  // It was taken back already, before this one: what this one did then has gone with that.
  if (!isPassed && target !== undefined && new InForce(history, 'code').restore(target)) return nothing;
  // Two that took back the same: which of them holds a path depends on what each had to leave.
  const hasRival = history.operations.some(other => isOther(other) && new InForce(history, 'code').restore(other));
  return everyPath(history, path => {
    if (hasRival) return { kind: 'unsure' };
    const written = operation.done?.paths.find(candidate => candidate.path === path && candidate.outcome !== 'skipped');
    const planned = operation.intent.paths.find(candidate => candidate.path === path);
    if (written === undefined || planned === undefined) {
      // What it found as it was to be, another restore may have changed since.
      const last = history.linksOf(path).at(-1);
      if (last?.by.kind !== 'restore' || last.by.operation === operation) return stays;
      return last.seq > operation.seq || isOther(last.by.operation) ? { kind: 'unsure' } : stays;
    }
    const goal = history.contentOf(planned.before);
    if (isPassed) return { kind: 'unsure' };
    // Somebody changed it while the restore looked at what it had written.
    if (written.outcome === 'failed') return isSame(goal, history.contentOf(written.after)) ? stays : conflict(goal, disk(path));
    return isSame(disk(path), history.contentOf(written.after)) ? becomes(goal) : conflict(goal, disk(path));
  });
}

/** Whether a restore that goes back changes what is in force. */
export function movesHeads(history: History, scopes: readonly ('code' | 'conversation')[], session: string | undefined, from: number): boolean {
  return scopes.some(scope => {
    const now = new InForce(history, scope).items(session);
    const then = new InForce(history, scope, undefined, { from, session }).items(session);
    return now.size !== then.size || [...now].some(item => !then.has(item));
  });
}
