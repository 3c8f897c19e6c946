import { ApiClient } from '../../../src/api/apiClient.ts';
import type { ApiHost } from '../../../src/api/apiHost.ts';
import { RunningCalls } from '../../../src/api/runningCalls.ts';
import type { AgentTurn, RewindEvent } from '../../../src/api/turnstone.d.ts';
import type { Files } from '../../../src/core/base/files.ts';
import { Emitter } from '../../../src/core/base/event.ts';
import { looksAtStore } from '../../../src/core/capture/rootLooks.ts';
import { whyNotRecording } from '../../../src/core/capture/whyNot.ts';
import type { PlanContext } from '../../../src/core/rewind/plan.ts';
import type { Neighbour } from '../../../src/core/rewind/request.ts';
import { Roots } from '../../../src/core/timeline/roots.ts';
import type { RootStore } from '../../../src/core/timeline/store.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { neighbour, project, storage, World, type Actor, type Contents } from '../../twins/world.ts';

/** An editor on a machine in memory, with extensions that use the API, and a user in the same window beside them. */
export class ApiGround {
  readonly world: World;
  readonly changed = new Emitter<void>();
  readonly warnings: string[] = [];
  readonly events: RewindEvent[] = [];
  readonly running: RunningCalls;
  /** What recordings tell that there is; a test may take it away. */
  folders: ReturnType<ApiHost['folders']>;
  readonly api: ApiClient;
  private readonly files: Files;
  private readonly actors: readonly Actor[];

  private constructor(world: World, folders: readonly string[], files: Files, waited: () => Promise<void>) {
    this.world = world;
    this.files = files;
    this.running = new RunningCalls(waited);
    this.actors = folders.map(folder => world.open(files, undefined, folder));
    this.folders = this.actors.map(({ store }) => ({ key: store.identity.key, store }));
    this.api = this.newClient();
    this.api.onDidRewind(event => this.events.push(event));
  }

  static async make(contents: Contents = {}, { filesOf = world => faultyFiles(world.memory), waited = () => new Promise<void>(() => undefined), inTwo = false }: { readonly filesOf?: (world: World) => Files; readonly waited?: () => Promise<void>; readonly inTwo?: boolean } = {}): Promise<ApiGround> {
    const world = await World.make(contents);
    if (inTwo) await world.addNeighbour({ 'b.txt': '0' });
    return new ApiGround(world, inTwo ? [project, neighbour] : [project], filesOf(world), waited);
  }

  newClient(): ApiClient {
    const ground = this;
    const host: ApiHost = {
      files: this.files,
      clock: this.world.clock,
      running: this.running,
      folders: () => ground.folders,
      whyNotIn: root => whyNotRecording(this.files, storage, root, 'extensions'),
      whyNone: 'nobody has agreed.',
      onDidChange: this.changed.event,
      looksAt: store => looksAtStore(this.files, this.world.clock, new Roots(this.files, this.world.clock, storage), store),
      contextOf: store => this.contextOf(store),
      neighboursOf: store => this.neighboursOf(store),
      warn: sentence => void this.warnings.push(sentence),
    };
    return new ApiClient(host);
  }

  private actorWith(store: RootStore): Actor {
    return this.actors.find(actor => actor.store.identity.store === store.identity.store) as Actor;
  }

  /** What a restore from this window works with. */
  contextOf(store: RootStore): PlanContext {
    return { ...this.actorWith(store).context, running: this.running };
  }

  neighboursOf(store: RootStore): readonly Neighbour[] {
    return this.actors.filter(actor => actor !== this.actorWith(store)).map(actor => ({ name: actor.store.identity.path, newest: () => actor.store.newest()?.at, open: () => this.contextOf(actor.store) }));
  }

  /** The history of the folder, or of the other one, read to its end. */
  store(index = 0): RootStore {
    const { store } = this.actors[index] as Actor;
    store.refresh();
    return store;
  }

  openTurn(prompt = 'do it', client = this.api): AgentTurn {
    return client.openSession({ agent: 'example' }).openTurn({ prompt });
  }

  /** A tool that writes files of the folder. */
  write(turn: AgentTurn, contents: Contents, folder = project): Promise<void> {
    return turn.run({ tool: 'write', paths: Object.keys(contents).map(path => `${folder}/${path}`) }, () => this.world.write(contents, folder));
  }

  text(path: string, folder = project): string | undefined {
    const absolute = `${folder}/${path}`;
    return this.world.memory.stat(absolute) === undefined ? undefined : this.world.memory.text(absolute);
  }
}

/** A tool that waits in its middle until somebody lets it go on. */
export function pausing(): { readonly arrived: Promise<AbortSignal>; readonly tool: (signal: AbortSignal) => Promise<string>; readonly goOn: () => void } {
  let arrive: (signal: AbortSignal) => void;
  let goOn: () => void = () => undefined;
  const arrived = new Promise<AbortSignal>(resolve => (arrive = resolve));
  const gone = new Promise<void>(resolve => (goOn = resolve));
  return { arrived, goOn: () => goOn(), tool: async signal => {
    arrive(signal);
    await gone;
    return 'result';
  } };
}

/** Stops as soon as it is told to. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
  throw signal.reason;
}
