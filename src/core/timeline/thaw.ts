import type { State } from '../snapshot/state.ts';
import type { FoldState, OpenCall, OpenOperation, OpenSession, OpenTurn } from './foldState.ts';
import { frozenOutcomes, frozenOwners, frozenPoints, frozenStates, frozenTurnStates } from './frozen.ts';
import type { Change, ChangeOwner, DirectoryEntry, NamedPoint, Snapshot } from './model.ts';
import { PackedReader, Unsound } from './packed.ts';
import { parseRecord, type JournalRecord, type RecordOf } from './records.ts';

/** What is newer of a list that only grows, and how many of its items were there before. */
interface Grown<T> {
  readonly from: number;
  readonly items: readonly T[];
}

interface Thawed {
  readonly at: number;
  readonly sessions: readonly { readonly entry: OpenSession; readonly turns: Grown<string> }[];
  readonly turns: readonly { readonly entry: OpenTurn; readonly calls: Grown<string> }[];
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly points: readonly NamedPoint[];
  readonly operations: ReadonlyMap<string, OpenOperation>;
  readonly changes: readonly { readonly path: string; readonly changes: Grown<Change> }[];
  readonly paths: readonly { readonly path: string; readonly last: State }[];
  readonly resumed: readonly { readonly turn: string; readonly resumes: string }[];
}

/**
 * Brings a state to `seq` with what was frozen there. Returns false, and has changed nothing, where the bytes are not
 * sound, belong to another store, or don't fit on the state.
 */
export function thaw(bytes: Buffer, seq: number, store: string, state: FoldState): boolean {
  let thawed: Thawed;
  try {
    thawed = new Thawer(bytes, state).read(store);
    mustFit(thawed, state);
  } catch (error) {
    if (error instanceof Unsound) return false;
    throw error;
  }
  apply(thawed, seq, state);
  return true;
}

class Thawer {
  private readonly state: FoldState;
  private readonly from: PackedReader;
  private readonly states: State[] = [];
  private calls: ReadonlyMap<string, OpenCall> = new Map();
  private operations: ReadonlyMap<string, OpenOperation> = new Map();

  constructor(bytes: Buffer, state: FoldState) {
    this.from = new PackedReader(bytes);
    this.state = state;
  }

  read(store: string): Thawed {
    const { from } = this;
    if (from.text() !== store) throw new Unsound('it belongs to another store');
    const at = from.count();
    const sessions = from.list(() => this.session());
    const turns = from.list(() => this.turn());
    this.calls = from.map(call => call.id, () => this.call());
    const points = from.list(() => this.point());
    this.operations = from.map(operation => operation.id, () => this.operation());
    const changes = from.list(() => this.chain());
    const paths = from.list(() => ({ path: from.path(), last: this.pathState() }));
    const resumed = from.list(() => ({ turn: from.text(), resumes: from.text() }));
    from.mustEnd();
    return { at, sessions, turns, calls: this.calls, points, operations: this.operations, changes, paths, resumed };
  }

  private grown<T>(read: () => T): Grown<T> {
    return { from: this.from.count(), items: this.from.list(read) };
  }

  private session(): Thawed['sessions'][number] {
    const { from } = this;
    const entry = { id: from.text(), seq: from.count(), agent: from.text(), agentSession: from.text(), transcript: from.optionalText(), title: from.optionalHash(), turns: [] };
    return { entry, turns: this.grown(() => from.text()) };
  }

  private turn(): Thawed['turns'][number] {
    const { from } = this;
    const [id, seq, at, session] = [from.text(), from.count(), from.count(), from.text()];
    const prompt = from.optionalHash();
    const elsewhere = from.flag();
    const state = from.oneOf(frozenTurnStates);
    const closedAt = from.flag() ? from.count() : undefined;
    const calls = this.grown(() => from.text());
    const gaps = from.list(() => from.text());
    return { entry: { id, seq, at, session, prompt, elsewhere, state, closedAt, calls: [], gaps }, calls };
  }

  private call(): OpenCall {
    const { from } = this;
    return {
      id: from.text(),
      seq: from.count(),
      at: from.count(),
      session: from.text(),
      turn: from.text(),
      tool: from.text(),
      agentCall: from.optionalText(),
      delegate: from.optionalText(),
      undeclared: from.flag(),
      outside: from.list(() => ({ path: from.text(), reason: from.text() })),
      outcome: from.oneOf(frozenOutcomes),
      reported: from.flag(),
      snapshots: from.map(snapshot => snapshot.path, () => this.snapshot()),
      folders: { made: this.directories(), removed: this.directories() },
    };
  }

  private directories(): readonly DirectoryEntry[] {
    return this.from.list(() => ({ path: this.from.path(), mode: this.from.integer() }));
  }

  private snapshot(): Snapshot {
    const { from } = this;
    return {
      path: from.path(),
      before: this.pathState(),
      after: from.flag() ? this.pathState() : undefined,
      expects: from.optionalHash(),
      missing: from.list(() => from.path()),
      made: this.directories(),
    };
  }

  private point(): NamedPoint {
    const { from } = this;
    return {
      id: from.text(),
      kind: from.oneOf(frozenPoints),
      seq: from.count(),
      at: from.count(),
      session: from.optionalText(),
      turn: from.optionalText(),
      label: from.optionalHash(),
    };
  }

