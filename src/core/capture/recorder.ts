import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { sha256 } from '../base/digest.ts';
import { isShape, listAt, textAt } from '../base/shape.ts';
import { defaultMaxFileSize, observe, type Observation } from '../snapshot/observe.ts';
import { isSoundPath, locate, missingParents } from '../snapshot/paths.ts';
import { sameContent } from '../snapshot/state.ts';
import type { Call, Timeline } from '../timeline/model.ts';
import type { JournalRecord, RecordOf } from '../timeline/records.ts';
import type { RootStore } from '../timeline/store.ts';

/** A tool execution as its wrapper knows it. Paths are absolute, as the tool names them. */
export interface CallStart {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
  readonly tool: string;
  /** The agent's own id of the call. */
  readonly agentCall?: string | undefined;
  readonly delegate?: string | undefined;
  /** The files that it says it will change; undefined for a tool that may change anything. */
  readonly paths: readonly string[] | undefined;
}

export interface CallEnd {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
  readonly outcome: RecordOf<'call.close'>['outcome'];
  readonly paths: readonly string[];
}

/** Contents and records that are made together. */
class Draft {
  readonly contents = new Map<string, Uint8Array>();
  readonly records: JournalRecord[] = [];

  keep(observation: Observation): Observation['state'] {
    if (observation.state.kind === 'content' && observation.bytes !== undefined) this.contents.set(observation.state.hash, observation.bytes);
    return observation.state;
  }
}

/**
 * Records what tools do to the files of one root.
 *
 * Invariants:
 * - `begin` returns only when the states before are durable; the tool runs after that.
 * - `begin` and `end` need no history: they cost the same in a long one as in a new one.
 * - A turn starts from what is on the disk: what changed since the last record is drift, nobody's call.
 */
export class Recorder {
  private readonly files: Files;
  private readonly store: RootStore;
  private readonly root: string;
  private readonly maxFileSize: number;

  constructor(files: Files, store: RootStore, maxFileSize: number = defaultMaxFileSize) {
    this.files = files;
    this.store = store;
    this.root = store.identity.path;
    this.maxFileSize = maxFileSize;
  }

  async openSession(session: { session: string; agent: string; agentSession: string; transcript?: string | undefined }): Promise<void> {
    const { transcript, ...rest } = session;
    await this.store.commit(new Map(), [{ type: 'session.open', ...rest, ...(transcript === undefined ? {} : { transcript }) }]);
  }

  /** A user's prompt begins a turn; what was open before in this session is over. */
  async openTurn(turn: { session: string; turn: string; prompt: string | undefined; opening?: JournalRecord | undefined }): Promise<void> {
    this.store.refresh();
    const { timeline } = this.store;
    if (timeline.turns.get(turn.turn)?.prompt !== undefined) return;
    const draft = new Draft();
    if (turn.opening !== undefined && !timeline.sessions.has(turn.session)) draft.records.push(turn.opening);
    this.draftEnd(draft, timeline, turn.session, turn.turn);
    this.draftDrift(draft, timeline);
    const prompt = turn.prompt === undefined ? undefined : Buffer.from(turn.prompt, 'utf8');
    const hash = prompt === undefined ? undefined : sha256(prompt);
    if (prompt !== undefined && hash !== undefined) draft.contents.set(hash, prompt);
    const head = timeline.sessions.get(turn.session)?.turns.at(-1);
    draft.records.push({
      type: 'turn.open',
      session: turn.session,
      turn: turn.turn,
      ...(hash === undefined ? {} : { prompt: hash }),
      ...(head === undefined ? {} : { codeHead: head, conversationHead: head }),
    });
    await this.store.commit(draft.contents, draft.records);
  }

  /** The agent goes on with a turn under another id, because something that it had left running has ended. */
  async resumeTurn(session: string, turn: string, agentCall: string | undefined): Promise<void> {
    this.store.refresh();
    const { timeline } = this.store;
    if (timeline.turns.has(turn)) return;
    const started = [...timeline.calls.values()].findLast(call => call.session === session && call.agentCall !== undefined && call.agentCall === agentCall);
    const resumes = started?.turn ?? timeline.sessions.get(session)?.turns.at(-1);
    if (resumes !== undefined) await this.store.commit(new Map(), [{ type: 'turn.resume', session, turn, resumes }]);
  }

  /** The agent said that the turn is over. */
  async closeTurn(session: string, turn: string): Promise<void> {
    this.store.refresh();
    const draft = new Draft();
    const { timeline } = this.store;
    if (timeline.turns.get(turn)?.state === 'closed') return;
    this.draftCalls(draft, timeline, call => call.turn === turn, 'done');
    draft.records.push({ type: 'turn.close', session, turn, outcome: 'closed' });
    await this.store.commit(draft.contents, draft.records);
  }

  /** The conversation is over, or at least its program is: what is still open was interrupted. */
  async closeSession(session: string): Promise<void> {
    this.store.refresh();
    const draft = new Draft();
    this.draftEnd(draft, this.store.timeline, session, undefined);
    if (draft.records.length > 0) await this.store.commit(draft.contents, draft.records);
  }

  /** A sub-agent is over: so are its calls. */
  async closeDelegate(session: string, delegate: string): Promise<void> {
    this.store.refresh();
    const draft = new Draft();
    this.draftCalls(draft, this.store.timeline, call => call.session === session && call.delegate === delegate, 'done');
    if (draft.records.length > 0) await this.store.commit(draft.contents, draft.records);
  }

