import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordEvent } from '../../src/agents/recordEvent.ts';
import { takeEvent, type Taken } from '../../src/agents/takeEvent.ts';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { quietWorkspace } from '../../src/core/base/workspace.ts';
import { history } from '../../src/core/capture/history.ts';
import { Recorders } from '../../src/core/capture/recorders.ts';
import { restore } from '../../src/core/rewind/restore.ts';
import { newestUndoable, selectUndo } from '../../src/core/rewind/undo.ts';
import { selectRewind } from '../../src/core/rewind/travel.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import type { RootStore } from '../../src/core/timeline/store.ts';
import { promptOf, viewTurns } from '../../src/core/timeline/view.ts';
import { makeScratch, treeOf, type Files, type Scratch, type Tree } from './scratch.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A session of an agent that is not here: its events are handed to Turnstone in this process, and what its tools did is done to a real folder. */
export class ToldSession {
  readonly place: Scratch;
  readonly store: RootStore;
  readonly before: Tree;
  private readonly agent: string;
  private readonly roots: Roots;
  private readonly environment: NodeJS.ProcessEnv;

  private constructor(agent: string, place: Scratch, roots: Roots, store: RootStore, environment: NodeJS.ProcessEnv) {
    this.agent = agent;
    this.place = place;
    this.roots = roots;
    this.store = store;
    this.environment = environment;
    this.before = treeOf(place.project);
  }

  /** `agent` is the one whose hook tells. */
  static async of(agent: string, files?: Files, environment: NodeJS.ProcessEnv = {}): Promise<ToldSession> {
    const place = makeScratch(files);
    const roots = new Roots(nodeFiles, systemClock, `${place.home}/store`);
    return new ToldSession(agent, place, roots, roots.open(await roots.add(place.project)), environment);
  }

  path(name: string): string {
    return join(this.place.project, name);
  }

  /** Hands one event on, as a process of its own. Returns what it was taken for; whatever could not be recorded is a failure. */
  async tell(event: string, payload: Fields, hasHooks: (agent: string) => boolean = () => false): Promise<Taken> {
    const taken = takeEvent(this.agent, event, JSON.stringify(payload), this.environment, hasHooks);
    if (taken.kind !== 'event') return taken;
    const recorders = new Recorders(nodeFiles, systemClock, this.roots, async () => history);
    const reasons = await recordEvent(taken.agent, taken.origin, taken.event, recorders);
    if (reasons.length > 0) throw new Error(reasons.join('\n'));
    return taken;
  }

  /** Does what a tool does, or the user: writes files, and deletes those that are null. */
  write(files: Readonly<Record<string, string | null>>): void {
    for (const [name, text] of Object.entries(files)) {
      if (text === null) rmSync(this.path(name));
      else {
        mkdirSync(dirname(this.path(name)), { recursive: true });
        writeFileSync(this.path(name), text);
      }
    }
  }

  text(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Turns, oldest first, with what is told of them. */
  get turns(): readonly { readonly prompt: string | undefined; readonly state: string; readonly agent: string | undefined; readonly files: readonly string[] }[] {
    this.store.refresh();
    return viewTurns(this.store.timeline, true)
      .toReversed()
      .map(({ turn, agent, files }) => ({ prompt: promptOf(turn, this.store.blobs), state: turn.state, agent, files: files.map(({ path, status }) => `${status} ${path}`).sort() }));
  }

  get gaps(): readonly string[] {
    this.store.refresh();
    return [...this.store.timeline.turns.values()].flatMap(({ gaps }) => gaps);
  }

  get outcomes(): readonly string[] {
    this.store.refresh();
    return [...this.store.timeline.calls.values()].map(({ tool, outcome }) => `${tool} ${outcome}`);
  }

  /** Goes back to before the first turn, and takes that back: how each ended, and the tree after it. */
  async thereAndBack(): Promise<readonly unknown[]> {
    this.store.refresh();
    const first = this.store.timeline.turns.keys().next().value ?? '';
    const context = { files: nodeFiles, store: this.store, workspace: quietWorkspace };
    const ask = { decide: () => 'stop' as const, dryRun: false };
    const there = await restore(context, (timeline, look) => selectRewind(timeline, first, look), ask);
    const tree = treeOf(this.place.project);
    const back = await restore(context, timeline => selectUndo(timeline, 'undo', newestUndoable(timeline)), ask);
    return [there.kind, tree, back.kind, treeOf(this.place.project)];
  }
}
