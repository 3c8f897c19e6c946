import { currentTurn, derivedId, randomId } from '../base/ids.ts';
import type { Call } from '../timeline/model.ts';
import type { KnownRoot } from '../timeline/rootRegistry.ts';
import type { SessionStart, TurnOutcome } from './callFacts.ts';
import type { CallRecorder } from './callRecorder.ts';
import type { Recorder } from './recorder.ts';
import type { Recorders } from './recorders.ts';
import type { TurnNote, TurnNotes, Visit } from './turnNotes.ts';

type Reasons = readonly string[];

/**
 * A session in all recorded folders that it works in. Its agent is asked in one of them (or in none that is known) and may come to any other
 * with any call: there its turn is opened with the first call, with its prompt, and ended when it ends. Every method returns the reasons for
 * what could not be recorded.
 *
 * Invariant: a call's event reads no history, wherever it comes.
 */
export class SessionFolders {
  private readonly recorders: Recorders;
  private readonly notes: TurnNotes;
  private readonly opening: SessionStart;
  /** Where the agent is now, if that is a known folder. */
  private readonly home: KnownRoot | undefined;

  constructor(recorders: Recorders, opening: SessionStart, home: KnownRoot | undefined) {
    this.recorders = recorders;
    this.notes = recorders.notes;
    this.opening = opening;
    this.home = home;
  }

  private get session(): string {
    return this.opening.session;
  }

  /** A user's prompt. What an earlier turn has left open in other folders is over, as it is here. */
  async begin(named: string, prompt: string | undefined): Promise<Reasons> {
    const { session, home } = this;
    const turn = named === currentTurn ? randomId('turn') : named;
    const visits = this.notes.visits(session);
    const reasons: string[] = [];
    for (const visit of visits.filter(({ root, turn: opened }) => root !== home?.key && opened !== turn)) {
      reasons.push(...(await this.inVisited(visit, recorder => recorder.closeSession(session))));
      this.notes.leave(session, visit.root);
    }
    const opens = { type: 'session.open' as const, ...this.opening };
    let hash: string | undefined;
    const isPaused = home !== undefined && this.recorders.isPaused(home);
    const missed = isPaused
      ? await this.passOver(home, turn, true)
      : await this.turnIn(home, turn, async recorder => {
          hash = await recorder.openTurn({ session, turn, prompt, opening: opens });
        });
    // A session that has come to no known folder leaves no trace.
    if (home !== undefined || visits.length > 0 || this.notes.current(session) !== undefined) {
      this.notes.begin(session, { turn, ...(hash === undefined ? {} : { prompt: hash }), ...(home === undefined ? {} : { home: home.key }) }, this.recorders.now());
      if (home !== undefined && missed.length === 0) this.notes.noteOpened(session, { root: home.key, turn }, this.recorders.now());
    }
    return [...reasons, ...missed];
  }

  /** The agent goes on with an earlier turn under another id; other folders are told of it when it comes there. */
  async resume(turn: string, agentCall: string | undefined): Promise<Reasons> {
    const { session, home } = this;
    const last = this.notes.current(session);
    let note: TurnNote | undefined = home === undefined && last !== undefined && last.turn !== turn ? { ...last, turn, resumes: last.resumes ?? last.turn } : undefined;
    const missed = await this.turnIn(home, turn, async recorder => {
      if (agentCall !== undefined) await recorder.endBackground(session, agentCall);
      const resumed = await recorder.resumeTurn(session, turn, agentCall);
      if (resumed === undefined) return;
      const isLast = last?.turn === resumed.turn || last?.resumes === resumed.turn;
      note = { turn, resumes: resumed.turn, prompt: resumed.prompt, home: (isLast ? last.home : undefined) ?? home?.key };
    });
    if (note !== undefined) this.notes.begin(session, note, this.recorders.now());
    if (note !== undefined && home !== undefined) this.notes.noteOpened(session, { root: home.key, turn }, this.recorders.now());
    return missed;
  }

  /** The agent is done with its turn, or was stopped in its middle. */
  async end(named: string, outcome: TurnOutcome = 'closed'): Promise<Reasons> {
    const turn = named === currentTurn ? (this.notes.current(this.session)?.turn ?? named) : named;
    const visits = this.notes.visits(this.session).filter(visit => visit.turn === turn);
    return this.everywhere(visits, turn, recorder => recorder.closeTurn(this.session, turn, outcome));
  }

  async endDelegate(delegate: string): Promise<Reasons> {
    return this.everywhere(this.notes.visits(this.session), undefined, recorder => recorder.closeDelegate(this.session, delegate));
  }

  async endSession(): Promise<Reasons> {
    const reasons = await this.everywhere(this.notes.visits(this.session), undefined, recorder => recorder.closeSession(this.session));
    this.notes.forget(this.session);
    return reasons;
  }

