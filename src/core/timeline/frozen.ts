import type { State } from '../snapshot/state.ts';
import type { FoldState, OpenCall, OpenOperation, OpenSession, OpenTurn, Part } from './foldState.ts';
import type { Change, DirectoryEntry, NamedPoint, Snapshot } from './model.ts';
import { PackedWriter } from './packed.ts';

/** In the order in which they are stored; a new one goes to the end. */
export const frozenStates = ['absent', 'content', 'oversize', 'link', 'directory', 'special', 'unreadable'] as const satisfies readonly State['kind'][];
export const frozenTurnStates = ['open', 'closed', 'interrupted'] as const;
export const frozenOutcomes = ['open', 'done', 'failed', 'interrupted', 'cancelled'] as const;
export const frozenPoints = ['step', 'checkpoint'] as const;
export const frozenOwners = ['drift', 'call', 'operation'] as const;

/**
 * What a fold has come to since an earlier record, in bytes: the whole of it for `base` 0. `thaw.ts` reads it and
 * GENERATIONS.md tells the format.
 *
 * Invariant: put on top of any state from `base` on and before this one, it gives exactly this one. So entries are
 * written whole, and lists that only grow from the first item on that is newer than `base`.
 */
export function freeze(state: FoldState, base: number, store: string): Buffer {
  return new Freezer(state, base).write(store);
}

class Freezer {
  private readonly state: FoldState;
  private readonly base: number;
  private readonly out = new PackedWriter();
  private readonly states = new Map<State, number>();
  private readonly statesByText = new Map<string, number>();
  private newStates = 0;

  constructor(state: FoldState, base: number) {
    this.state = state;
    this.base = base;
  }

  write(store: string): Buffer {
    const { out, state } = this;
    out.text(store);
    out.count(state.at);
    this.entries('sessions', state.sessions, session => this.session(session));
    this.entries('turns', state.turns, turn => this.turn(turn));
    this.entries('calls', state.calls, call => this.call(call));
    this.entries('points', state.points, point => this.point(point));
    this.entries('operations', state.operations, operation => this.operation(operation));
    this.entries('changes', state.changes, (changes, path) => this.chain(path, changes));
    this.entries('paths', state.paths, (last, path) => {
      out.text(path);
      this.pathState(last);
    });
    this.entries('resumed', state.resumed, (resumes, turn) => {
      out.text(turn);
      out.text(resumes);
    });
    return out.finish();
  }

  private entries<T>(part: Part, entries: ReadonlyMap<string, T>, write: (entry: T, key: string) => void): void {
    const keys = this.state.touchedAfter(part, this.base).filter(key => entries.has(key));
    this.out.list(keys, key => write(entries.get(key) as T, key));
  }

  /** A list that only grows: how many of its items were there before, and the others. */
  private grown<T>(items: readonly T[], seqOf: (item: T) => number, write: (item: T) => void): void {
    let from = this.base === 0 ? 0 : items.length;
    for (; from > 0 && seqOf(items[from - 1] as T) > this.base; from -= 1);
    this.out.count(from);
    this.out.list(items.slice(from), write);
  }

  private session(session: OpenSession): void {
    const { out } = this;
    out.text(session.id);
    out.count(session.seq);
    out.text(session.agent);
    out.text(session.agentSession);
    out.optionalText(session.transcript);
    out.optionalHash(session.title);
    this.grown(session.turns, id => this.state.turns.get(id)?.seq ?? 0, id => out.text(id));
  }

  private turn(turn: OpenTurn): void {
    const { out } = this;
    out.text(turn.id);
    out.count(turn.seq);
    out.count(turn.at);
    out.text(turn.session);
    out.optionalHash(turn.prompt);
    out.flag(turn.elsewhere);
    out.oneOf(frozenTurnStates, turn.state);
    out.flag(turn.closedAt !== undefined);
    if (turn.closedAt !== undefined) out.count(turn.closedAt);
    this.grown(turn.calls, id => this.state.calls.get(id)?.seq ?? 0, id => out.text(id));
    out.list(turn.gaps, gap => out.text(gap));
  }

  private call(call: OpenCall): void {
    const { out } = this;
    out.text(call.id);
    out.count(call.seq);
    out.count(call.at);
    out.text(call.session);
    out.text(call.turn);
    out.text(call.tool);
    out.optionalText(call.agentCall);
    out.optionalText(call.delegate);
    out.flag(call.undeclared);
    out.list(call.outside, ({ path, reason }) => {
      out.text(path);
      out.text(reason);
    });
    out.oneOf(frozenOutcomes, call.outcome);
    out.flag(call.reported);
    out.list([...call.snapshots.values()], snapshot => this.snapshot(snapshot));
    this.directories(call.folders.made);
    this.directories(call.folders.removed);
  }

  private directories(folders: readonly DirectoryEntry[]): void {
    this.out.list(folders, ({ path, mode }) => {
      this.out.text(path);
      this.out.integer(mode);
    });
  }

  private snapshot(snapshot: Snapshot): void {
    const { out } = this;
    out.text(snapshot.path);
    this.pathState(snapshot.before);
    out.flag(snapshot.after !== undefined);
    if (snapshot.after !== undefined) this.pathState(snapshot.after);
    out.optionalHash(snapshot.expects);
    out.list(snapshot.missing, path => out.text(path));
    this.directories(snapshot.made);
  }

  private point(point: NamedPoint): void {
    const { out } = this;
    out.text(point.id);
    out.oneOf(frozenPoints, point.kind);
    out.count(point.seq);
    out.count(point.at);
    out.optionalText(point.session);
    out.optionalText(point.turn);
    out.optionalHash(point.label);
  }

  private operation(operation: OpenOperation): void {
    const { out } = this;
    out.count(operation.seq);
    out.count(operation.at);
    // As they are in the journal, and read as there.
    out.text(JSON.stringify(operation.intent));
    out.optionalText(operation.done === undefined ? undefined : JSON.stringify(operation.done));
  }

  private chain(path: string, changes: readonly Change[]): void {
    const { out } = this;
    out.text(path);
    this.grown(changes, change => change.seq, ({ seq, before, after, by }) => {
      out.count(seq);
      this.pathState(before);
      this.pathState(after);
      out.oneOf(frozenOwners, by.kind);
      // The rest of an owner follows from the call or the operation.
      if (by.kind === 'call') out.text(by.call);
      if (by.kind === 'operation') out.text(by.operation);
    });
  }

  /** A state is written out once, and named by its number from then on: most occur several times. */
  private pathState(state: State): void {
    const known = this.states.get(state) ?? this.sameAs(state);
    this.out.count(known ?? this.newStates);
    this.states.set(state, known ?? this.newStates);
    if (known !== undefined) return;
    this.newStates += 1;
    this.out.oneOf(frozenStates, state.kind);
    if (state.kind === 'content' || state.kind === 'oversize') {
      this.out.hash(state.hash);
      this.out.integer(state.mode);
      this.out.integer(state.size);
    } else if (state.kind === 'directory') this.out.integer(state.mode);
    else if (state.kind === 'link') this.out.text(state.target);
    else if (state.kind === 'unreadable') this.out.text(state.reason);
  }
  private sameAs(state: State): number | undefined {
    const text = JSON.stringify(state);
    const known = this.statesByText.get(text);
    if (known === undefined) this.statesByText.set(text, this.newStates);
    return known;
  }
}
