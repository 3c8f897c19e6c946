import { quietWorkspace, type Workspace } from '../../src/core/base/workspace.ts';
import type { Files } from '../../src/core/base/files.ts';
import { Recorder } from '../../src/core/capture/recorder.ts';
import { TreeLooks } from '../../src/core/capture/treeLooks.ts';
import type { OnConflict, PlanContext } from '../../src/core/rewind/plan.ts';
import { restore, type RestoreResult, type Select } from '../../src/core/rewind/restore.ts';
import { selectRollback } from '../../src/core/rewind/selection.ts';
import { selectRewind } from '../../src/core/rewind/travel.ts';
import { newestRedoable, newestUndoable, selectUndo } from '../../src/core/rewind/undo.ts';
import { ignoreRules } from '../../src/core/snapshot/ignoreRules.ts';
import type { KnownRoot } from '../../src/core/timeline/rootRegistry.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { RootStore } from '../../src/core/timeline/store.ts';
import { FakeClock } from './fakeClock.ts';
import { faultyFiles } from './faultyFiles.ts';
import { MemoryFiles } from './memoryFiles.ts';

export const project = '/project';
/** Another folder, known only where a test makes it so. */
export const neighbour = '/neighbour';
export const storage = '/store';

/** The contents of a few files; null for one that is not there. */
export type Contents = Readonly<Record<string, string | null>>;

/** What a command does: to files, or anything. */
export type Work = Contents | ((memory: MemoryFiles) => void);

const bootPath = '/proc/sys/kernel/random/boot_id';

/** A machine in memory with one known folder. */
export class World {
  readonly memory: MemoryFiles;
  readonly clock: FakeClock;
  /** How a process opens the store; a test may open it in another way. */
  openStore: (...parts: ConstructorParameters<typeof RootStore>) => RootStore = (...parts) => new RootStore(...parts);
  private boots = 0;
  private calls = 0;

  constructor(memory = new MemoryFiles(), clock = new FakeClock()) {
    this.memory = memory;
    this.clock = clock;
  }

  /** The same machine once more; what happens to one is nothing to the other. */
  copy(): World {
    const copy = new World(this.memory.copy(), new FakeClock(this.clock.now()));
    copy.openStore = this.openStore;
    copy.boots = this.boots;
    copy.calls = this.calls;
    return copy;
  }

  /** Calls are numbered over all processes: one id is one call. */
  nextCall(): number {
    this.calls += 1;
    return this.calls;
  }

  static async make(contents: Contents = {}): Promise<World> {
    const world = new World();
    world.reboot();
    world.memory.folder(project);
    world.write(contents);
    await new Roots(world.memory, world.clock, storage).add(project);
    return world;
  }

  /** Every process of before is provably gone after this. */
  reboot(): void {
    this.boots += 1;
    this.memory.put(bootPath, `boot-${this.boots}`);
  }

  /** Somebody who is not recorded changes files. */
  write(contents: Contents, folder: string = project): void {
    for (const [path, text] of Object.entries(contents)) {
      if (text !== null) this.memory.put(`${folder}/${path}`, text);
      else {
        this.memory.remove(`${folder}/${path}`);
        // Whether a tool or a user syncs is their own matter.
        this.memory.settle(`${folder}/${path}`);
      }
    }
  }

  /** Makes another folder known. */
  async addNeighbour(contents: Contents = {}): Promise<void> {
    this.memory.folder(neighbour);
    this.write(contents, neighbour);
    await new Roots(this.memory, this.clock, storage).add(neighbour);
  }

  /** A new process: it has a file system of its own, because what a process is is remembered for each. */
  open(files: Files = faultyFiles(this.memory), workspace: Workspace = quietWorkspace, folder: string = project): Actor {
    const roots = new Roots(files, this.clock, storage);
    const root = roots.at(folder);
    if (root === undefined) throw new Error(`${folder} is not known`);
    const open = (known: KnownRoot): RootStore => this.openStore(files, this.clock, roots.directoryOf(known), roots.identityOf(known));
    const sister: NonNullable<PlanContext['sister']> = ({ key }) => {
      const known = roots.list().find(candidate => candidate.key === key);
      return known === undefined ? undefined : { files, store: open(known), workspace, sister };
    };
    return new Actor(this, folder, { files, store: open(root), workspace, sister });
  }

  /** Every file with its text and every folder, for comparing whole trees. */
  tree(top: string = project): Readonly<Record<string, string>> {
    const tree: Record<string, string> = {};
    const walk = (path: string): void => {
      const stat = this.memory.stat(path);
      const name = path.slice(top.length + 1);
      if (stat?.kind === 'directory') {
        if (name !== '') tree[`${name}/`] = stat.mode.toString(8);
        for (const entry of this.memory.readDirectory(path)) walk(`${path}/${entry}`);
      } else if (stat?.kind === 'link') tree[name] = `-> ${this.memory.readLink(path)}`;
      else if (stat !== undefined) tree[name] = `${stat.mode.toString(8)} ${this.memory.text(path)}`;
    };
    walk(top);
    return tree;
  }
}