  private operation(): OpenOperation {
    const [seq, at] = [this.from.count(), this.from.count()];
    const intent = recordIn(this.from.text(), 'restore.intent');
    const done = this.from.optionalText();
    return { id: intent.operation, seq, at, intent, done: done === undefined ? undefined : recordIn(done, 'restore.done') };
  }

  private chain(): Thawed['changes'][number] {
    const path = this.from.path();
    return { path, changes: this.grown(() => ({ seq: this.from.count(), path, before: this.pathState(), after: this.pathState(), by: this.owner() })) };
  }

  private owner(): ChangeOwner {
    const kind = this.from.oneOf(frozenOwners);
    if (kind === 'drift') return { kind };
    const id = this.from.text();
    if (kind === 'call') {
      const { turn, session } = known(id, this.calls, this.state.calls);
      return { kind, call: id, turn, session };
    }
    return { kind, operation: id, session: known(id, this.operations, this.state.operations).intent.session };
  }

  private pathState(): State {
    const { from, states } = this;
    const index = from.count();
    if (index === states.length) states.push(this.newState());
    const state = states[index];
    if (state === undefined) throw new Unsound('there is no such state');
    return state;
  }

  private newState(): State {
    const { from } = this;
    const kind = from.oneOf(frozenStates);
    switch (kind) {
      case 'content':
      case 'oversize':
        return { kind, hash: from.hash(), mode: from.integer(), size: from.integer() };
      case 'directory':
        return { kind, mode: from.integer() };
      case 'link':
        return { kind, target: from.text() };
      case 'unreadable':
        return { kind, reason: from.text() };
      case 'absent':
      case 'special':
        return { kind };
    }
  }
}

function known<T>(id: string, fresh: ReadonlyMap<string, T>, there: ReadonlyMap<string, T>): T {
  const found = fresh.get(id) ?? there.get(id);
  if (found === undefined) throw new Unsound(`there is no ${id}`);
  return found;
}

function recordIn<T extends JournalRecord['type']>(text: string, type: T): RecordOf<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unsound('a record is not JSON');
  }
  const parsed = parseRecord(value);
  if (parsed.kind !== 'record' || parsed.record.type !== type) throw new Unsound(`no sound ${type}`);
  return parsed.record as RecordOf<T>;
}

/** What the parts say of each other has to be so: nobody who reads a timeline looks for an id that isn't there. */
function mustFit(thawed: Thawed, state: FoldState): void {
  const [sessions, turns] = [namesOf(thawed.sessions.map(({ entry }) => entry.id)), namesOf(thawed.turns.map(({ entry }) => entry.id))];
  namesOf(thawed.changes.map(({ path }) => path));
  for (const { entry, turns: grown } of thawed.sessions) mustGrow(grown, state.sessions.get(entry.id)?.turns, id => turns.has(id) || state.turns.has(id));
  for (const { entry, calls } of thawed.turns) {
    mustBeThere(sessions.has(entry.session) || state.sessions.has(entry.session));
    mustGrow(calls, state.turns.get(entry.id)?.calls, id => thawed.calls.has(id) || state.calls.has(id));
  }
  for (const { turn } of thawed.calls.values()) mustBeThere(turns.has(turn) || state.turns.has(turn));
  for (const { turn } of thawed.points) mustBeThere(turn === undefined || turns.has(turn) || state.turns.has(turn));
  for (const { resumes } of thawed.resumed) mustBeThere(turns.has(resumes) || state.turns.has(resumes));
  for (const { path, changes } of thawed.changes) mustGrow(changes, state.changes.get(path), () => true);
}

/** None twice: what grows a list twice would leave holes in it. */
function namesOf(names: readonly string[]): ReadonlySet<string> {
  const set = new Set(names);
  if (set.size !== names.length) throw new Unsound('something is there twice');
  return set;
}

function mustBeThere(isThere: boolean): void {
  if (!isThere) throw new Unsound('something it names is not there');
}

function mustGrow<T>({ from, items }: Grown<T>, there: readonly T[] = [], isKnown: (item: T) => boolean): void {
  mustBeThere(from <= there.length && items.every(isKnown));
}

function apply(thawed: Thawed, seq: number, state: FoldState): void {
  state.seq = seq;
  state.at = thawed.at;
  for (const { entry, turns } of thawed.sessions) {
    entry.turns = grow(state.sessions.get(entry.id)?.turns, turns);
    state.sessions.set(entry.id, entry);
  }
  for (const { entry, calls } of thawed.turns) {
    entry.calls = grow(state.turns.get(entry.id)?.calls, calls);
    state.turns.set(entry.id, entry);
  }
  for (const [id, call] of thawed.calls) {
    state.calls.set(id, call);
    for (const { path, expects } of call.snapshots.values()) {
      if (call.outcome === 'open' && expects !== undefined) state.declare(path, id);
      else state.undeclare(path, id);
    }
  }
  for (const point of thawed.points) state.points.set(point.id, point);
  for (const [id, operation] of thawed.operations) state.operations.set(id, operation);
  for (const { path, changes } of thawed.changes) state.changes.set(path, grow(state.changes.get(path), changes));
  for (const { path, last } of thawed.paths) state.paths.set(path, last);
  for (const { turn, resumes } of thawed.resumed) state.resumed.set(turn, resumes);
}

/** Lists are changed in place where they can be: in a long history most of each is older. */
function grow<T>(list: T[] = [], { from, items }: Grown<T>): T[] {
  list.length = from;
  for (const item of items) list.push(item);
  return list;
}
