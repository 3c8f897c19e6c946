import { rmSync } from 'node:fs';
import { systemClock } from '../../../src/core/base/clock.ts';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { derivedId, randomId } from '../../../src/core/base/ids.ts';
import { Recorder } from '../../../src/core/capture/recorder.ts';
import { Roots } from '../../../src/core/timeline/roots.ts';
import type { RootStore } from '../../../src/core/timeline/store.ts';
import type { Content, Project } from './project.ts';

export type Changes = Readonly<Record<string, Content>>;

/**
 * An agent that is recorded by this process through the core's wrapper, in the same store that the built command line
 * reads: an event costs a millisecond instead of a process. It can do what no hooked tool reports: moves, steps, permissions.
 */
export class WrappedAgent {
  readonly session: string;
  readonly store: RootStore;
  private readonly project: Project;
  private readonly recorder: Recorder;
  private current = '';

  private constructor(project: Project, session: string, store: RootStore) {
    this.project = project;
    this.session = session;
    this.store = store;
    this.recorder = new Recorder(nodeFiles, store);
  }

  /** The project's folder becomes a known one. */
  static async in(project: Project, name = 'one'): Promise<WrappedAgent> {
    const roots = new Roots(nodeFiles, systemClock, project.storage);
    const agent = new WrappedAgent(project, derivedId('session', 'wrapped', name), roots.open(await roots.add(project.folder)));
    await agent.recorder.openSession({ session: agent.session, agent: 'wrapped', agentSession: name });
    return agent;
  }

  /** Begins a turn and returns its id. */
  async prompt(text: string): Promise<string> {
    this.current = randomId('turn');
    await this.recorder.openTurn({ session: this.session, turn: this.current, prompt: text });
    return this.current;
  }

  /** One call that declares paths and does something to them; returns its id. */
  async call(paths: readonly string[], work: () => void | Promise<void>): Promise<string> {
    const call = randomId('call');
    await this.recorder.run({ session: this.session, turn: this.current, call, tool: 'edit', paths: paths.map(path => this.project.path(path)) }, async () => work());
    return call;
  }

  /** One call that writes files and, for null, deletes them. */
  change(changes: Changes): Promise<string> {
    return this.call(Object.keys(changes), () => {
      for (const [path, content] of Object.entries(changes)) {
        if (content === null) rmSync(this.project.path(path));
        else this.project.write(path, content);
      }
    });
  }

  /** A step of the current turn; returns its id. */
  async step(label: string, id: string = randomId('step')): Promise<string> {
    await this.recorder.addStep({ session: this.session, turn: this.current, step: id, label });
    return id;
  }

  /** A point that the user makes. */
  checkpoint(id: string, label: string): Promise<void> {
    return this.recorder.addCheckpoint(id, label);
  }

  close(): Promise<void> {
    return this.recorder.closeTurn(this.session, this.current);
  }

  /** A whole turn, one call for each of its changes; returns its id. */
  async turn(prompt: string, ...calls: readonly Changes[]): Promise<string> {
    const turn = await this.prompt(prompt);
    for (const changes of calls) await this.change(changes);
    await this.close();
    return turn;
  }
}
