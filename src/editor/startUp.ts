import * as vscode from 'vscode';
import { shimPath, writeShim } from '../agents/shim.ts';
import { nodeFiles } from '../core/base/files.ts';
import { recoverEverywhere } from '../core/rewind/recover.ts';
import type { Log } from './log.ts';
import type { Places } from './places.ts';
import type { PlanContexts } from './planContexts.ts';
import type { RecordedFolder } from './recordedFolder.ts';

/** Lets hooks run this version of the extension; does nothing where no hook was ever installed. */
export function renewShim(places: Places, log: Log): void {
  try {
    if (nodeFiles.stat(shimPath(places.storage, places.platform)) !== undefined) writeShim(nodeFiles, places.storage, places.runtime, places.platform);
  } catch (error) {
    log.error(error);
  }
}

/**
 * Finishes restores that a crash cut short: the only write to a workspace at start-up, and only in a trusted
 * one. A restore whose owner lives, or may live, is left alone.
 */
export async function recoverFolder(folder: RecordedFolder, contexts: PlanContexts, log: Log): Promise<void> {
  if (folder.problem !== undefined || !vscode.workspace.isTrusted) return;
  folder.store.tidy();
  try {
    // Also where all has ended here: a crash may have left another folder behind.
    const { operations, closed } = await recoverEverywhere([contexts.of(folder)]);
    folder.refresh();
    for (const sentence of closed) log.warn(sentence);
    if (operations.length > 0) void vscode.window.showInformationMessage(vscode.l10n.t('A restore that was cut short has been finished. The timeline tells what it did.'));
  } catch (error) {
    log.tell(error);
  }
}
