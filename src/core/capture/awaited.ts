import { isShape, listAt, textAt, type Shape } from '../base/shape.ts';
import type { Observation } from '../snapshot/observe.ts';
import { isSoundPath } from '../snapshot/paths.ts';

/** What the newest records tell of one path of a call. Contents are told apart by the text that `contentIn` gives. */
export interface RecentPath {
  readonly before: string;
  readonly expects: string | undefined;
  readonly after?: string | undefined;
  readonly missing: readonly string[];
}

/** What the newest records tell of a call of a session. */
export interface RecentCall {
  readonly call: string;
  readonly turn: string;
  readonly state: 'open' | 'reported' | 'closed';
  readonly paths: ReadonlyMap<string, RecentPath>;
}

/** Tells contents apart: a hash, or what is there instead of content. */
function contentIn(state: unknown): string {
  if (!isShape(state)) return '';
  return hashIn(state) ?? `${textAt(state, 'kind') ?? ''} ${textAt(state, 'target') ?? ''}`;
}

function hashIn(state: Shape): string | undefined {
  return textAt(state, 'hash');
}

function pathsIn(record: Shape): readonly (readonly [string, Shape])[] {
  return (listAt(record, 'paths') ?? []).filter(isShape).flatMap(entry => (isSoundPath(entry['path']) ? [[entry['path'] as string, entry] as const] : []));
}

/** The calls that begin in the records and are told of by them, in the order of their ends as far as they have been reported, the others last. */
export function recentCalls(records: readonly Shape[]): readonly RecentCall[] {
  const begun = new Map<string, RecentCall>();
  const ended = new Map<string, RecentCall>();
  for (const record of records) {
    const id = textAt(record, 'call') ?? '';
    const type = record['type'];
    const known = ended.get(id) ?? begun.get(id);
    if (type === 'call.open' && known === undefined) {
      const missingIn = (entry: Shape): readonly string[] => (listAt(entry, 'missing') ?? []).filter(isSoundPath);
      const paths = pathsIn(record).map(([path, entry]) => [path, { before: contentIn(entry['before']), expects: textAt(entry, 'expects'), missing: missingIn(entry) }] as const);
      begun.set(id, { call: id, turn: textAt(record, 'turn') ?? '', state: 'open', paths: new Map(paths) });
    } else if (known !== undefined && (type === 'call.close' || (type === 'call.report' && known.state !== 'closed'))) {
      const paths = new Map(known.paths);
      for (const [path, entry] of pathsIn(record)) {
        const declared = paths.get(path);
        if (declared === undefined) continue;
        paths.set(path, type === 'call.close' ? { ...declared, after: contentIn(entry['after']) } : { ...declared, expects: textAt(entry, 'expects') });
      }
      begun.delete(id);
      ended.set(id, { ...known, state: type === 'call.close' ? 'closed' : 'reported', paths });
    }
  }
  return [...ended.values(), ...begun.values()];
}

/** Whether content at a path is what another call found there, left, or is to leave. */
function isOfAnother(call: string, path: string, content: string, calls: readonly RecentCall[]): boolean {
  return calls.some(other => {
    const known = other.call === call ? undefined : other.paths.get(path);
    return known !== undefined && [known.before, known.expects, known.after].includes(content);
  });
}

/**
 * A call whose agent says just now that it has run, with what it leaves, as far as can be told: it works on what the calls reported before it will have left.
 * Content that is neither what was there nor any other call's is taken for its work, for a formatter may have been at it.
 */
export function reportedNow(
  own: RecentCall,
  calls: readonly RecentCall[],
  look: (path: string) => Observation,
  read: (hash: string) => Uint8Array | undefined,
  expected: (path: string, base: Uint8Array | undefined) => string | undefined,
): RecentCall {
  const reported = calls.filter(({ state }) => state === 'reported');
  const paths = [...own.paths].map(([path, facts]) => {
    const { state, bytes } = look(path);
    const now = contentIn(state);
    const last = reported.flatMap(other => other.paths.get(path)?.expects ?? []).at(-1);
    // What comes first is the work of the one that was reported first, where nobody knows what that leaves.
    const isOfEarlier = reported.some(other => isUnknownWork(other.paths.get(path), now));
    const isThere = now === facts.expects || (now !== facts.before && !isOfEarlier && !isOfAnother(own.call, path, now, calls));
    if (last !== undefined && last !== now) return [path, { ...facts, expects: expected(path, read(last)) }] as const;
    return [path, { ...facts, expects: isThere ? hashIn(state) : expected(path, bytes) }] as const;
  });
  return { ...own, state: 'reported', paths: new Map(paths) };
}

/**
 * The calls that have been reported and of which all is on the disk by now. Of several at one path, the work of the earlier ones is in that of the later ones.
 * Where nobody knows what a call will leave, it is whatever has come that is no other call's.
 */
export function arrivedAmong(calls: readonly RecentCall[], look: (path: string) => Observation): readonly RecentCall[] {
  const reported = calls.filter(({ state }) => state === 'reported');
  const outstanding = new Set<RecentCall>();
  for (const path of new Set(reported.flatMap(({ paths }) => [...paths.keys()]))) {
    const now = contentIn(look(path).state);
    const at = reported.filter(({ paths }) => paths.has(path));
    const firstUnknown = at.find(({ paths }) => isUnknownWork(paths.get(path), now));
    let laterHasCome: boolean = false;
    for (const one of at.toReversed()) {
      const { before, expects } = one.paths.get(path) as RecentPath;
      const isItsOwn = now === expects || (one === firstUnknown && !isOfAnother(one.call, path, now, calls));
      const hasCome: boolean = isItsOwn || (laterHasCome && now !== before);
      if (!hasCome) outstanding.add(one);
      laterHasCome ||= hasCome;
    }
  }
  return reported.filter(call => !outstanding.has(call));
}

/** Whether content may be the work of a call that has been reported, and of which nobody knows what it leaves. */
function isUnknownWork(path: RecentPath | undefined, content: string): boolean {
  return path !== undefined && path.expects === undefined && path.before !== content;
}
