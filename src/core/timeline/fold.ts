import { assertNever } from '../base/errors.ts';
import { currentTurn } from '../base/ids.ts';
import { sameContent, sameState, type State } from '../snapshot/state.ts';
import { FoldState, type OpenCall, type OpenSession, type OpenTurn } from './foldState.ts';
import { bothWorks, foldersBeside } from './folderWork.ts';
import type { Change, ChangeOwner, Entry, FolderWork, NamedPoint, Snapshot } from './model.ts';
import { doubtOf, gapsOf, isExpected, isProven, isWorkOfOthers, ownerBy, unkept } from './ownership.ts';
import type { RecordOf } from './records.ts';

/**
 * What records mean, as a number: raised with every change of this file, or of what a record holds, after which the same
 * records fold to something else. Generations of another number are not believed.
 */
export const foldVersion = 10;

/**
 * Folds records, one after the other, into a timeline: the only place that gives records their meaning.
 *
 * Invariants:
 * - The result depends on the records and their order only: no clock, no disk, no randomness.
 * - A record that comes twice (an event delivered twice) counts once.
 * - The changes of a path form a chain: each begins where the one before ended. Where an observation
 *   does not fit, the missing link is drift, and drift belongs to nobody's call.
 */
export class TimelineFold extends FoldState {
  /** Takes in the next record. */
  add(entry: Entry): void {
    this.seq = entry.seq;
    this.at = entry.at;
    const { record } = entry;
    switch (record.type) {
      case 'session.open':
        return this.openSession(entry, record);
      case 'turn.open':
        return this.openTurn(entry, record);
      case 'turn.resume':
        return this.resumeTurn(record);
      case 'call.open':
        return this.openCall(entry, record);
      case 'call.report':
        return this.reportCall(record);
      case 'call.close':
        return this.closeCall(entry, record);
      case 'effects':
        return this.addEffects(entry, record);
      case 'drift':
        for (const { path, after } of record.paths) this.observe(entry.seq, path, after);
        return undefined;
      case 'turn.close':
        return this.closeTurn(entry, record);
      case 'step':
        return this.addStep(entry, record);
      case 'checkpoint':
        return this.addPoint({ id: record.checkpoint, kind: 'checkpoint', seq: entry.seq, at: entry.at, session: undefined, turn: undefined, label: record.label });
      case 'gap':
        return this.addGap(entry, record);
      case 'restore.intent':
        return this.openOperation(entry, record);
      case 'restore.done':
        return this.finishOperation(entry, record);
      default:
        return assertNever(record);
    }
  }

  private session(entry: Entry, id: string): OpenSession {
    this.touch('sessions', id);
    let session = this.sessions.get(id);
    if (session === undefined) {
      // Events can come before the one that opens a session, when hooks were installed in its middle.
      session = { id, seq: entry.seq, agent: 'unknown', agentSession: '', transcript: undefined, title: undefined, turns: [] };
      this.sessions.set(id, session);
    }
    return session;
  }

  private openSession(entry: Entry, record: RecordOf<'session.open'>): void {
    const session = this.session(entry, record.session);
    session.agent = record.agent;
    session.agentSession = record.agentSession;
    session.transcript = record.transcript ?? session.transcript;
    session.title = record.title ?? session.title;
  }

  private turn(entry: Entry, named: string, sessionId: string): OpenTurn {
    const newest = named === currentTurn ? (this.sessions.get(sessionId)?.turns.at(-1) ?? `${sessionId} without a prompt`) : named;
    const id = this.resumed.get(newest) ?? newest;
    this.touch('turns', id);
    let turn = this.turns.get(id);
    if (turn === undefined) {
      const { seq, at } = entry;
      turn = { id, seq, at, session: sessionId, prompt: undefined, elsewhere: false, state: 'open', closedAt: undefined, calls: [], gaps: [] };
      this.turns.set(id, turn);
      this.session(entry, sessionId).turns.push(id);
    }
    return turn;
  }

