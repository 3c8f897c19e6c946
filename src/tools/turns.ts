import { derivedId, randomId } from '../core/base/ids.ts';
import { Recorder } from '../core/capture/recorder.ts';
import { SpreadTurn } from '../core/capture/spreadTurn.ts';
import { viewTurn } from '../core/timeline/view.ts';
import { Knowledge } from './knowledge.ts';
import type { ToolFolder, ToolHost } from './toolHost.ts';
import { Refused } from './toolResult.ts';

/** Who calls: one conversation with one agent. */
export interface ToolCaller {
  readonly agent: string;
  /** The agent's own name for the conversation. */
  readonly agentSession: string;
}

/** The turn that a call names: what its agent calls it, and what the user asked for where the agent tells. */
export interface NamedTurn {
  readonly name: string;
  readonly prompt?: string | undefined;
}

interface Current {
  readonly turn: SpreadTurn;
  readonly isNamed: boolean;
  /** How many restores each folder had when the turn was opened there. */
  readonly opened: Map<string, number>;
}

/** What a session has in one folder. */
export interface Place {
  readonly folder: ToolFolder;
  readonly recorder: Recorder;
  readonly knowledge: Knowledge;
}

/**
 * The turns of one session of tool calls. A call that names none belongs to the one before it; after a rewind a new one begins.
 *
 * Invariant: a turn is opened where its first recorded call comes, so that calls which are refused leave no trace.
 */
export class Turns {
  readonly session: string;
  private readonly host: ToolHost;
  private readonly caller: ToolCaller;
  private readonly since: ReadonlyMap<string, number>;
  private readonly places = new Map<string, Place>();
  private current: Current | undefined;

  constructor(host: ToolHost, caller: ToolCaller, since: ReadonlyMap<string, number>) {
    this.host = host;
    this.caller = caller;
    this.since = since;
    this.session = derivedId('session', caller.agent, caller.agentSession);
  }

  in(folder: ToolFolder): Place {
    const known = this.places.get(folder.key);
    if (known?.folder.store === folder.store) return known;
    const place = { folder, recorder: new Recorder(this.host.files, folder.store), knowledge: known?.knowledge ?? new Knowledge(this.since.get(folder.key) ?? 0) };
    this.places.set(folder.key, place);
    return place;
  }

  /** Names the turn that the coming calls belong to. */
  async name({ name, prompt }: NamedTurn): Promise<void> {
    const id = derivedId('turn', this.caller.agent, this.caller.agentSession, name);
    if (this.current?.turn.id === id) return;
    await this.end();
    this.current = this.begun(id, prompt, true);
  }

  /** Opens the turn in a folder where it is not there yet, and returns it. Throws what keeps it from being recorded. */
  async open({ folder, recorder }: Place): Promise<string> {
    const { timeline } = folder.store;
    const restores = this.current?.opened.get(folder.key);
    if (this.current !== undefined && restores !== undefined && restores !== timeline.operations.size) {
      if (!this.current.isNamed) await this.end();
      else this.mustBeInForce(folder, this.current.turn.id);
    }
    const current = (this.current ??= this.begun(randomId('turn'), undefined, false));
    if (!current.opened.has(folder.key)) {
      await current.turn.comeTo(folder.key, recorder);
      folder.store.refresh();
    }
    current.opened.set(folder.key, folder.store.timeline.operations.size);
    return current.turn.id;
  }

  private begun(id: string, prompt: string | undefined, isNamed: boolean): Current {
    return { turn: new SpreadTurn({ type: 'session.open', session: this.session, ...this.caller }, id, prompt), isNamed, opened: new Map() };
  }

  private mustBeInForce({ store: { timeline } }: ToolFolder, id: string): void {
    const turn = timeline.turns.get(id);
    if (turn !== undefined && viewTurn(timeline, turn).abandonedBy !== undefined) throw new Refused('superseded', 'The turn that this call belongs to was rewound. Nothing was written. Go on in a new turn, and read files again before changing them.');
  }

  /** The turn is over in every folder that it came to. */
  async end(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    await current?.turn.end();
  }
}
