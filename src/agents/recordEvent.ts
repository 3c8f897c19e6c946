import { isAbsolute, resolve } from 'node:path';
import { sha256OfText } from '../core/base/digest.ts';
import { currentTurn, derivedId, randomId } from '../core/base/ids.ts';
import type { SessionStart } from '../core/capture/callFacts.ts';
import type { CallRecorder } from '../core/capture/callRecorder.ts';
import type { Recorders } from '../core/capture/recorders.ts';
import { SessionFolders } from '../core/capture/sessionFolders.ts';
import type { Call } from '../core/timeline/model.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import type { AgentCall, AgentEvent, Origin } from './agentEvent.ts';

type Reasons = readonly string[];
type EventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;

/** Records what an agent told by one event. Returns reasons for what could not be recorded. */
export async function recordEvent(agent: string, origin: Origin, event: AgentEvent, recorders: Recorders): Promise<Reasons> {
  return recorders.allows(agent) ? new EventRecorder(agent, origin, recorders).record(event) : [];
}

interface BatchedCall {
  readonly id: string;
  readonly tool: string;
  readonly paths: readonly string[];
  readonly mayChangeAnything: boolean;
  readonly mayHaveRun: boolean;
}

/** The agent's own ids name our things, so that a hook can append without knowing what came before, and an event that comes twice is one. */
class EventRecorder {
  private readonly agent: string;
  private readonly origin: Origin;
  private readonly recorders: Recorders;
  private readonly home: KnownRoot | undefined;
  private readonly session: string;
  private readonly turn: string;
  private readonly folders: SessionFolders;

  constructor(agent: string, origin: Origin, recorders: Recorders) {
    this.agent = agent;
    this.origin = origin;
    this.recorders = recorders;
    this.home = recorders.rootOf(origin.directory);
    this.session = derivedId('session', agent, origin.session);
    this.turn = origin.turn === undefined ? currentTurn : derivedId('turn', agent, origin.session, origin.turn);
    this.folders = new SessionFolders(recorders, this.opening, this.home);
  }

  private get opening(): SessionStart {
    const { transcript, session } = this.origin;
    return { session: this.session, agent: this.agent, agentSession: session, ...(transcript ? { transcript } : {}) };
  }

  async record(event: AgentEvent): Promise<Reasons> {
    const { folders, turn } = this;
    switch (event.kind) {
      case 'session': {
        const reason = this.home === undefined ? undefined : await this.recorders.recordCall(this.home, { session: this.session, turn }, recorder => recorder.openSession(this.opening));
        return reason === undefined ? [] : [reason];
      }
      case 'prompt':
        return folders.begin(turn, event.text);
      case 'notification':
        return turn === currentTurn ? [] : folders.resume(turn, event.call);
      case 'begin':
        return this.begin(event);
      case 'end':
        return this.end(event);
      case 'batch':
        return this.closeBatch(event);
      case 'turnEnd':
        return folders.end(turn, event.isInterrupted === true ? 'interrupted' : 'closed');
      case 'delegateEnd':
        return folders.endDelegate(event.delegate);
      case 'sessionEnd':
        return folders.endSession();
      case 'none':
        return [];
    }
  }

  private async begin({ call: told, delegate, process, expected }: EventOf<'begin'>): Promise<Reasons> {
    const call = this.settled(told);
    if (call.effect.kind === 'none') return [];
    const paths = this.pathsOf(call);
    const root = this.rootFor(paths) ?? this.home;
    if (root === undefined) return [];
    const named = { call: this.idOf(call) ?? randomId('call'), agentCall: call.id ?? likeness(call) };
    return this.folders.recordCall(root, this.turn, call.tool, (recorder, turn) =>
      recorder.begin({ session: this.session, turn, ...named, tool: call.tool, delegate, agentProcess: process, paths, expected, settles: this.origin.endsEarly }),
    );
  }