  private openTurn(entry: Entry, record: RecordOf<'turn.open'>): void {
    const isNew = !this.turns.has(record.turn);
    const turn = this.turn(entry, record.turn, record.session);
    turn.prompt ??= record.prompt;
    turn.elsewhere ||= record.elsewhere === true;
    // An agent goes on with a turn that had been given up as interrupted.
    if (!isNew && turn.state === 'interrupted') turn.state = 'open';
  }

  private resumeTurn({ turn, resumes }: RecordOf<'turn.resume'>): void {
    if (!this.turns.has(resumes) || this.turns.has(turn)) return;
    this.touch('resumed', turn);
    this.resumed.set(turn, resumes);
  }

  private openCall(entry: Entry, record: RecordOf<'call.open'>): void {
    if (this.calls.has(record.call)) return;
    this.touch('calls', record.call);
    const turn = this.turn(entry, record.turn, record.session);
    turn.calls.push(record.call);
    const snapshots = new Map<string, Snapshot>();
    for (const { path, before, missing, expects } of record.paths) {
      this.observe(entry.seq, path, before);
      snapshots.set(path, { path, before, after: undefined, expects, missing, made: [] });
    }
    const { seq, at } = entry;
    const { session, tool, agentCall, delegate, outside = [], undeclared = false } = record;
    this.calls.set(record.call, { id: record.call, seq, at, session, turn: turn.id, tool, agentCall, delegate, undeclared, outside, outcome: 'open', snapshots, folders: { made: [], removed: [] }, reported: false });
    for (const { path, expects } of snapshots.values()) if (expects !== undefined) this.declare(path, record.call);
    turn.gaps.push(...gapsOf({ tool, undeclared, outside, snapshots }));
  }

  private reportCall(record: RecordOf<'call.report'>): void {
    const call = this.calls.get(record.call);
    if (call?.outcome !== 'open') return;
    this.touch('calls', call.id);
    call.reported = true;
    for (const { path, expects } of record.paths) {
      const snapshot = call.snapshots.get(path);
      if (snapshot === undefined) continue;
      call.snapshots.set(path, { ...snapshot, expects });
      if (expects === undefined) this.undeclare(path, call.id);
      else this.declare(path, call.id);
    }
  }

  private closeCall(entry: Entry, record: RecordOf<'call.close'>): void {
    const call = this.calls.get(record.call);
    if (call === undefined) {
      const turn = this.turn(entry, record.turn, record.session);
      for (const { path, after } of record.paths) {
        this.observe(entry.seq, path, after);
        turn.gaps.push(`${path}: not recorded, what was there before the call is not known`);
      }
      return;
    }
    this.touch('calls', call.id);
    const isOpen = call.outcome === 'open';
    // Where its agent had said so before its bytes were there, the end is that report's.
    const isReport = record.outcome !== 'interrupted' && (isOpen || !call.reported);
    if (isOpen || call.outcome === 'interrupted') call.outcome = record.outcome;
    call.reported ||= isReport;
    for (const path of call.snapshots.keys()) this.undeclare(path, call.id);
    // A call that was refused changed nothing, so nothing of it is missing.
    if (record.outcome === 'cancelled') this.dropGaps(call.turn, gapsOf(call));
    for (const closing of record.paths) this.closePath(entry, call, closing, record.outcome, isReport, isOpen);
  }

