import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { nodeFiles } from '../core/base/files.ts';
import { isShape, textAt } from '../core/base/shape.ts';
import { tools, type ToolDefinition } from '../tools/catalog.ts';
import { seqsOf, type ToolHost } from '../tools/toolHost.ts';
import { jsonSchemaOf } from '../tools/toolInputs.ts';
import type { ToolResult } from '../tools/toolResult.ts';
import { ToolSession } from '../tools/toolSession.ts';
import type { NamedTurn } from '../tools/turns.ts';

/** Under these names a client may tell in a call's `_meta` which turn it belongs to, and what the user asked for; a refusal has its code there. */
const metaNames = { turn: 'turnstone/turn', prompt: 'turnstone/prompt', refusal: 'turnstone/refusal' } as const;

const instructions = 'Changes made with these tools are recorded, call by call, and the user can take each of them back exactly. Paths may be relative to the workspace folder.';

/** The version is in the package that the bundle came with. */
function versionBeside(bundle: string): string {
  try {
    const manifest: unknown = JSON.parse(Buffer.from(nodeFiles.read(join(dirname(bundle), '..', 'package.json'))).toString('utf8'));
    return (isShape(manifest) ? textAt(manifest, 'version') : undefined) ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function describe({ name, title, description, writes, input }: ToolDefinition): Tool {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchemaOf(input) as Tool['inputSchema'],
    annotations: { title, readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false },
  };
}

function turnIn(meta: unknown): NamedTurn | undefined {
  const name = isShape(meta) ? textAt(meta, metaNames.turn) : undefined;
  return name === undefined || !isShape(meta) ? undefined : { name, prompt: textAt(meta, metaNames.prompt) };
}

/** The tools as an MCP server has them: one client, one session, and one turn until a call names another. */
export class McpTools {
  readonly server: Server;
  private readonly host: ToolHost;
  private readonly offered: readonly ToolDefinition[];
  private readonly since: ReadonlyMap<string, number>;
  private session: ToolSession | undefined;

  constructor(host: ToolHost, bundle: string, readOnly: boolean) {
    this.host = host;
    this.offered = tools.filter(({ writes }) => !writes || !readOnly);
    // What the client's model reads before its first call, it reads from here on.
    this.since = seqsOf(host);
    this.server = new Server({ name: 'turnstone', title: 'Turnstone', version: versionBeside(bundle) }, { capabilities: { tools: {} }, instructions });
    this.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.offered.map(describe) }));
    this.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestId }) => this.call(params.name, params.arguments ?? {}, { signal, turn: turnIn(params._meta), agentCall: String(requestId) }));
  }

  private async call(name: string, input: unknown, options: Parameters<ToolSession['call']>[2]): Promise<CallToolResult> {
    const isHidden = tools.some(tool => tool.name === name && !this.offered.includes(tool));
    const result: ToolResult = isHidden ? { kind: 'refused', code: 'input', text: `${name} changes files, and this server was started with --read-only. Nothing was done.` } : await this.callerSession().call(name, input, options);
    const content: CallToolResult['content'] = [{ type: 'text', text: result.text }];
    return result.kind === 'done' ? { content } : { content, isError: true, _meta: { [metaNames.refusal]: result.code } };
  }

  /** Known by the name that the client has given itself. */
  private callerSession(): ToolSession {
    const agent = this.server.getClientVersion()?.name.trim() ?? '';
    return (this.session ??= new ToolSession(this.host, { agent: agent === '' ? 'mcp' : agent, agentSession: randomUUID() }, this.since));
  }

  /** The client is gone: what it has begun ends, and its turn. */
  async end(): Promise<void> {
    try {
      await this.session?.endTurn();
    } catch {
      // The turn stays open in the history; there is nobody left to tell.
    }
  }
}
