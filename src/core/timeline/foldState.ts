import type { State } from '../snapshot/state.ts';
import type { Call, Change, NamedPoint, Operation, Session, Snapshot, Timeline, Turn } from './model.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export interface OpenSession extends Mutable<Omit<Session, 'turns'>> {
  turns: string[];
}
export interface OpenTurn extends Mutable<Omit<Turn, 'calls' | 'gaps'>> {
  calls: string[];
  gaps: string[];
}
export interface OpenCall extends Mutable<Omit<Call, 'snapshots'>> {
  snapshots: Map<string, Snapshot>;
}
export type OpenOperation = Mutable<Operation>;

/** The parts of a state that change, each by its keys. */
export type Part = 'sessions' | 'turns' | 'calls' | 'points' | 'operations' | 'changes' | 'paths' | 'resumed';

/** Since a sequence number, what was touched, with the number of the record that touched it last; in the order of first touches. */
interface Touched {
  readonly since: number;
  readonly parts: Readonly<Record<Part, Map<string, number>>>;
}

/**
 * What a fold has come to: the timeline, and what is needed to go on folding. Apart from the fold itself, because it
 * is also frozen into generations and thawed from them (`frozen.ts`).
 *
 * Invariant: whoever changes an entry in place says so with `touch`, else a generation would miss it.
 */
export class FoldState implements Timeline {
  seq = 0;
  at = 0;
  readonly sessions = new Map<string, OpenSession>();
  readonly turns = new Map<string, OpenTurn>();
  readonly calls = new Map<string, OpenCall>();
  readonly points = new Map<string, NamedPoint>();
  readonly operations = new Map<string, OpenOperation>();
  readonly changes = new Map<string, Change[]>();
  readonly paths = new Map<string, State>();
  readonly invalid: string[] = [];
  /** Other ids under which an agent went on with a turn. */
  readonly resumed = new Map<string, string>();
  /** By path, the open calls of which is known what they will leave there. */
  private readonly declared = new Map<string, Set<string>>();
  private touched: Touched | undefined;

  protected touch(part: Part, id: string): void {
    this.touched?.parts[part].set(id, this.seq);
  }

  declare(path: string, call: string): void {
    const calls = this.declared.get(path) ?? new Set();
    this.declared.set(path, calls.add(call));
  }

  undeclare(path: string, call: string): void {
    const calls = this.declared.get(path);
    calls?.delete(call);
    if (calls?.size === 0) this.declared.delete(path);
  }

  /** The open calls of which is known what they will leave at a path, in the order in which they began. */
  openAt(path: string): Iterable<string> {
    const open = this.declared.get(path);
    if (open === undefined || open.size < 2) return open ?? [];
    const begun = (id: string): number => this.calls.get(id)?.seq ?? 0;
    return [...open].sort((one, other) => begun(one) - begun(other));
  }

  /** From now on remembers what is touched. A fold that nobody freezes needs none of that. */
  track(): void {
    const parts = { sessions: new Map(), turns: new Map(), calls: new Map(), points: new Map(), operations: new Map(), changes: new Map(), paths: new Map(), resumed: new Map() };
    this.touched = { since: this.seq, parts };
  }

  /** From which record on it is known what was touched; undefined where it is not known at all. */
  get trackedSince(): number | undefined {
    return this.touched?.since;
  }

  /** The keys of what was touched after a record, which has to be in what is tracked; all keys for 0. */
  touchedAfter(part: Part, seq: number): readonly string[] {
    if (seq === 0) return [...this[part].keys()];
    if (this.touched === undefined || this.touched.since > seq) throw new Error(`nobody knows what was touched after ${seq}`);
    return [...this.touched.parts[part]].filter(([, last]) => last > seq).map(([id]) => id);
  }

  /** What was touched up to a record is of no interest any more. */
  forgetTouched(seq: number): void {
    if (this.touched === undefined || this.touched.since >= seq) return;
    for (const part of Object.values(this.touched.parts)) {
      for (const [id, last] of part) if (last <= seq) part.delete(id);
    }
    this.touched = { since: seq, parts: this.touched.parts };
  }
}
