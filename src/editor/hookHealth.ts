import * as vscode from 'vscode';
import type { HookInstallation, HookScope } from '../agents/hookFiles.ts';
import { shimPath } from '../agents/shim.ts';
import { messageOf } from '../core/base/errors.ts';
import { nodeFiles } from '../core/base/files.ts';
import { shortPath, type Places } from './places.ts';

/** Whether an agent's hooks reach this editor's store. */
export type HookHealth =
  | { readonly kind: 'installed'; readonly settings: string }
  | { readonly kind: 'missing' | 'broken'; readonly settings: string; readonly reason: string };

function inScope(places: Places, installation: HookInstallation, folder: string, scope: HookScope): HookHealth {
  const settings = installation.settingsPath(scope, folder, process.env);
  const shown = shortPath(settings);
  try {
    const events = installation.installedEvents(nodeFiles, settings);
    if (events.length === 0) return { kind: 'missing', settings, reason: vscode.l10n.t('There are no hooks of Turnstone in {0}.', shown) };
    const missing = installation.events.filter(event => !events.includes(event));
    if (missing.length > 0) return { kind: 'broken', settings, reason: vscode.l10n.t('{0} are missing in {1}.', missing.join(', '), shown) };
    const change = installation.planInstall(nodeFiles, settings, shimPath(places.storage, places.platform), places.platform);
    if (change.kind !== 'none') return { kind: 'broken', settings, reason: vscode.l10n.t('The hooks in {0} belong to another installation of Turnstone, or were changed.', shown) };
    return { kind: 'installed', settings };
  } catch (error) {
    return { kind: 'broken', settings, reason: messageOf(error) };
  }
}

/** Looks at the user's settings, and at the project's where the user's have none. Looks only. */
export function hookHealth(places: Places, installation: HookInstallation, folder: string): HookHealth {
  const user = inScope(places, installation, folder, 'user');
  const project = user.kind === 'installed' ? user : inScope(places, installation, folder, 'project');
  const found = project.kind === 'installed' ? project : user;
  if (found.kind !== 'installed') return found;
  const { settings } = found;
  const shim = shimPath(places.storage, places.platform);
  if (nodeFiles.stat(shim) === undefined) return { kind: 'broken', settings, reason: vscode.l10n.t('The command that the hooks run is gone: {0}.', shortPath(shim)) };
  const { executable, bundle } = places.runtime;
  const gone = [executable, bundle].find(path => nodeFiles.stat(path) === undefined);
  if (gone !== undefined) return { kind: 'broken', settings, reason: vscode.l10n.t('What the hooks run is gone: {0}.', shortPath(gone)) };
  return found;
}