  private closePath(entry: Entry, call: OpenCall, closing: RecordOf<'call.close'>['paths'][number], outcome: RecordOf<'call.close'>['outcome'], isReport: boolean, isOpen: boolean): void {
    const { path, after, made } = closing;
    const snapshot = call.snapshots.get(path);
    if (snapshot === undefined) return this.observe(entry.seq, path, after);
    // What it brought was brought, though a late report finds it gone.
    const known = new Set(snapshot.made.map(directory => directory.path));
    const brought = [...snapshot.made, ...made.filter(directory => snapshot.missing.includes(directory.path) && !known.has(directory.path))];
    const untouched = isOpen || (snapshot.after !== undefined && sameContent(snapshot.after, snapshot.before));
    // Where another call has worked on the file meanwhile, what was found is that one's work, and known.
    const last = this.paths.get(path) ?? snapshot.before;
    const found = isReport && sameContent(last, snapshot.before) ? closing.found : undefined;
    if (found !== undefined) this.observe(entry.seq, path, found);
    const isBlurred = found?.kind === 'unreadable';
    if (isBlurred || !isProven(call, snapshot, outcome, isReport && untouched, after)) {
      const isDoubtful = isBlurred || (isOpen && !isWorkOfOthers(this.changes.get(path) ?? [], call, after));
      if (isDoubtful && !sameContent(snapshot.before, after)) this.gapsIn(call.turn).push(`${path}: changed while ${call.tool} was open, and not provably by it`);
      this.observe(entry.seq, path, after);
      // Where its work was seen before, the folders above it are its work as well.
      const isSeen = this.changes.get(path)?.some(({ by }) => by.kind === 'call' && by.call === call.id) === true;
      call.snapshots.set(path, { ...snapshot, after: snapshot.after ?? snapshot.before, made: isSeen ? brought : snapshot.made });
      return;
    }
    this.change(entry.seq, path, this.paths.get(path) ?? snapshot.before, after, ownerBy(call));
    call.snapshots.set(path, { ...snapshot, after, made: brought });
  }

  private addEffects(entry: Entry, record: RecordOf<'effects'>): void {
    const call = this.calls.get(record.call);
    const candidates = (record.candidates ?? []).flatMap(id => this.calls.get(id) ?? []);
    const isOne = call !== undefined && candidates.length === 0;
    for (const path of record.paths) {
      if (isOne) this.addEffect(entry, call, path);
      else this.observeBoth(entry, path);
      for (const turn of new Set(candidates.map(candidate => candidate.turn))) this.gapsIn(turn).push(`${path.path}: ${doubtOf(candidates)}`);
    }
    const folders = { made: record.made ?? [], removed: record.removed ?? [] };
    if (!isOne) this.doubtFolders(record, folders, candidates);
    if (call === undefined) return;
    if (isOne) this.addFolders(call, folders);
    if (record.isComplete) this.dropGaps(call.turn, gapsOf({ ...call, outside: [], snapshots: new Map() }));
    this.gapsIn(call.turn).push(...record.uncovered.map(({ path, reason }) => `${call.tool}${path === '' ? '' : ` ${path}`}: not tracked, ${reason}`));
  }

  private addFolders(call: OpenCall, later: FolderWork): void {
    this.touch('calls', call.id);
    call.folders = bothWorks(call.folders, later);
  }

  /** What happened to folders is said of those that no path of the record tells of. */
  private doubtFolders({ paths }: RecordOf<'effects'>, work: FolderWork, candidates: readonly OpenCall[]): void {
    for (const folder of foldersBeside(work, paths.map(({ path }) => path))) {
      for (const turn of new Set(candidates.map(candidate => candidate.turn))) this.gapsIn(turn).push(`${folder}: ${doubtOf(candidates)}`);
    }
  }

  private observeBoth({ seq }: Entry, { path, before, after }: RecordOf<'effects'>['paths'][number]): void {
    this.observe(seq, path, before);
    this.observe(seq, path, after);
  }

  private addEffect({ seq }: Entry, call: OpenCall, { path, before, after, made = [] }: RecordOf<'effects'>['paths'][number]): void {
    this.touch('calls', call.id);
    const snapshot = call.snapshots.get(path) ?? { path, before, after: undefined, expects: undefined, missing: [], made: [] };
    this.observe(seq, path, before);
    this.change(seq, path, before, after, ownerBy(call));
    const brought = [...snapshot.made, ...made.filter(folder => !snapshot.made.some(known => known.path === folder.path))];
    call.snapshots.set(path, { ...snapshot, after, made: brought });
    const lost = unkept[before.kind];
    if (lost !== undefined) this.gapsIn(call.turn).push(`${path}: what was there before is not kept, ${lost}`);
  }

