import assert from 'node:assert/strict';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { repositoryRoot } from '../../support/paths.ts';
import { until } from '../../support/until.ts';
import { buildCliOnce, cliBundle } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

interface Told {
  readonly text: string;
  readonly refusal: unknown;
}

/** The protocol's own client, with the built command line as its server. */
class McpClient {
  readonly client = new Client({ name: 'some-agent', version: '1' });
  private readonly transport: StdioClientTransport;

  constructor(project: Project, ...parameters: readonly string[]) {
    const args = [cliBundle, '--store', project.storage, 'mcp', ...parameters];
    this.transport = new StdioClientTransport({ command: process.execPath, args, cwd: project.folder, env: { HOME: project.home, PATH: process.env['PATH'] ?? '' }, stderr: 'inherit' });
  }

  static async to(project: Project, ...parameters: readonly string[]): Promise<McpClient> {
    const client = new McpClient(project, ...parameters);
    await client.client.connect(client.transport);
    return client;
  }

  async call(name: string, input: Readonly<Record<string, unknown>>, meta?: Readonly<Record<string, unknown>>): Promise<Told> {
    const { content, isError, _meta } = await this.client.callTool({ name: `turnstone_${name}`, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) });
    const [first] = content as readonly { readonly type: string; readonly text: string }[];
    return { text: first?.text ?? '', refusal: isError === true ? _meta?.['turnstone/refusal'] : undefined };
  }

  get pid(): number {
    return this.transport.pid as number;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

async function withClient<T>(project: Project, work: (client: McpClient) => Promise<T>, ...parameters: readonly string[]): Promise<T> {
  const client = await McpClient.to(project, ...parameters);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

describe('turnstone mcp', () => {
  before(buildCliOnce);

  it('tells its tools, with schemas that say what each takes', async () => {
    const project = new Project({}).install();
    await withClient(project, async ({ client }) => {
      const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as { readonly version: string };
      assert.deepEqual({ name: client.getServerVersion()?.name, version: client.getServerVersion()?.version }, { name: 'turnstone', version });
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name, annotations }) => `${annotations?.readOnlyHint === true ? 'looks' : 'writes'} ${name}`), [
        'writes turnstone_write_file', 'writes turnstone_edit_file', 'writes turnstone_multi_edit', 'writes turnstone_delete_file', 'writes turnstone_move_file',
        'looks turnstone_list_checkpoints', 'looks turnstone_diff',
      ]);
      for (const { name, description, inputSchema } of tools) {
        assert.ok((description ?? '').length > 40, name);
        for (const [key, property] of Object.entries(inputSchema.properties ?? {})) assert.ok((property as { description?: string }).description, `${name}.${key}`);
      }
      assert.deepEqual(tools[1]?.inputSchema.required, ['path', 'old_text', 'new_text']);
    });
  });

  it('is in a bundle of its own, which no hook and no other command loads', () => {
    const bundle = (name: string): string => readFileSync(join(repositoryRoot, 'dist', name), 'utf8');
    assert.deepEqual(['cli.js', 'commands.js', 'mcp.js'].map(name => bundle(name).includes('jsonrpc')), [false, false, true]);
  });

  it('records what its tools do as one turn of the client, and a rewind gives every byte back', async () => {
    const project = new Project({ 'a.txt': '\uFEFFone\r\ntwo\r\n', 'b.bin': Buffer.from([0, 255, 1]), 'c/d.txt': 'd' }).install();
    chmodSync(project.path('a.txt'), 0o755);
    const before = project.tree();
    await withClient(project, async client => {
      for (const [tool, input] of [
        ['write_file', { path: 'new/e.txt', content: 'e' }],
        ['edit_file', { path: 'a.txt', old_text: 'one\ntwo', new_text: '1\n2' }],
        ['delete_file', { path: project.path('b.bin') }],
        ['move_file', { path: 'c/d.txt', new_path: 'f.txt' }],
      ] as const) assert.equal((await client.call(tool, input)).refusal, undefined, tool);
      assert.match((await client.call('list_checkpoints', {})).text, /some-agent .*\(open\)\n.*M a\.txt \+2 -2/);
    });
    assert.equal(project.text('a.txt'), '\uFEFF1\r\n2\r\n');
    const [turn, ...more] = project.turns();
    assert.deepEqual([more, turn.agent, turn.state, turn.coverage.state], [[], 'some-agent', 'closed', 'full']);
    assert.deepEqual(turn.files.map(({ status, path }: any) => `${status} ${path}`), ['modified a.txt', 'deleted b.bin', 'deleted c/d.txt', 'added f.txt', 'added new/e.txt']);
    assert.equal(project.cli('rewind', turn.id).exitCode, 0);
    assert.deepEqual(project.tree(), before);
  });

  it('takes the turn and the prompt that a call names', async () => {
    const project = new Project({}).install();
    await withClient(project, async client => {
      for (const [path, turn] of [['a', '1'], ['b', '1'], ['c', '2']] as const) await client.call('write_file', { path, content: path }, { 'turnstone/turn': turn, 'turnstone/prompt': `prompt ${turn}` });
    });
    assert.deepEqual(project.turns().map(({ prompt, state, files }) => [prompt, state, files.map(({ path }: any) => path)]), [['prompt 1', 'closed', ['a', 'b']], ['prompt 2', 'closed', ['c']]]);
  });

  it('refuses with a sentence and a code, and changes nothing', async () => {
    const project = new Project({ 'a.txt': 'a a' }).install();
    await withClient(project, async client => {
      const before = project.tree();
      const refusals = [
        await client.call('edit_file', { path: 'a.txt', old_text: 'b', new_text: 'c' }),
        await client.call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'c' }),
        await client.call('write_file', { path: '../x', content: 'c' }),
        await client.call('write_file', { path: 'a.txt' }),
        await client.call('rewind', { id: 'x' }),
      ];
      assert.deepEqual(refusals.map(({ refusal }) => refusal), ['textNotFound', 'textNotUnique', 'outside', 'input', 'input']);
      for (const { text } of refusals) assert.match(text, /Nothing was (written|done)/);
      assert.deepEqual(project.tree(), before);
    });
    assert.deepEqual(project.turns(), []);
  });

  it('refuses an edit of a file that was rewound under the model, until it has read it', async () => {
    const project = new Project({ 'a.txt': 'a b' }).install();
    await withClient(project, async client => {
      await client.call('edit_file', { path: 'a.txt', old_text: 'b', new_text: 'c' });
      assert.equal(project.cli('rewind', project.turns()[0].id).exitCode, 0);
      const { refusal, text } = await client.call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'x' });
      assert.equal(refusal, 'restored');
      const version = /version "(\w+)"/.exec(text)?.[1];
      assert.equal((await client.call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'x', version })).refusal, undefined);
      assert.equal(project.text('a.txt'), 'x b');
    });
  });

  it('writes nothing in a folder that nobody has agreed to record, and does once somebody has', async () => {
    const project = new Project({ 'a.txt': 'a' });
    await withClient(project, async client => {
      const { refusal, text } = await client.call('write_file', { path: 'a.txt', content: 'b' });
      assert.deepEqual([refusal, project.text('a.txt')], ['notRecording', 'a']);
      assert.match(text, /^Not recording: nothing is recorded for .*turnstone checkpoint/);
      project.install();
      assert.equal((await client.call('write_file', { path: 'a.txt', content: 'b' })).refusal, undefined);
    });
  });

  it('is not taken for the work of a hooked agent that calls it: the change is on record once', async () => {
    const project = new Project({ 'a.txt': 'a' }).install();
    const agent = new PlayedAgent(project);
    agent.prompt('use the tool');
    await withClient(project, async client => {
      const use = { tool_name: 'mcp__turnstone__turnstone_edit_file', tool_use_id: 'toolu_1', tool_input: {} };
      agent.send('PreToolUse', use);
      await client.call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'b' });
      agent.send('PostToolUse', { ...use, tool_response: {} });
    });
    agent.stop();
    const turns = project.turns();
    assert.deepEqual(turns.map(({ agent: name, coverage, files }) => [name, coverage.state, files.map(({ path }: any) => path)]), [['claude-code', 'full', []], ['some-agent', 'full', ['a.txt']]]);
    assert.equal(project.cli('rewind', turns[1].id).exitCode, 0);
    assert.equal(project.text('a.txt'), 'a');
  });

  it('only looks with --read-only', async () => {
    const project = new Project({ 'a.txt': 'a' }).install();
    new PlayedAgent(project).turn('work', [['a.txt', 'b']]);
    await withClient(project, async client => {
      assert.deepEqual((await client.client.listTools()).tools.map(({ name }) => name), ['turnstone_list_checkpoints', 'turnstone_diff']);
      assert.equal((await client.call('write_file', { path: 'a.txt', content: 'x' })).refusal, 'input');
      assert.match((await client.call('diff', { id: project.turns()[0].id })).text, /-a\n.*\n?\+b/);
    }, '--read-only');
    assert.equal(project.text('a.txt'), 'b');
  });

  it('ends its turn also where the client only stops it', async () => {
    const project = new Project({}).install();
    const client = await McpClient.to(project);
    await client.call('write_file', { path: 'a.txt', content: 'a' });
    process.kill(client.pid, 'SIGTERM');
    await until('the turn has ended', () => project.turns()[0].state === 'closed');
    await client.close();
  });

  it('finishes what was asked last where the client goes without waiting for it', async () => {
    const project = new Project({}).install();
    const requests = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hasty', version: '1' } } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'turnstone_write_file', arguments: { path: 'a.txt', content: 'a' } } },
    ];
    const { exitCode } = project.run(['mcp'], { input: requests.map(request => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join('') });
    const [turn] = project.turns();
    assert.deepEqual([exitCode, project.text('a.txt'), turn.agent, turn.state], [0, 'a', 'hasty', 'closed']);
  });
});
