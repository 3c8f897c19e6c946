import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { sha256 } from '../base/digest.ts';
import { processWith } from '../base/processes.ts';
import { countAt, isShape, listAt, textAt, type Shape } from '../base/shape.ts';
import { defaultMaxFileSize, observe } from '../snapshot/observe.ts';
import { observeInRoot } from '../snapshot/observeInRoot.ts';
import { isSoundPath, locate, missingParents, type Located } from '../snapshot/paths.ts';
import type { State } from '../snapshot/state.ts';
import type { JournalRecord, RecordOf } from '../timeline/records.ts';
import type { StoreWriter } from '../timeline/storeWriter.ts';
import type { Arrival, CallEnd, CallStart, Declared, DeclaredPaths, FindInHistory, Looks, SessionStart } from './callFacts.ts';
import { Draft } from './draft.ts';
import { EarlyEnds } from './earlyEnds.ts';
import { hasOpenLooks } from './openLooks.ts';
import type { Looking } from './treeLooks.ts';

/**
 * Records single calls in one root: what every tool execution waits for.
 *
 * Invariants:
 * - `begin` returns only when the states before are durable; the tool runs after that.
 * - `begin` and `end` read no history: they cost the same in a long one as in a new one.
 */
export class CallRecorder {
  protected readonly files: Files;
  protected readonly writer: StoreWriter;
  protected readonly root: string;
  protected readonly maxFileSize: number;
  private readonly findInHistory: FindInHistory;
  protected readonly looks: Looks;

  constructor(files: Files, writer: StoreWriter, findInHistory: FindInHistory, maxFileSize: number = defaultMaxFileSize, looks: Looks = async () => undefined) {
    this.files = files;
    this.writer = writer;
    this.root = writer.identity.path;
    this.findInHistory = findInHistory;
    this.maxFileSize = maxFileSize;
    this.looks = looks;
  }

  private get early(): EarlyEnds {
    return new EarlyEnds(this.writer, path => observe(this.files, join(this.root, path), this.maxFileSize), missing => this.madeParents(missing), named => this.insideOf(named));
  }

  async openSession(session: SessionStart): Promise<void> {
    await this.writer.commit(new Map(), [sessionOpen(session)]);
  }

  /** Says which turn is coming, before its first call here. */
  async arrive({ opening, turn, isNew, prompt, elsewhere, goesOnAs }: Arrival): Promise<void> {
    const { session } = opening;
    const draft = new Draft();
    if (isNew) {
      const hash = prompt === undefined ? undefined : draft.keepBytes(prompt);
      draft.records.push(sessionOpen(opening), { type: 'turn.open', session, turn, ...(hash === undefined ? {} : { prompt: hash }), ...(elsewhere ? { elsewhere } : {}) });
    }
    if (goesOnAs !== undefined) draft.records.push({ type: 'turn.resume', session, turn: goesOnAs, resumes: turn });
    await this.writer.commit(draft.contents, draft.records);
  }

  /** Something of a turn is not on record. */
  async addGap(gap: { readonly session: string; readonly turn: string; readonly tool: string; readonly reason: string }): Promise<void> {
    await this.writer.commit(new Map(), [{ type: 'gap', ...gap, happenedAt: this.writer.now() }]);
  }

  /** A turn goes on while recording is paused: that much is said, once, and nothing of what it is about or does. */
  async passOver(opening: SessionStart, turn: string, isNew: boolean): Promise<void> {
    const { session } = opening;
    if (!isNew && this.writer.hasRecentGap(session, turn, paused)) return;
    const opens: readonly JournalRecord[] = isNew ? [sessionOpen(opening), { type: 'turn.open', session, turn }] : [];
    await this.writer.commit(new Map(), [...opens, { type: 'gap', session, turn, tool: 'what it did', happenedAt: this.writer.now(), reason: paused }]);
  }

