import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import type { FileView, TurnView } from '../core/timeline/view.ts';
import { TurnstoneError } from '../core/base/errors.ts';
import { createCheckpoint } from './checkpointCommand.ts';
import type { Consent } from './consent.ts';
import { compareWithCurrent, openAllChanges, openChanges } from './diffs.ts';
import { folderTimeline } from './folderTimeline.ts';
import { commandIds } from './ids.ts';
import type { Log } from './log.ts';
import { operationWords } from './operationWords.ts';
import { pauseRecording, resumeRecording } from './pauseCommands.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import type { Recordings } from './recordings.ts';
import type { RestoreFlow } from './restoreFlow.ts';
import { backTarget, lastBack, rewindTarget, rollbackTarget, type RestoreTarget } from './restoreTarget.ts';
import { pickTarget } from './targetPicker.ts';
import type { TimelineNode } from './timelineNodes.ts';


export interface CommandParts {
  readonly recordings: Recordings;
  readonly consent: Consent;
  readonly flow: RestoreFlow;
  readonly log: Log;
}

/** What a command is called with: a node of the tree, or names from the review panel. */
export type TurnReference = { readonly folder: RecordedFolder; readonly turn: string; readonly path?: string };

function turnOf(node: TimelineNode | TurnReference | undefined): { readonly folder: RecordedFolder; readonly view: TurnView } | undefined {
  if (node === undefined || !('turn' in node)) return undefined;
  const view = folderTimeline(node.folder).turns.get(node.turn);
  return view === undefined ? undefined : { folder: node.folder, view };
}

function fileOf(node: TimelineNode | TurnReference | undefined): { readonly folder: RecordedFolder; readonly view: TurnView; readonly file: FileView } | undefined {
  const turn = turnOf(node);
  const path = node !== undefined && 'path' in node ? node.path : undefined;
  const file = turn?.view.files.find(candidate => candidate.path === path);
  return turn === undefined || file === undefined ? undefined : { ...turn, file };
}

function operationOf(node: TimelineNode | undefined): { readonly folder: RecordedFolder; readonly operation: string } | undefined {
  return node?.kind === 'operation' ? node : undefined;
}

/** The newest restore of all folders that can be undone or redone. */
function newestBack(recordings: Recordings, kind: 'undo' | 'redo'): RestoreTarget {
  const found = recordings.folders.flatMap(folder => {
    const operation = lastBack(kind, folder);
    return operation === undefined ? [] : [{ folder, operation }];
  });
  const newest = found.sort((a, b) => b.operation.at - a.operation.at)[0];
  if (newest === undefined) throw new TurnstoneError('notFound', kind === 'undo' ? vscode.l10n.t('There is nothing to undo.') : vscode.l10n.t('There is nothing to redo.'));
  return backTarget(kind, newest.folder, newest.operation.id);
}

/** Registers every command. Each tells its own errors; none throws at the editor. */
export function registerCommands({ recordings, consent, flow, log }: CommandParts): Disposable {
  const owned = new DisposableStore();
  const register = (id: string, run: (node?: TimelineNode) => unknown): void => {
    owned.add(
      vscode.commands.registerCommand(id, async (node?: TimelineNode) => {
        try {
          await run(node);
        } catch (error) {
          log.tell(error);
        }
      }),
    );
  };
  // The palette hides these in Restricted Mode, but a key binding or another extension does not know that.
  const trusted = (run: (node?: TimelineNode) => unknown) => (node?: TimelineNode): unknown => {
    if (vscode.workspace.isTrusted) return run(node);
    return vscode.window.showInformationMessage(vscode.l10n.t('In Restricted Mode Turnstone only shows history. Trust the workspace to change files or hooks.'));
  };
  register(commandIds.installHooks, trusted(() => consent.install()));
  register(commandIds.removeHooks, trusted(() => consent.remove()));
  register(commandIds.checkHooks, () => consent.check());
  register(commandIds.createCheckpoint, trusted(() => createCheckpoint(recordings)));
  register(commandIds.pauseRecording, () => pauseRecording(recordings));
  register(commandIds.resumeRecording, () => resumeRecording(recordings));
  register(commandIds.refresh, () => recordings.refresh());
  register(commandIds.showLog, () => log.show());
  register(commandIds.openChanges, node => {
    const at = fileOf(node);
    return at && openChanges(at.folder, at.view, at.file);
  });
  register(commandIds.compareWithCurrent, node => {
    const at = fileOf(node);
    return at && compareWithCurrent(at.folder, at.view, at.file);
  });
  register(commandIds.openFile, node => {
    const at = fileOf(node);
    return at && vscode.commands.executeCommand('vscode.open', at.folder.fileUri(at.file.path));
  });
  register(commandIds.openAllChanges, node => {
    const at = turnOf(node);
    return at && openAllChanges(at.folder, at.view);
  });
  register(commandIds.rewindToHere, trusted(async node => {
    const at = turnOf(node);
    const picked = at === undefined ? await pickTarget(recordings.folders) : { folder: at.folder, target: at.view.turn.id };
    return picked && flow.run(rewindTarget(picked.folder, picked.target));
  }));
  register(commandIds.rollBackTurn, trusted(node => {
    const at = turnOf(node);
    return at && flow.run(rollbackTarget(at.folder, at.view.turn.id, undefined));
  }));
  register(commandIds.rollBackFile, trusted(node => {
    const at = fileOf(node);
    return at && flow.run(rollbackTarget(at.folder, at.view.turn.id, at.file.path));
  }));
  for (const kind of ['undo', 'redo'] as const) {
    register(commandIds[kind], trusted(() => flow.run(newestBack(recordings, kind))));
    register(commandIds[`${kind}Operation`], trusted(node => {
      const at = operationOf(node);
      return at && flow.run(backTarget(kind, at.folder, at.operation));
    }));
  }
  register(commandIds.showReport, node => {
    const at = operationOf(node);
    const operation = at?.folder.store.timeline.operations.get(at.operation);
    return at && operation && flow.showReport(at.folder, operation.id, operationWords(at.folder, operation).done);
  });
  return owned;
}