  private async end({ call: told, outcome, runsOn, found, expected }: EventOf<'end'>): Promise<Reasons> {
    const call = this.settled(told);
    if (call.effect.kind === 'none') return [];
    const paths = this.pathsOf(call);
    const id = this.idOf(call);
    const earlier = id === undefined || call.id === undefined || call.effect.kind !== 'undeclared' ? undefined : await this.folders.whereEarlier(id, call.id);
    if (earlier !== undefined) return this.endLate(earlier.root, earlier.call);
    const begun = id === undefined ? await this.folders.whereOpen(likeness(call)) : undefined;
    const root = this.rootFor(paths) ?? (id === undefined ? (begun?.root ?? this.home) : this.folders.whereBegun(id));
    if (root === undefined) return [];
    const name = id ?? begun?.call ?? randomId('call');
    const ended = {
      ...{ session: this.session, call: name, tool: call.tool, outcome, paths: paths ?? [], mayChangeAnything: call.effect.kind === 'undeclared' },
      ...{ runsOn, found, mayBeEarly: this.origin.endsEarly, expected },
    };
    return this.folders.recordCall(root, this.turn, call.tool, (recorder, turn) => recorder.end({ ...ended, turn }), name);
  }

  /** A command has ended that ran on when its turn ended, and was closed with that. Once is enough to say that nobody watched it since. */
  private async endLate(root: KnownRoot, { id, turn, tool, outcome }: Call): Promise<Reasons> {
    if (outcome !== 'interrupted') return [];
    return this.folders.recordCall(root, this.turn, tool, async recorder => {
      await recorder.addGap({ session: this.session, turn, tool, reason: 'what it did after its turn had ended' });
      await recorder.end({ session: this.session, turn, call: id, outcome: 'done', paths: [] });
    });
  }

  /**
   * Ends the calls of a batch whose own post event never came: they were refused, and never ran. One that is not on record at all, and was not
   * refused before it began either, could not be recorded.
   */
  private async closeBatch({ calls }: EventOf<'batch'>): Promise<Reasons> {
    const byRoot = new Map<KnownRoot, BatchedCall[]>();
    for (const call of calls) {
      const id = this.idOf(call);
      if (call.effect.kind === 'none' || id === undefined) continue;
      const paths = this.pathsOf(call) ?? [];
      const root = this.rootFor(paths) ?? this.folders.whereBegun(id);
      if (root === undefined) continue;
      const mayChangeAnything = call.effect.kind === 'undeclared';
      byRoot.set(root, [...(byRoot.get(root) ?? []), { id, tool: call.tool, paths, mayChangeAnything, mayHaveRun: !call.isRefused && (mayChangeAnything || paths.length > 0) }]);
    }
    const reasons: string[] = [];
    for (const [root, batched] of byRoot) reasons.push(...(await this.folders.recordCall(root, this.turn, undefined, (recorder, turn) => this.closeBatched(batched, turn, recorder))));
    return reasons;
  }

  private async closeBatched(calls: readonly BatchedCall[], turn: string, recorder: CallRecorder): Promise<void> {
    const open = recorder.openAmong(calls.map(({ id }) => id));
    const ids = { session: this.session, turn };
    for (const { id, tool, paths, mayChangeAnything, mayHaveRun } of calls) {
      if (open.has(id)) await recorder.end({ ...ids, call: id, outcome: 'cancelled', paths, mayChangeAnything });
      else if (mayHaveRun && !(await recorder.knows(id))) await recorder.addGap({ ...ids, tool, reason: 'neither its beginning nor its end is on record' });
    }
  }

  private idOf({ id }: AgentCall): string | undefined {
    return id === undefined ? undefined : derivedId('call', this.agent, this.origin.session, this.origin.turn ?? '', id);
  }

  /** The call with what it may change as things are now. */
  private settled(call: AgentCall): AgentCall {
    if (call.effect.kind !== 'exact' || call.effect.looksElsewhere !== true) return call;
    return this.pathsOf(call)?.some(path => this.recorders.isThere(path)) === true ? call : { ...call, effect: { kind: 'undeclared' } };
  }

  private pathsOf({ effect }: AgentCall): readonly string[] | undefined {
    return effect.kind === 'exact' ? effect.paths.map(path => (isAbsolute(path) ? path : resolve(this.origin.directory, path))) : undefined;
  }

  /** The deepest root that holds a call's file owns it; a file in none is named where the agent works. */
  private rootFor(paths: readonly string[] | undefined): KnownRoot | undefined {
    return paths?.[0] === undefined ? undefined : this.recorders.rootOf(paths[0]);
  }
}

/** Stands for the id of a call that has none: the same for its beginning and its end. */
function likeness({ tool, input }: AgentCall): string {
  return `like-${Buffer.from(sha256OfText(JSON.stringify([tool, input ?? null]))).toString('hex').slice(0, 32)}`;
}