  private gapsIn(turn: string): string[] {
    this.touch('turns', turn);
    return this.turns.get(turn)?.gaps ?? [];
  }

  private dropGaps(turn: string, dropped: readonly string[]): void {
    const gaps = this.gapsIn(turn);
    for (const gap of dropped) if (gaps.includes(gap)) gaps.splice(gaps.indexOf(gap), 1);
  }

  private closeTurn(entry: Entry, record: RecordOf<'turn.close'>): void {
    const turn = this.turn(entry, record.turn, record.session);
    if (turn.state === 'closed') return;
    turn.state = record.outcome;
    turn.closedAt = entry.at;
  }

  private addStep(entry: Entry, record: RecordOf<'step'>): void {
    const turn = this.turn(entry, record.turn, record.session);
    this.addPoint({ id: record.step, kind: 'step', seq: entry.seq, at: entry.at, session: turn.session, turn: turn.id, label: record.label });
  }

  private addPoint(point: NamedPoint): void {
    if (this.points.has(point.id)) return;
    this.touch('points', point.id);
    this.points.set(point.id, point);
  }

  private addGap(entry: Entry, record: RecordOf<'gap'>): void {
    const session = this.session(entry, record.session);
    const turn = record.turn === undefined ? session.turns.at(-1) : this.turn(entry, record.turn, record.session).id;
    if (turn !== undefined) this.gapsIn(turn).push(`${record.tool ?? 'an event'}: not recorded, ${record.reason}`);
  }

  private openOperation({ seq, at }: Entry, record: RecordOf<'restore.intent'>): void {
    const id = record.operation;
    if (this.operations.has(id)) return;
    this.touch('operations', id);
    this.operations.set(id, { id, seq, at, intent: record, done: undefined });
  }

  private finishOperation(entry: Entry, record: RecordOf<'restore.done'>): void {
    const operation = this.operations.get(record.operation);
    if (operation === undefined || operation.done !== undefined) return;
    this.touch('operations', operation.id);
    operation.done = record;
    const by: ChangeOwner = { kind: 'operation', operation: operation.id, session: operation.intent.session };
    for (const { path, outcome, after } of record.paths) {
      const planned = operation.intent.paths.find(candidate => candidate.path === path);
      if (planned === undefined || outcome !== 'done') {
        this.observe(entry.seq, path, after);
        continue;
      }
      this.observe(entry.seq, path, planned.before);
      this.change(entry.seq, path, planned.before, after, by);
    }
  }

  /**
   * Somebody looked at a path. What doesn't follow from the records is drift, unless it is exactly what an open
   * call was to leave there: calls overlap, and one of them may see the work of another that has not ended.
   */
  private observe(seq: number, path: string, state: State): void {
    const last = this.paths.get(path);
    if (state.kind === 'unreadable') return this.see(path, last ?? state);
    if (last !== undefined && !sameContent(last, state)) this.push({ seq, path, before: last, after: state, by: this.ownerOf(path, state) });
    this.see(path, state);
  }

  private ownerOf(path: string, state: State): ChangeOwner {
    for (const id of this.openAt(path)) {
      const call = this.calls.get(id);
      const snapshot = call?.snapshots.get(path);
      if (call !== undefined && snapshot !== undefined && isExpected(snapshot, state)) return ownerBy(call);
    }
    return { kind: 'drift' };
  }

  private change(seq: number, path: string, before: State, after: State, by: ChangeOwner): void {
    const bothUnknown = before.kind === after.kind && (after.kind === 'special' || after.kind === 'unreadable');
    if (!bothUnknown && !sameState(before, after)) this.push({ seq, path, before, after, by });
    this.see(path, after);
  }

  private see(path: string, state: State): void {
    this.touch('paths', path);
    this.paths.set(path, state);
  }

  private push(change: Change): void {
    this.touch('changes', change.path);
    const changes = this.changes.get(change.path);
    if (changes === undefined) this.changes.set(change.path, [change]);
    else changes.push(change);
  }
}
