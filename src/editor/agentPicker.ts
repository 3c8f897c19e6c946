import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { HookInstallation } from '../agents/hookFiles.ts';
import { claudeInstallation, installations } from '../agents/installations.ts';
import { HooksLedger } from '../agents/hooksLedger.ts';
import { userHome } from '../agents/userHome.ts';
import { nodeFiles } from '../core/base/files.ts';
import { hookHealth } from './hookHealth.ts';
import { shortPath, type Places } from './places.ts';

/** The agents whose hooks are to be there: those that they were put in for, and where there are none, the one that this began with. */
export function wantedInstallations({ storage }: Places): readonly HookInstallation[] {
  const agents = new Set(new HooksLedger(nodeFiles, storage).list().map(({ agent }) => agent));
  const wanted = installations.filter(({ agent }) => agents.has(agent));
  return wanted.length > 0 ? wanted : [claudeInstallation];
}

/** Whether the agent seems to be used on this machine: it has a folder of its own for its settings. */
function isUsed(installation: HookInstallation): boolean {
  const home = userHome(process.env);
  const settings = installation.settingsPath('user', '', process.env);
  return [settings, dirname(settings), dirname(dirname(settings))].some(folder => folder.length > home.length && nodeFiles.stat(folder)?.kind === 'directory');
}

/**
 * Which agents to install hooks for. There is nothing to ask where hooks are there and only this window's folders are `new`, nor where one agent is
 * used here and its hooks are not there yet. Undefined where the user gave no answer.
 */
export async function pickInstallations(places: Places, folder: string, isNew: boolean): Promise<readonly HookInstallation[] | undefined> {
  const agents = installations.map(installation => ({ installation, isUsed: isUsed(installation), isInstalled: hookHealth(places, installation, folder).kind === 'installed' }));
  const installed = agents.filter(({ isInstalled }) => isInstalled).map(({ installation }) => installation);
  if (isNew && installed.length > 0) return installed;
  const [used, ...others] = agents.filter(agent => agent.isUsed);
  if (used !== undefined && others.length === 0 && !used.isInstalled) return [used.installation];
  const items = agents.map(({ installation, isUsed: picked, isInstalled }) => ({
    installation,
    label: installation.title,
    description: shortPath(installation.settingsPath('user', '', process.env)),
    ...(isInstalled ? { detail: vscode.l10n.t('Its hooks are there already.') } : {}),
    picked: picked && !isInstalled,
  }));
  const chosen = await vscode.window.showQuickPick(items, { canPickMany: true, title: vscode.l10n.t('Install Recording Hooks'), placeHolder: vscode.l10n.t('Which agents are to be recorded? You see what changes before anything is written.') });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen.map(({ installation }) => installation);
}
