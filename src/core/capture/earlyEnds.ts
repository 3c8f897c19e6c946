import { join } from 'node:path';
import type { Observation } from '../snapshot/observe.ts';
import type { DirectoryEntry } from '../timeline/model.ts';
import type { StoreWriter } from '../timeline/storeWriter.ts';
import { arrivedAmong, recentCalls, reportedNow, type RecentCall } from './awaited.ts';
import type { CallEnd } from './callFacts.ts';
import type { Draft } from './draft.ts';

type Look = (path: string) => Observation;

/** Drafts the ends of calls whose agent tells of them before what they leave is on the disk. It knows them from the newest records alone. */
export class EarlyEnds {
  private readonly writer: StoreWriter;
  private readonly observe: Look;
  private readonly made: (missing: readonly string[]) => readonly DirectoryEntry[];
  private readonly insideOf: (named: string) => readonly string[];

  constructor(writer: StoreWriter, observe: Look, made: (missing: readonly string[]) => readonly DirectoryEntry[], insideOf: (named: string) => readonly string[]) {
    this.writer = writer;
    this.observe = observe;
    this.made = made;
    this.insideOf = insideOf;
  }

  /** Ends the reported calls of a session whose work has come since. */
  settle(draft: Draft, session: string): void {
    this.draftArrived(draft, recentCalls(this.writer.recentOf(session)), session, this.looking(draft));
  }

  /** Ends a call of which all is there; else it goes on record as reported until that has come. False where the newest records don't tell of it, or tell of its end. */
  end(draft: Draft, call: CallEnd): boolean {
    const calls = recentCalls(this.writer.recentOf(call.session));
    const own = calls.find(({ call: id }) => id === call.call);
    if (own === undefined || own.state === 'closed') return false;
    const look = this.looking(draft);
    if (own.state === 'reported') {
      this.draftArrived(draft, calls, call.session, look);
      return true;
    }
    const reported = this.reported(draft, call, own, calls, look);
    const others = calls.filter(({ call: id }) => id !== own.call);
    if (this.draftArrived(draft, [...others, reported], call.session, look).has(own.call)) return true;
    const paths = [...reported.paths].map(([path, { expects }]) => ({ path, ...(expects === undefined ? {} : { expects }) }));
    draft.records.push({ type: 'call.report', session: call.session, turn: call.turn, call: own.call, paths });
    return true;
  }

  private reported(draft: Draft, call: CallEnd, own: RecentCall, calls: readonly RecentCall[], look: Look): RecentCall {
    const named = new Map(call.paths.flatMap(name => this.insideOf(name).map(path => [path, name] as const)));
    const expected = (path: string, base: Uint8Array | undefined): string | undefined => {
      const bytes = call.expected?.(named.get(path) ?? join(this.writer.identity.path, path), base);
      return bytes === undefined ? undefined : draft.keepBytes(bytes);
    };
    return reportedNow(own, calls, look, hash => this.writer.blobs.read(hash), expected);
  }

  private draftArrived(draft: Draft, calls: readonly RecentCall[], session: string, look: Look): ReadonlySet<string> {
    const arrived = arrivedAmong(calls, look);
    for (const { call, turn, paths } of arrived) {
      const ends = [...paths].map(([path, { missing }]) => ({ path, after: look(path).state, made: [...this.made(missing)] }));
      draft.records.push({ type: 'call.close', session, turn, call, outcome: 'done', paths: ends });
    }
    return new Set(arrived.map(({ call }) => call));
  }

  /** Looks at each path once, and keeps what is there. */
  private looking(draft: Draft): Look {
    const seen = new Map<string, Observation>();
    return path => {
      const known = seen.get(path) ?? this.observe(path);
      seen.set(path, known);
      draft.keep(known);
      return known;
    };
  }
}
