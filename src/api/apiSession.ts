import { randomUUID } from 'node:crypto';
import { derivedId } from '../core/base/ids.ts';
import { messageOf } from '../core/base/errors.ts';
import { Recorder } from '../core/capture/recorder.ts';
import { activityOf, type Scope } from '../core/timeline/activity.ts';
import type { Heads } from '../core/timeline/activePath.ts';
import type { RecordOf } from '../core/timeline/records.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { ToolFolder } from '../tools/toolHost.ts';
import type { ApiHost } from './apiHost.ts';
import { checked, type ApiInput } from './apiInputs.ts';
import { ApiTurn } from './apiTurn.ts';
import type { AgentSession, ConversationAdapter } from './turnstone.d.ts';

/** One conversation with another extension's agent, in all folders that it works in. */
export class ApiSession implements AgentSession {
  readonly id: string;
  readonly host: ApiHost;
  readonly opening: RecordOf<'session.open'>;
  readonly title: string | undefined;
  readonly conversation: ConversationAdapter | undefined;
  readonly turns: ApiTurn[] = [];
  private readonly places = new Map<string, { readonly folder: ToolFolder; readonly recorder: Recorder }>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(host: ApiHost, { agent, title, conversation }: ApiInput<'session'>) {
    const agentSession = randomUUID();
    this.host = host;
    this.id = derivedId('session', agent, agentSession);
    this.opening = { type: 'session.open', session: this.id, agent, agentSession };
    this.title = title;
    this.conversation = conversation;
  }

  openTurn(options: { readonly prompt: string }): ApiTurn {
    const { prompt } = checked('turn', options);
    this.interrupt();
    const turn = new ApiTurn(this, prompt);
    this.turns.push(turn);
    return turn;
  }

  /** What is open is over. */
  interrupt(): Promise<void> {
    return this.turns.at(-1)?.end('interrupted') ?? Promise.resolve();
  }

  /** Runs after all that was asked for before. Whoever asks need not wait for it: what goes wrong is in the log then. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch((error: unknown) => this.host.warn(messageOf(error)));
    return result;
  }

  /** All that was asked for before is done, or has failed. */
  async settled(): Promise<void> {
    await this.last;
  }

  /** Whether any call of it has changed a path. */
  hasChanged({ timeline }: RootStore, path: string): boolean {
    return timeline.changes.get(path)?.some(({ by }) => by.kind === 'call' && by.session === this.id) === true;
  }

  recorderIn(folder: ToolFolder): Recorder {
    const known = this.places.get(folder.key);
    if (known?.folder.store === folder.store) return known.recorder;
    const { files, looksAt } = this.host;
    const recorder = new Recorder(files, folder.store, undefined, async () => looksAt(folder.store));
    this.places.set(folder.key, { folder, recorder });
    return recorder;
  }

  /** The history of a folder that it has come to, read to its end as far as that goes. */
  storeIn(key: string): RootStore | undefined {
    const store = this.places.get(key)?.folder.store;
    try {
      store?.refresh();
    } catch {
      // What was read before still counts.
    }
    return store;
  }

  /** The histories that it is in. */
  get stores(): readonly RootStore[] {
    return [...this.places.keys()].flatMap(key => this.storeIn(key) ?? []);
  }

  /** The turn that an id names, or whose step it names. */
  turnOf(id: string): ApiTurn | undefined {
    return this.turns.find(turn => turn.id === id || turn.steps.has(id));
  }

  /** Where it stands, in all its folders together. */
  heads(stores: readonly RootStore[] = this.stores): Heads {
    const head = (scope: Scope): string | undefined => {
      const views = stores.map(({ timeline }) => ({ timeline, activity: activityOf(timeline, scope) }));
      return this.turns.findLast(({ id }) => {
        const there = views.filter(({ timeline }) => timeline.turns.has(id));
        return there.length > 0 && there.every(({ timeline, activity }) => activity.abandonedBy(this.id, timeline.turns.get(id)?.seq ?? 0) === undefined);
      })?.id;
    };
    return { code: head('code'), conversation: head('conversation') };
  }
}
