// An agent of another extension, as its author would write it: it uses Turnstone's published types and its API, and nothing else of it.
import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import type { AgentSession, AgentTurn, RewindEvent, TurnstoneApi, TurnstoneExports } from '../../../src/api/turnstone.d.ts';

/** One conversation with the agent. Its "model" is whoever calls it. */
export class ExampleAgent {
  readonly api: TurnstoneApi;
  readonly session: AgentSession;
  readonly rewinds: RewindEvent[] = [];

  constructor(api: TurnstoneApi, name: string) {
    this.api = api;
    this.session = api.openSession({ agent: name, title: `A talk with ${name}` });
    api.onDidRewind(event => this.rewinds.push(event));
  }

  /** The user asks for something. */
  ask(prompt: string): AgentTurn {
    return this.session.openTurn({ prompt });
  }

  /** A tool that says which file it changes. */
  async writeFile(turn: AgentTurn, uri: vscode.Uri, text: string): Promise<void> {
    await turn.run({ tool: 'write_file', paths: [uri] }, () => vscode.workspace.fs.writeFile(uri, Buffer.from(text)));
  }

  /** One that doesn't: a script that Node runs in a folder. Returns its exit code. */
  async runScript(turn: AgentTurn, folder: string, script: string): Promise<number | null> {
    return turn.run({ tool: 'run_script' }, signal => {
      const child = spawn(process.execPath, ['-e', script], { cwd: folder, signal, env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' }, stdio: 'ignore' });
      return new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve));
    });
  }

  /** One that takes its time: it writes a line for each of its steps, until it is told to stop. `onStopped` runs then, before it ends. */
  async writeSlowly(turn: AgentTurn, uri: vscode.Uri, onStarted: () => void, onStopped: () => void): Promise<void> {
    await turn.run({ tool: 'write_slowly', paths: [uri] }, async signal => {
      await vscode.workspace.fs.writeFile(uri, Buffer.from('the first line\n'));
      onStarted();
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
      onStopped();
    });
  }
}

export interface Example {
  /** Another agent, which knows nothing of the others. */
  newAgent(name: string): ExampleAgent;
}

export async function activate(): Promise<Example> {
  const turnstone = vscode.extensions.getExtension<TurnstoneExports>('turnstone.turnstone');
  if (turnstone === undefined) throw new Error('Turnstone is not installed.');
  const { getApi } = await turnstone.activate();
  return { newAgent: name => new ExampleAgent(getApi(1), name) };
}
