import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Options } from './cli/options.ts';
import { toolHostOf } from './cli/commandLineTools.ts';
import { McpTools } from './cli/mcpTools.ts';

/**
 * `turnstone mcp`, in a bundle of its own: the protocol is ten times what the rest of the command line is. Serves one client
 * until it goes.
 */
export async function serve(options: Options, directory: string, bundle: string): Promise<void> {
  const tools = new McpTools(toolHostOf(options, directory), bundle, options.readOnly);
  await tools.server.connect(new StdioServerTransport());
  await new Promise<void>(resolve => {
    // A client ends by closing our input, and one that is impatient by a signal.
    for (const event of ['end', 'close', 'error'] as const) process.stdin.once(event, () => resolve());
    // What it asked last is answered into nothing.
    process.stdout.on('error', () => resolve());
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await tools.end();
  process.exit();
}
