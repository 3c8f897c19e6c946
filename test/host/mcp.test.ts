import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { settingIds, settingSection } from '../../src/editor/ids.ts';
import { tools } from '../../src/tools/catalog.ts';
import { until } from '../support/until.ts';
import { recordedAgent, turnstone, workspaceFolder } from './place.ts';

/** As VS Code names the servers of extensions; there is no API to list or start them. */
function start(label: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.mcp.startServer', `turnstone.turnstone/${label}`, { waitForLiveTools: true });
}

/** Our tools as an MCP server brings them, by the names that VS Code gives them: with a prefix of its own. */
function served(): ReadonlyMap<string, string> {
  const names = vscode.lm.tools.map(({ name }) => name).filter(name => name.startsWith('mcp_'));
  return new Map(tools.flatMap(tool => names.filter(name => name.endsWith(`_${tool.name}`)).map(name => [tool.name, name] as const)));
}

async function serves(label: string, count: number): Promise<void> {
  await until(`the server offers ${count} tools`, async () => {
    await start(label);
    return served().size === count;
  }, 25_000);
}

async function set(setting: keyof typeof settingIds, value: boolean | undefined): Promise<void> {
  await vscode.workspace.getConfiguration(settingSection).update(settingIds[setting], value, vscode.ConfigurationTarget.Global);
}

describe('the MCP server that the editor offers', () => {
  const label = `Turnstone: ${vscode.workspace.workspaceFolders?.[0]?.name ?? ''}`;

  before(async () => {
    await recordedAgent();
  });

  after(async () => {
    await set('mcpServer', undefined);
    await set('writeTools', undefined);
  });

  it('is there once it is switched on, and only looks', async () => {
    await start(label);
    assert.equal(served().size, 0);
    await set('mcpServer', true);
    await serves(label, 2);
    assert.deepEqual([...served().keys()], tools.filter(({ writes }) => !writes).map(({ name }) => name));
  });

  it('writes where that is switched on too, and what it writes is recorded', async () => {
    await set('writeTools', true);
    await serves(label, tools.length);
    await vscode.lm.invokeTool(served().get('turnstone_write_file') ?? '', { input: { path: 'a.txt', content: 'a\n' }, toolInvocationToken: undefined });
    assert.equal(readFileSync(join(workspaceFolder(), 'a.txt'), 'utf8'), 'a\n');
    const [turn] = JSON.parse(turnstone(workspaceFolder(), 'log', '--json')).turns;
    assert.deepEqual(turn.files.map(({ status, path }: { status: string; path: string }) => [status, path]), [['added', 'a.txt']]);
  });
});
