// Where the packaged extension keeps its things in the host that runs a spec, and a folder that is recorded.
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../src/editor/ids.ts';
import { AgentPlay } from '../ui/agentPlay.ts';

const id = 'turnstone.turnstone';

function extensionPath(): string {
  const extension = vscode.extensions.getExtension(id);
  if (extension === undefined) throw new Error(`${id} is not installed.`);
  return extension.extensionPath;
}

/** The extension's global storage: the server's data directory holds it and the installed extensions. */
export function storageDirectory(): string {
  return join(extensionPath(), '..', '..', 'data', 'User', 'globalStorage', id);
}

export function workspaceFolder(index = 0): string {
  const folder = vscode.workspace.workspaceFolders?.[index];
  if (folder === undefined) throw new Error(`The spec has no folder ${index}.`);
  return folder.uri.fsPath;
}

/** Runs the command line that the extension brings along, and returns what it prints. */
export function turnstone(folder: string, ...parameters: readonly string[]): string {
  const cli = join(extensionPath(), 'dist', 'cli.js');
  return execFileSync(process.execPath, [cli, '--store', storageDirectory(), '--root', folder, ...parameters], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' }, encoding: 'utf8' });
}

/** A bundle of the extension as it is installed. */
export function bundleOf(name: string): string {
  return join(extensionPath(), 'dist', `${name}.js`);
}

/** Makes another folder known, as its owner may have done at any time. */
export function makeKnown(folder: string): void {
  turnstone(folder, 'checkpoint');
}

/** Installs the hooks as the command line does, because a spec can't answer the editor's dialog. */
export async function recordedAgent(): Promise<AgentPlay> {
  await vscode.extensions.getExtension(id)?.activate();
  turnstone(workspaceFolder(), 'hooks', 'install', 'claude-code');
  await vscode.commands.executeCommand(commandIds.refresh);
  return new AgentPlay(homedir(), workspaceFolder());
}