/** One process with the store open: it records like a wrapper, and restores like a user. */
export class Actor {
  readonly store: RootStore;
  readonly recorder: Recorder;
  readonly context: PlanContext;
  private readonly world: World;
  private readonly folder: string;

  constructor(world: World, folder: string, context: PlanContext) {
    this.world = world;
    this.folder = folder;
    this.store = context.store;
    this.recorder = new Recorder(context.files, context.store, undefined, async () => this.looks());
    this.context = context;
  }

  private looks(): TreeLooks {
    const { files, store } = this.context;
    return new TreeLooks(files, this.world.clock, store, {
      rules: ignoreRules({}),
      maxFileSize: 1000,
      budget: 60_000,
      copyLimit: 100_000,
      leavesOut: absolute => store.owns(absolute),
      readTimeline: async () => {
        store.refresh();
        return store.timeline;
      },
    });
  }

  /** A command that says nothing of what it changes; returns what ends it. */
  async beginShell(turn: string, work: Work, session = 's-a'): Promise<() => Promise<void>> {
    const call = `c-${turn}-${this.world.nextCall()}`;
    await this.recorder.begin({ session, turn, call, tool: 'Bash', agentCall: call, paths: undefined });
    if (typeof work === 'function') work(this.world.memory);
    else this.world.write(work, this.folder);
    return () => this.recorder.end({ session, turn, call, tool: 'Bash', outcome: 'done', paths: [], mayChangeAnything: true });
  }

  async shell(turn: string, work: Work, session = 's-a'): Promise<void> {
    await (await this.beginShell(turn, work, session))();
  }

  async openTurn(turn: string, session = 's-a'): Promise<void> {
    await this.recorder.openTurn({ session, turn, prompt: `do ${turn}` });
  }

  /** Begins a call of a turn and changes its files, as the tool does; returns what ends it. */
  async begin(turn: string, contents: Contents, session = 's-a'): Promise<() => Promise<void>> {
    const call = `c-${turn}-${this.world.nextCall()}`;
    const paths = Object.keys(contents).map(path => `${this.folder}/${path}`);
    const expected = (path: string): Uint8Array | undefined => {
      const content = contents[path.slice(this.folder.length + 1)];
      return typeof content === 'string' ? Buffer.from(content) : undefined;
    };
    await this.recorder.begin({ session, turn, call, tool: 'Write', paths, expected });
    this.world.write(contents, this.folder);
    return () => this.recorder.end({ session, turn, call, outcome: 'done', paths });
  }

  async call(turn: string, contents: Contents, session = 's-a'): Promise<void> {
    await (await this.begin(turn, contents, session))();
  }

  /** A whole turn: each of its calls writes (or, for null, deletes) files. */
  async turn(turn: string, calls: readonly Contents[], session = 's-a'): Promise<void> {
    await this.openTurn(turn, session);
    for (const contents of calls) await this.call(turn, contents, session);
    await this.recorder.closeTurn(session, turn);
  }

  restore(select: Select, onConflict: OnConflict = 'stop', dryRun = false): Promise<RestoreResult> {
    return restore(this.context, select, { decide: () => onConflict, dryRun });
  }

  rewind(target: string, onConflict: OnConflict = 'stop'): Promise<RestoreResult> {
    return this.restore((timeline, look) => selectRewind(timeline, target, look), onConflict);
  }

  rollback(target: string, onConflict: OnConflict = 'stop', path?: string): Promise<RestoreResult> {
    return this.restore((timeline, look) => selectRollback(timeline, target, path, look), onConflict);
  }

  undo(onConflict: OnConflict = 'stop'): Promise<RestoreResult> {
    return this.restore(timeline => selectUndo(timeline, 'undo', newestUndoable(timeline)), onConflict);
  }

  redo(onConflict: OnConflict = 'stop'): Promise<RestoreResult> {
    return this.restore(timeline => selectUndo(timeline, 'redo', newestRedoable(timeline)), onConflict);
  }
}

/** What a restore did per path, in a form that reads well in an assertion. */
export function actionsOf(result: RestoreResult): Readonly<Record<string, string>> {
  const outcomes = new Map(result.kind === 'applied' ? result.done.map(({ path, outcome }) => [path, outcome]) : []);
  return Object.fromEntries(result.plan.items.map(({ path, action }) => [path, outcomes.has(path) && outcomes.get(path) !== 'done' ? `${action} ${outcomes.get(path)}` : action]));
}