  /**
   * Records something about a call in a folder, and before that, where its turn has not been there yet, that it has come. While recording is
   * paused only calls end that had begun before; `ends` names the one that does.
   */
  async recordCall(root: KnownRoot, named: string, tool: string | undefined, work: (recorder: CallRecorder, turn: string) => Promise<void>, ends?: string): Promise<Reasons> {
    const { session } = this;
    const opened = this.notes.openedIn(session, root.key);
    const note = named === currentTurn || opened !== named ? this.notes.current(session) : undefined;
    const turn = named === currentTurn ? (note?.turn ?? this.unasked(root)) : named;
    const isThere = turn === opened || turn === currentTurn;
    const arriving = isThere || note?.turn !== turn ? undefined : note;
    if (this.recorders.isPaused(root) && (ends === undefined || !this.recorders.hasBegun(root, ends))) {
      const reasons = await this.passOver(root, turn, arriving !== undefined && arriving.resumes === undefined);
      if (reasons.length === 0 && arriving !== undefined) this.notes.noteOpened(session, { root: root.key, turn }, this.recorders.now());
      return reasons;
    }
    const reason = await this.recorders.recordCall(root, { session, turn, ...(tool === undefined ? {} : { tool }) }, async recorder => {
      if (arriving !== undefined) await this.arrive(recorder, root, arriving, opened);
      await work(recorder, turn);
    });
    // A late event of an earlier turn does not make that one the folder's last.
    if (reason === undefined && !isThere && (arriving !== undefined || opened === undefined)) this.notes.noteOpened(session, { root: root.key, turn }, this.recorders.now());
    return reason === undefined ? [] : [reason];
  }

  /** Of the folders that the session has come to, the one in which a call was begun: the agent may be in another one by now. */
  whereBegun(call: string): KnownRoot | undefined {
    const places = this.places();
    const isOnlyHome = places.every(({ key }) => key === this.home?.key);
    return (isOnlyHome ? undefined : places.find(root => this.recorders.hasBegun(root, call))) ?? this.home;
  }

  /** The earliest call that the agent gave this id and that has not ended, in whichever of its folders. */
  async whereOpen(agentCall: string): Promise<{ readonly root: KnownRoot; readonly call: string } | undefined> {
    for (const root of this.places()) {
      const call = await this.recorders.openCall(root, this.session, agentCall);
      if (call !== undefined) return { root, call };
    }
    return undefined;
  }

  /** The call that an end is about, where it was begun under another id: in an earlier turn, with which it was closed. */
  async whereEarlier(call: string, agentCall: string): Promise<{ readonly root: KnownRoot; readonly call: Call } | undefined> {
    if (this.places().some(root => this.recorders.hasBegun(root, call))) return undefined;
    for (const root of this.places()) {
      const found = await this.recorders.lastCall(root, this.session, agentCall);
      if (found !== undefined) return found.id === call ? undefined : { root, call: found };
    }
    return undefined;
  }

  /** The known folders that the session has come to, the agent's own first. */
  private places(): readonly KnownRoot[] {
    const { home } = this;
    const visited = this.notes.visits(this.session).flatMap(({ root }) => this.recorders.rootWith(root) ?? []);
    return [...(home === undefined ? [] : [home]), ...visited.filter(({ key }) => key !== home?.key)];
  }

  private async passOver(root: KnownRoot, turn: string, isNew: boolean): Promise<Reasons> {
    const reason = await this.recorders.recordCall(root, { session: this.session, turn }, recorder => recorder.passOver(this.opening, turn, isNew));
    return reason === undefined ? [] : [reason];
  }

  private async arrive(recorder: CallRecorder, root: KnownRoot, { turn, resumes, prompt, home }: TurnNote, opened: string | undefined): Promise<void> {
    await recorder.arrive({
      opening: this.opening,
      turn: resumes ?? turn,
      isNew: opened === undefined || opened !== resumes,
      prompt: prompt === undefined || home === undefined ? undefined : this.recorders.textIn(home, prompt),
      elsewhere: home !== root.key,
      ...(resumes === undefined ? {} : { goesOnAs: turn }),
    });
  }

  /** Where nobody knows of a prompt, the agent's own folder has the newest turn of the session; any other one gets a turn until the next prompt. */
  private unasked(root: KnownRoot): string {
    if (root.key === this.home?.key) return currentTurn;
    const turn = derivedId('turn', this.session);
    this.notes.begin(this.session, { turn }, this.recorders.now());
    return turn;
  }

  private async everywhere(visits: readonly Visit[], turn: string | undefined, work: (recorder: Recorder) => Promise<void>): Promise<Reasons> {
    const reasons: string[] = [];
    for (const visit of visits) reasons.push(...(await this.inVisited(visit, work)));
    // Notes may be lost. Where there are some, the agent may only have looked into the folder in which it is now.
    if (visits.length === 0) reasons.push(...(await this.turnIn(this.home, turn, work)));
    return reasons;
  }

  private async inVisited({ root, turn }: Visit, work: (recorder: Recorder) => Promise<void>): Promise<Reasons> {
    return this.turnIn(this.recorders.rootWith(root), turn, work);
  }

  private async turnIn(root: KnownRoot | undefined, turn: string | undefined, work: (recorder: Recorder) => Promise<void>): Promise<Reasons> {
    if (root === undefined) return [];
    const reason = await this.recorders.recordTurn(root, { session: this.session, ...(turn === undefined ? {} : { turn }) }, work);
    return reason === undefined ? [] : [reason];
  }
}