  async begin(call: CallStart): Promise<void> {
    const draft = new Draft();
    const paths: RecordOf<'call.open'>['paths'] = [];
    const outside: { path: string; reason: string }[] = [];
    for (const named of call.paths ?? []) {
      const located = locate(this.files, this.root, named);
      if (located.kind === 'outside') {
        outside.push({ path: named, reason: located.reason });
        continue;
      }
      const { path } = located;
      if (paths.some(other => other.path === path)) continue;
      const before = draft.keep(observe(this.files, join(this.root, path), this.maxFileSize));
      paths.push({ path, before, missing: [...missingParents(this.files, this.root, path)] });
    }
    const { session, turn, call: id, tool, agentCall, delegate } = call;
    draft.records.push({
      type: 'call.open',
      session,
      turn,
      call: id,
      tool,
      paths,
      ...(agentCall === undefined ? {} : { agentCall }),
      ...(delegate === undefined ? {} : { delegate }),
      ...(call.paths === undefined ? { undeclared: true } : {}),
      ...(outside.length === 0 ? {} : { outside }),
    });
    await this.store.commit(draft.contents, draft.records);
  }

  async end(call: CallEnd): Promise<void> {
    const draft = new Draft();
    const missing = this.missingBefore(call.call);
    const paths: RecordOf<'call.close'>['paths'] = [];
    for (const named of call.paths) {
      const located = locate(this.files, this.root, named);
      if (located.kind === 'outside' || paths.some(other => other.path === located.path)) continue;
      const after = draft.keep(observe(this.files, join(this.root, located.path), this.maxFileSize));
      paths.push({ path: located.path, after, made: this.madeParents(missing.get(located.path) ?? []) });
    }
    const { session, turn, call: id, outcome } = call;
    draft.records.push({ type: 'call.close', session, turn, call: id, outcome, paths });
    await this.store.commit(draft.contents, draft.records);
  }

  /** Brackets a tool that runs in this process: it starts only when the states before are durable. */
  async run<T>(call: CallStart, tool: () => Promise<T>): Promise<T> {
    await this.begin(call);
    let outcome: CallEnd['outcome'] = 'failed';
    try {
      const result = await tool();
      outcome = 'done';
      return result;
    } finally {
      await this.end({ session: call.session, turn: call.turn, call: call.call, outcome, paths: call.paths ?? [] });
    }
  }

  /** Which of these calls have begun and not ended, as far as the newest records tell. */
  openAmong(calls: readonly string[]): ReadonlySet<string> {
    return new Set(
      calls.filter(call => {
        const types = this.store.recent(call).map(record => textAt(record, 'type'));
        return types.includes('call.open') && !types.includes('call.close');
      }),
    );
  }

  /** The folders that were missing above each path when the call began. */
  private missingBefore(call: string): ReadonlyMap<string, readonly string[]> {
    const recent = this.store.recent(call).find(record => record['type'] === 'call.open');
    const paths = recent === undefined ? undefined : listAt(recent, 'paths')?.filter(isShape);
    if (paths !== undefined) return new Map(paths.map(entry => [textAt(entry, 'path') ?? '', (listAt(entry, 'missing') ?? []).filter(isSoundPath)]));
    this.store.refresh();
    const known = this.store.timeline.calls.get(call);
    return new Map([...(known?.snapshots.values() ?? [])].map(({ path, missing }) => [path, missing]));
  }

  private madeParents(missing: readonly string[]): { path: string; mode: number }[] {
    return missing.flatMap(path => {
      const stat = this.files.stat(join(this.root, path));
      return stat?.kind === 'directory' ? [{ path, mode: stat.mode }] : [];
    });
  }

  private draftEnd(draft: Draft, timeline: Timeline, session: string, except: string | undefined): void {
    const turns = (timeline.sessions.get(session)?.turns ?? []).filter(turn => turn !== except);
    this.draftCalls(draft, timeline, call => turns.includes(call.turn), 'interrupted');
    for (const turn of turns) {
      if (timeline.turns.get(turn)?.state === 'open') draft.records.push({ type: 'turn.close', session, turn, outcome: 'interrupted' });
    }
  }

  /** Closes open calls by reading the disk. */
  private draftCalls(draft: Draft, timeline: Timeline, which: (call: Call) => boolean, outcome: CallEnd['outcome']): void {
    for (const call of timeline.calls.values()) {
      if (call.outcome !== 'open' || !which(call)) continue;
      const paths = [...call.snapshots.values()].map(({ path, missing }) => ({
        path,
        after: draft.keep(observe(this.files, join(this.root, path), this.maxFileSize)),
        made: this.madeParents(missing),
      }));
      draft.records.push({ type: 'call.close', session: call.session, turn: call.turn, call: call.id, outcome, paths });
    }
  }

  /** What changed on recorded paths since the last record is the user's, or another program's. */
  private draftDrift(draft: Draft, timeline: Timeline): void {
    // Paths that a call has declared and not yet given back are that call's, and so are those just closed.
    const claimed = new Set([...timeline.calls.values()].filter(call => call.outcome === 'open').flatMap(call => [...call.snapshots.keys()]));
    const paths: RecordOf<'drift'>['paths'] = [];
    for (const [path, last] of timeline.paths) {
      if (claimed.has(path)) continue;
      const observation = observe(this.files, join(this.root, path), this.maxFileSize);
      if (sameContent(observation.state, last) || observation.state.kind === 'unreadable') continue;
      paths.push({ path, after: draft.keep(observation) });
    }
    if (paths.length > 0) draft.records.push({ type: 'drift', paths });
  }
}
