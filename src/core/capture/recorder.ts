import { join } from 'node:path';
import { TurnstoneError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { currentTurn } from '../base/ids.ts';
import { defaultMaxFileSize, observe } from '../snapshot/observe.ts';
import { observeInRoot } from '../snapshot/observeInRoot.ts';
import { hasObstacle } from '../snapshot/paths.ts';
import { absent, sameContent, type State } from '../snapshot/state.ts';
import { headsOf } from '../timeline/activePath.ts';
import { closeByDisk } from '../timeline/interrupted.ts';
import type { Call, Timeline, Turn } from '../timeline/model.ts';
import type { RecordOf } from '../timeline/records.ts';
import type { RootStore } from '../timeline/store.ts';
import type { DeclaredPaths, Looks, TurnOutcome } from './callFacts.ts';
import { CallRecorder } from './callRecorder.ts';
import { Draft } from './draft.ts';
import { pathsBeingRestored } from './effects.ts';
import type { Looking, OverCalls } from './treeLooks.ts';

/** How often an event is drafted anew while others append; each of them makes progress with every try of ours. */
const draftAttempts = 100;

/** What a call declared when it began, from the history; undefined where that doesn't know the call. */
export function declaredPaths(store: RootStore, call: string): DeclaredPaths | undefined {
  store.refresh();
  const snapshots = store.timeline.calls.get(call)?.snapshots;
  if (snapshots === undefined) return undefined;
  return new Map(
    [...snapshots.values()].map(({ path, missing, before }) => {
      const content = before.kind === 'content' ? before : undefined;
      return [path, { missing, kind: before.kind, hash: content?.hash, mode: content?.mode }];
    }),
  );
}

/** The earliest call of a session that its agent gave this id and that has not ended, from the history. */
export function openCall(store: RootStore, session: string, agentCall: string): string | undefined {
  store.refresh();
  return [...store.timeline.calls.values()].find(call => call.session === session && call.agentCall === agentCall && call.outcome === 'open')?.id;
}

/** The newest call of a session that its agent gave this id, ended or not, from the history. */
export function lastCall(store: RootStore, session: string, agentCall: string): Call | undefined {
  store.refresh();
  return [...store.timeline.calls.values()].findLast(call => call.session === session && call.agentCall === agentCall);
}

/**
 * Records turns and calls in one root.
 *
 * Invariant: a turn starts from what is on the disk. What changed since the last record is drift, nobody's call.
 */
export class Recorder extends CallRecorder {
  private readonly store: RootStore;

  constructor(files: Files, store: RootStore, maxFileSize: number = defaultMaxFileSize, looks: Looks = async () => undefined) {
    super(files, store, async call => declaredPaths(store, call), maxFileSize, looks);
    this.store = store;
  }

  /** A user's prompt begins a turn; what was open before in this session is over. Returns the prompt's hash. */
  async openTurn(turn: { session: string; turn: string; prompt: string | undefined; opening?: RecordOf<'session.open'> | undefined; title?: string | undefined; elsewhere?: boolean }): Promise<string | undefined> {
    let hash: string | undefined;
    await this.commitWithDrift(call => call.session === turn.session && call.turn !== turn.turn, (draft, timeline) => {
      hash = timeline.turns.get(turn.turn)?.prompt;
      if (hash !== undefined) return;
      if (turn.opening !== undefined && !timeline.sessions.has(turn.session)) draft.records.push({ ...turn.opening, ...(turn.title === undefined ? {} : { title: draft.keepText(turn.title) }) });
      this.draftEnd(draft, timeline, turn.session, turn.turn);
      this.draftDrift(draft, timeline);
      hash = turn.prompt === undefined ? undefined : draft.keepText(turn.prompt);
      const heads = headsOf(timeline, turn.session);
      draft.records.push({
        type: 'turn.open',
        session: turn.session,
        turn: turn.turn,
        ...(hash === undefined ? {} : { prompt: hash }),
        ...(turn.elsewhere === true ? { elsewhere: true } : {}),
        ...(heads.code === undefined ? {} : { codeHead: heads.code }),
        ...(heads.conversation === undefined ? {} : { conversationHead: heads.conversation }),
      });
    });
    return hash;
  }

  /** The agent goes on with a turn under another id, because something that it had left running has ended. Returns that turn; undefined where there is none. */
  async resumeTurn(session: string, turn: string, agentCall: string | undefined): Promise<Pick<Turn, 'prompt'> & { readonly turn: string } | undefined> {
    let resumed: { readonly turn: string; readonly prompt: string | undefined } | undefined;
    await this.commitDrafted((draft, timeline) => {
      resumed = undefined;
      if (timeline.turns.has(turn)) return;
      const started = [...timeline.calls.values()].findLast(call => call.session === session && call.agentCall !== undefined && call.agentCall === agentCall);
      const resumes = started?.turn ?? timeline.sessions.get(session)?.turns.at(-1);
      if (resumes === undefined) return;
      draft.records.push({ type: 'turn.resume', session, turn, resumes });
      resumed = { turn: resumes, prompt: timeline.turns.get(resumes)?.prompt };
    });
    return resumed;
  }

  /** The agent has reached a named point of its turn. */
  async addStep(step: { readonly session: string; readonly turn: string; readonly step: string; readonly label: string }): Promise<void> {
    const { label, ...ids } = step;
    await this.commitDrafted(draft => draft.records.push({ type: 'step', ...ids, label: draft.keepText(label) }));
  }

  /** The user makes a point to come back to. What is on the disk then belongs to it. */
  async addCheckpoint(checkpoint: string, label: string | undefined): Promise<void> {
    await this.commitWithDrift(() => false, (draft, timeline) => {
      this.draftDrift(draft, timeline);
      draft.records.push({ type: 'checkpoint', checkpoint, ...(label === undefined ? {} : { label: draft.keepText(label) }) });
    });
  }

  /** The agent said that the turn is over. Only one that is on record and has not ended can have been interrupted. */
  async closeTurn(session: string, named: string, outcome: TurnOutcome = 'closed'): Promise<void> {
    await this.commitClosing((call, timeline) => call.turn === (named === currentTurn ? timeline.sessions.get(session)?.turns.at(-1) : named), (draft, timeline) => {
      const turn = named === currentTurn ? timeline.sessions.get(session)?.turns.at(-1) : named;
      const state = turn === undefined ? undefined : timeline.turns.get(turn)?.state;
      if (turn === undefined || state === 'closed' || (outcome === 'interrupted' && state !== 'open')) return;
      this.draftCalls(draft, timeline, call => call.turn === turn);
      draft.records.push({ type: 'turn.close', session, turn, outcome });
    });
  }

  /** The conversation is over, or at least its program is: what is still open was interrupted. */
  async closeSession(session: string): Promise<void> {
    await this.commitClosing(call => call.session === session, (draft, timeline) => this.draftEnd(draft, timeline, session, undefined));
  }

  /** A sub-agent is over: so are its calls. */
  async closeDelegate(session: string, delegate: string): Promise<void> {
    await this.commitClosing(call => call.session === session && call.delegate === delegate, (draft, timeline) => this.draftCalls(draft, timeline, call => call.session === session && call.delegate === delegate));
  }

  /** Something that an agent had left running has ended. */
  async endBackground(session: string, agentCall: string): Promise<void> {
    await this.lookAtEnd({ session, background: agentCall });
  }

  /**
   * Commits what closes calls by nobody's word: what those that may have changed anything did is looked for before. Where there is
   * none nothing is waited for, so that the commit keeps its turn.
   */
  private async commitClosing(which: (call: Call, timeline: Timeline) => boolean, make: (draft: Draft, timeline: Timeline) => unknown): Promise<void> {
    const over = this.openUndeclared().filter(call => which(call, this.store.timeline));
    if (over.length > 0) await this.lookAtEnd({ calls: over.map(({ id }) => id) });
    await this.commitDrafted(make);
  }

  /** Commits what tells drift, too. What commands that run on have done so far, in whichever turn, is theirs and no drift: it is looked for before. */
  private async commitWithDrift(which: (call: Call) => boolean, make: (draft: Draft, timeline: Timeline) => unknown): Promise<void> {
    const open = this.openUndeclared();
    if (open.length > 0 && !open.some(which)) await this.quietly(looks => looks.between());
    await this.commitClosing(which, make);
  }

  private openUndeclared(): readonly Call[] {
    this.store.refresh();
    return [...this.store.timeline.calls.values()].filter(call => call.undeclared && call.outcome === 'open');
  }

  private async lookAtEnd(which: OverCalls): Promise<void> {
    await this.quietly(looks => looks.end(which, 'ran', [], new Map()));
  }

  /** Where a look fails, its calls stay such of which nobody knows what they changed, and their turn says so. */
  private async quietly(look: (looks: Looking) => Promise<void>): Promise<void> {
    try {
      const looks = await this.looks();
      if (looks !== undefined) await look(looks);
    } catch {
      // The turn says it.
    }
  }

  /**
   * Commits what is drafted from the timeline and the disk, and drafts it anew where another process has appended
   * meanwhile: what was seen on the disk is true only next to the records that were known then. A call that began
   * in between has perhaps written already, and its work would be taken for somebody else's.
   */
  private async commitDrafted(make: (draft: Draft, timeline: Timeline) => unknown): Promise<void> {
    for (let attempt = 1; attempt <= draftAttempts; attempt += 1) {
      this.store.refresh();
      const draft = new Draft();
      make(draft, this.store.timeline);
      if (draft.records.length === 0 || (await this.store.commit(draft.contents, draft.records, this.store.timeline.seq))) return;
    }
    throw new TurnstoneError('busy', `Other processes kept recording for ${draftAttempts} tries.`);
  }

  private draftEnd(draft: Draft, timeline: Timeline, session: string, except: string | undefined): void {
    const turns = (timeline.sessions.get(session)?.turns ?? []).filter(turn => turn !== except);
    this.draftCalls(draft, timeline, call => turns.includes(call.turn));
    for (const turn of turns) {
      if (timeline.turns.get(turn)?.state === 'open') draft.records.push({ type: 'turn.close', session, turn, outcome: 'interrupted' });
    }
  }

  /** Closes calls that nobody reported as done, by reading the disk. */
  private draftCalls(draft: Draft, timeline: Timeline, which: (call: Call) => boolean): void {
    for (const call of timeline.calls.values()) {
      if (call.outcome !== 'open' || !which(call)) continue;
      const see = (path: string): State => draft.keep(observeInRoot(this.files, this.root, path, this.maxFileSize));
      draft.records.push(closeByDisk(call, timeline.calls.values(), see, missing => this.madeParents(missing)));
    }
  }

  /** What changed on recorded paths since the last record is the user's, or another program's. */
  private draftDrift(draft: Draft, timeline: Timeline): void {
    // Paths that a call has declared and not yet given back are that call's, and those that a restore is writing are its.
    const calls = [...timeline.calls.values()].filter(call => call.outcome === 'open').flatMap(call => [...call.snapshots.keys()]);
    const claimed = new Set([...calls, ...pathsBeingRestored(timeline)]);
    const paths: RecordOf<'drift'>['paths'] = [];
    for (const [path, last] of timeline.paths) {
      if (claimed.has(path)) continue;
      // A file that is too large to keep is too large to read at every prompt: its size has to do.
      if (last.kind === 'oversize' && this.files.stat(join(this.root, path))?.size === last.size) continue;
      const seen = observe(this.files, join(this.root, path), this.maxFileSize);
      if (sameContent(seen.state, last) || seen.state.kind === 'unreadable') continue;
      // Only now, because most have not changed.
      const observation = hasObstacle(this.files, this.root, path) ? { state: absent } : seen;
      if (!sameContent(observation.state, last)) paths.push({ path, after: draft.keep(observation) });
    }
    if (paths.length > 0) draft.records.push({ type: 'drift', paths });
  }
}
