import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { isShape, textAt } from '../core/base/shape.ts';
import { tools, type ToolDefinition } from '../tools/catalog.ts';
import { seqsOf, type ToolHost } from '../tools/toolHost.ts';
import { ToolSession } from '../tools/toolSession.ts';
import { isOn } from './settings.ts';
import { preparedInvocation } from './toolWords.ts';

const agent = 'vscode';

/** So many conversations are told apart; of the one that was quiet for longest it is forgotten what its model knows. */
const sessionLimit = 100;

/**
 * The tools as the editor's own chat, and other extensions, find them.
 *
 * A conversation is a session where the editor says which one it is, which it does not promise; calls from nowhere are this window's.
 * A call is a turn of its own, or one with the others of its request where the editor tells that.
 */
export class LanguageModelTools implements Disposable {
  private readonly host: ToolHost;
  private readonly owned = new DisposableStore();
  private readonly since: ReadonlyMap<string, number>;
  private readonly sessions = new Map<string, ToolSession>();

  constructor(host: ToolHost) {
    this.host = host;
    this.since = seqsOf(host);
    // Not every editor that takes VS Code's extensions has models.
    if (typeof vscode.lm?.registerTool !== 'function') return;
    for (const tool of tools) {
      this.owned.add(
        vscode.lm.registerTool<object>(tool.name, {
          prepareInvocation: ({ input }) => preparedInvocation(tool, input),
          invoke: (options, token) => this.invoke(tool, options, token),
        }),
      );
    }
  }

  private async invoke(tool: ToolDefinition, options: vscode.LanguageModelToolInvocationOptions<object>, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    if (tool.writes && !isOn('writeTools')) throw new Error(`${tool.name} is switched off by the setting turnstone.tools.write. Nothing was done.`);
    const session = this.sessionOf(conversationIn(options.toolInvocationToken));
    const request = requestIn(options);
    const controller = new AbortController();
    const listening = token.onCancellationRequested(() => controller.abort());
    if (token.isCancellationRequested) controller.abort();
    try {
      const result = await session.call(tool.name, options.input, { signal: controller.signal, turn: { name: request ?? randomUUID() } });
      if (tool.writes && request === undefined) await session.endTurn();
      if (result.kind === 'done') return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(result.text)]);
      throw result.code === 'cancelled' ? new vscode.CancellationError() : new Error(result.text);
    } finally {
      listening.dispose();
    }
  }

  private sessionOf(conversation: string): ToolSession {
    const session = this.sessions.get(conversation) ?? new ToolSession(this.host, { agent, agentSession: randomUUID() }, this.since);
    this.sessions.delete(conversation);
    this.sessions.set(conversation, session);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > sessionLimit && oldest !== undefined) this.sessions.delete(oldest);
    return session;
  }

  dispose(): void {
    this.owned.dispose();
  }
}

/** The token is opaque: what editors have put into it so far is used to tell conversations apart, and for nothing else. */
function conversationIn(token: unknown): string {
  if (!isShape(token)) return '';
  const { sessionResource, sessionId } = token;
  return typeof sessionId === 'string' ? sessionId : sessionResource === undefined ? '' : JSON.stringify(sessionResource);
}

function requestIn(options: unknown): string | undefined {
  return isShape(options) ? textAt(options, 'chatRequestId') : undefined;
}
