import assert from 'node:assert/strict';
import type { Files } from '../../../src/core/base/files.ts';
import { whyNotRecording } from '../../../src/core/capture/whyNot.ts';
import type { ToolHost } from '../../../src/tools/toolHost.ts';
import type { RefusalCode } from '../../../src/tools/toolResult.ts';
import { ToolSession, type CallOptions } from '../../../src/tools/toolSession.ts';
import { FakeWorkspace } from '../../twins/fakeWorkspace.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { World, project, storage, type Actor, type Contents } from '../../twins/world.ts';

/** A model's tools on a machine in memory, and a user beside them. */
export class ToolGround {
  readonly world: World;
  readonly workspace: FakeWorkspace;
  readonly user: Actor;
  readonly host: ToolHost;
  session: ToolSession;

  private constructor(world: World, files: Files) {
    this.world = world;
    this.workspace = new FakeWorkspace(world.memory);
    this.user = world.open(undefined, this.workspace);
    const { store } = world.open(files);
    this.host = { files, workspace: this.workspace, folders: () => [{ key: store.identity.key, store }], whyNotIn: root => whyNotRecording(files, storage, root, 'tools'), whyNone: 'nobody has agreed.' };
    this.session = this.newSession('one');
  }

  static async make(contents: Contents = {}, filesOf: (world: World) => Files = world => faultyFiles(world.memory)): Promise<ToolGround> {
    const world = await World.make(contents);
    return new ToolGround(world, filesOf(world));
  }

  newSession(name: string): ToolSession {
    return new ToolSession(this.host, { agent: 'model', agentSession: name });
  }

  async done(tool: string, input: object, options: CallOptions = {}): Promise<string> {
    const result = await this.session.call(`turnstone_${tool}`, input, options);
    assert.equal(result.kind, 'done', result.text);
    return result.text;
  }

  /** The tool refuses, and not one byte, mode or folder is other than before. */
  async refused(code: RefusalCode, tool: string, input: object, options: CallOptions = {}): Promise<string> {
    const before = this.world.tree();
    const result = await this.session.call(`turnstone_${tool}`, input, options);
    assert.equal(result.kind === 'refused' ? result.code : result.text, code, result.text);
    assert.deepEqual(this.world.tree(), before);
    return result.text;
  }

  text(path: string): string {
    return this.world.memory.text(`${project}/${path}`);
  }

  /** Turns, oldest first: state, and per file its status. */
  turns(): readonly unknown[] {
    this.user.store.refresh();
    const { timeline } = this.user.store;
    return [...timeline.turns.values()].map(({ state, calls }) => [state, ...calls.map(id => {
      const call = timeline.calls.get(id);
      return `${call?.tool.slice('turnstone_'.length)} ${call?.outcome}: ${[...(call?.snapshots.keys() ?? [])].join(' ')}`;
    })]);
  }

  newestTurn(): string {
    this.user.store.refresh();
    return [...this.user.store.timeline.turns.keys()].at(-1) ?? '';
  }
}

/** The version that a refusal or a result names. */
export function versionIn(text: string): string {
  return /version (?:is )?"?(\w+)/.exec(text)?.[1] ?? '';
}