  async begin(call: CallStart): Promise<void> {
    if (call.paths !== undefined && hasOpenLooks(this.files, this.writer.directory)) await this.lookAhead(call.paths);
    const draft = new Draft();
    if (call.settles === true) this.early.settle(draft, call.session);
    const paths: RecordOf<'call.open'>['paths'] = [];
    const outside: { path: string; reason: string }[] = [];
    for (const named of call.paths ?? []) {
      const located = this.locate(named);
      if (located.kind === 'outside') {
        outside.push({ path: named, reason: located.reason });
        continue;
      }
      const { path } = located;
      if (paths.some(other => other.path === path)) continue;
      const observation = observe(this.files, join(this.root, path), this.maxFileSize);
      const before = draft.keep(observation);
      const expected = before.kind === 'content' || before.kind === 'absent' ? call.expected?.(named, observation.bytes) : undefined;
      paths.push({ path, before, missing: [...missingParents(this.files, this.root, path)], ...(expected === undefined ? {} : { expects: sha256(expected) }) });
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
    if (call.paths !== undefined) await this.writer.commit(draft.contents, draft.records);
    else await this.orPlainly(draft, looks => looks.begin({ session, turn, call: id, tool, agentCall, since: this.writer.now(), agent: call.agentProcess === undefined ? undefined : processWith(this.files, call.agentProcess) }, draft.records, draft.contents));
  }

  /** What commands that are running have done so far to files that a call declares is theirs, and would be taken for what was there before them. */
  private async lookAhead(named: readonly string[]): Promise<void> {
    try {
      const paths = named.map(path => this.locate(path)).flatMap(located => (located.kind === 'inside' ? [located.path] : []));
      await (await this.looks())?.ahead(paths);
    } catch {
      // Then it is drift: nobody's, and guarded.
    }
  }

  /** Looks at all files, too. Where that fails the record is made without: the call is one then of which nobody knows what it changed, and it says why. */
  private async orPlainly(draft: Draft, look: (looks: Looking) => Promise<void>, told?: (reason: string) => JournalRecord): Promise<void> {
    let reason: string | undefined;
    try {
      const looks = await this.looks();
      if (looks !== undefined) return await look(looks);
    } catch (error) {
      reason = messageOf(error);
    }
    if (reason !== undefined && told !== undefined) draft.records.unshift(told(reason));
    await this.writer.commit(draft.contents, draft.records);
  }

  async end(call: CallEnd): Promise<void> {
    const draft = new Draft();
    if (call.mayBeEarly === true && call.outcome === 'done' && call.mayChangeAnything !== true && this.early.end(draft, call)) {
      if (draft.records.length > 0) await this.writer.commit(draft.contents, draft.records);
      return;
    }
    const begun = await this.declaredBy(call.call);
    const declared: DeclaredPaths = begun ?? new Map();
    const named = call.paths.flatMap(path => this.insideOf(path));
    // What was declared is looked at even if its name leads elsewhere by now: a file may have become a link.
    const paths = [...new Set([...declared.keys(), ...named])].map(path => {
      const after = draft.keep(observeInRoot(this.files, this.root, path, this.maxFileSize));
      const found = declared.size === 1 && declared.has(path) ? this.found(draft, call, declared.get(path)) : undefined;
      return { path, ...(found === undefined ? {} : { found }), after, made: this.madeParents(declared.get(path)?.missing ?? []) };
    });
    const { session, turn, call: id, outcome, tool } = call;
    // Nobody may have been able to say so at the time: a full disk takes no note of it either.
    const isLost = begun === undefined && outcome !== 'cancelled' && !this.isClosed(id);
    if (isLost && tool !== undefined) draft.records.push({ type: 'gap', session, turn, tool, happenedAt: this.writer.now(), reason: lostBeginning });
    draft.records.push({ type: 'call.close', session, turn, call: id, outcome, paths });
    const notSeen = (reason: string): JournalRecord => ({ type: 'effects', session, turn, call: id, paths: [], uncovered: [{ path: '', reason }], isComplete: false });
    if (call.mayChangeAnything === true) await this.orPlainly(draft, looks => looks.end({ calls: [id] }, outcome === 'cancelled' ? 'never ran' : call.runsOn === true ? 'runs on' : 'ran', draft.records, draft.contents), notSeen);
    else await this.writer.commit(draft.contents, draft.records);
  }

  private insideOf(named: string): readonly string[] {
    const located = this.locate(named);
    return located.kind === 'inside' ? [located.path] : [];
  }

  private found(draft: Draft, call: CallEnd, declared: Declared | undefined): State | undefined {
    // Of what was not kept, only parts would be known: nothing is made up from them.
    if (call.found === undefined || (declared?.kind !== 'content' && declared?.kind !== 'absent')) return undefined;
    const { hash } = declared;
    const found = call.found(hash, () => (hash === undefined ? undefined : this.writer.blobs.read(hash)));
    switch (found.kind) {
      case 'same':
        return undefined;
      case 'unknown':
        return { kind: 'unreadable', reason: 'the tool found other content there' };
      case 'other':
        return draft.keep({ state: { kind: 'content', hash: sha256(found.bytes), mode: declared.mode ?? 0o644, size: found.bytes.length }, bytes: found.bytes });
    }
  }

  /** Brackets a tool that runs in this process: it starts only when the states before are durable. */
  async run<T>(call: CallStart, tool: () => Promise<T>): Promise<T> {
    await this.begin(call);
    const mayChangeAnything = call.paths === undefined;
    let outcome: CallEnd['outcome'] = 'failed';
    try {
      const result = await tool();
      outcome = 'done';
      return result;
    } finally {
      await this.end({ session: call.session, turn: call.turn, call: call.call, outcome, paths: call.paths ?? [], mayChangeAnything });
    }
  }

  /** Which of these calls have begun and not ended, as far as the newest records tell. */
  openAmong(calls: readonly string[]): ReadonlySet<string> {
    return new Set(
      calls.filter(call => {
        const types = this.writer.recent(call).map(record => textAt(record, 'type'));
        return types.includes('call.open') && !types.includes('call.close');
      }),
    );
  }

  /** Whether a call is on record at all. */
  async knows(call: string): Promise<boolean> {
    return this.writer.recent(call).length > 0 || (await this.findInHistory(call)) !== undefined;
  }

  private isClosed(call: string): boolean {
    return this.writer.recent(call).some(record => record['type'] === 'call.close');
  }

  private locate(named: string): Located {
    const located = locate(this.files, this.root, named);
    if (located.kind === 'inside' && this.writer.owns(join(this.root, located.path))) return { kind: 'outside', reason: "it is in Turnstone's own storage" };
    return located;
  }

  /** What a call declared when it began; undefined where that is not on record. */
  private async declaredBy(call: string): Promise<DeclaredPaths | undefined> {
    const recent = this.writer.recent(call).find(record => record['type'] === 'call.open');
    const paths = recent === undefined ? undefined : listAt(recent, 'paths')?.filter(isShape);
    // So much may have been recorded since that the call's beginning is far back: then, and only then, history is read.
    if (paths === undefined) return this.findInHistory(call);
    return new Map(paths.filter(entry => isSoundPath(entry['path'])).map(entry => [textAt(entry, 'path') ?? '', declaredIn(entry)]));
  }

  protected madeParents(missing: readonly string[]): { path: string; mode: number }[] {
    return missing.flatMap(path => {
      const { state } = observe(this.files, join(this.root, path), this.maxFileSize);
      return state.kind === 'directory' ? [{ path, mode: state.mode }] : [];
    });
  }
}

/** Why nothing is recorded of what a turn did. */
const paused = 'recording was paused';

/** Why a call that has only an end on record is not recorded. */
const lostBeginning = 'its beginning is not on record';

function sessionOpen({ transcript, ...rest }: SessionStart): RecordOf<'session.open'> {
  return { type: 'session.open', ...rest, ...(transcript === undefined ? {} : { transcript }) };
}

function declaredIn(entry: Shape): Declared {
  const before = entry['before'];
  const content = isShape(before) && before['kind'] === 'content' ? before : undefined;
  return {
    missing: (listAt(entry, 'missing') ?? []).filter(isSoundPath),
    kind: isShape(before) ? textAt(before, 'kind') : undefined,
    hash: content === undefined ? undefined : textAt(content, 'hash'),
    mode: content === undefined ? undefined : countAt(content, 'mode'),
  };
}
