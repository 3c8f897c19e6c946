import * as vscode from 'vscode';
import { systemClock } from '../core/base/clock.ts';
import { nodeFiles } from '../core/base/files.ts';
import { randomId } from '../core/base/ids.ts';
import { Recorder } from '../core/capture/recorder.ts';
import { looksAtStore } from '../core/capture/rootLooks.ts';
import { Policy } from '../core/timeline/policy.ts';
import type { Recordings } from './recordings.ts';
import { fileCount } from './words.ts';

/** "Create Checkpoint": one point in all recorded folders of the window, with what the user has changed in recorded files. */
export async function createCheckpoint(recordings: Recordings): Promise<string | undefined> {
  const { roots } = recordings;
  const policy = Policy.read(nodeFiles);
  const folders = recordings.folders.filter(({ root }) => policy.whyNotIn(root.path) === undefined);
  if (folders.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No folder of this window is recorded, so there is nothing to come back to.'));
    return undefined;
  }
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Create Checkpoint'),
    prompt: vscode.l10n.t('A name to find it by; it can be left empty'),
  });
  if (name === undefined) return undefined;
  const label = name.trim() === '' ? undefined : name.trim();
  const id = randomId('checkpoint');
  for (const { store } of folders) await new Recorder(nodeFiles, store, undefined, async () => looksAtStore(nodeFiles, systemClock, roots, store)).addCheckpoint(id, label);
  recordings.refresh();
  const count = folders.reduce((sum, { store }) => sum + [...store.timeline.paths.values()].filter(({ kind }) => kind !== 'absent').length, 0);
  const sentence = label === undefined ? vscode.l10n.t('Checkpoint created: {0} as they are now.', fileCount(count)) : vscode.l10n.t('Checkpoint “{0}” created: {1} as they are now.', label, fileCount(count));
  void vscode.window.showInformationMessage(vscode.l10n.t('{0} Go back to it with Rewind to Here….', sentence));
  return id;
}
