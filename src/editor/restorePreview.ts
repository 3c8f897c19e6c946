import * as vscode from 'vscode';
import type { PlanItem } from '../core/rewind/plan.ts';
import type { State } from '../core/snapshot/state.ts';
import type { BlobFileSystem } from './blobFileSystem.ts';
import { blobUri } from './blobUris.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import { nameOf } from './words.ts';

/** Shows what a restore would do, in native diffs: the files as they are now against what they would hold. */
export class RestorePreview {
  private readonly blobs: BlobFileSystem;

  constructor(blobs: BlobFileSystem) {
    this.blobs = blobs;
  }

  async show(folder: RecordedFolder, title: string, items: readonly PlanItem[]): Promise<void> {
    const resources = items.map(item => {
      const file = folder.fileUri(item.path);
      return [file, item.before.kind === 'absent' ? undefined : file, item.after.kind === 'absent' ? undefined : this.resultUri(folder, item)];
    });
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Yours against the checkpoint, for one file. */
  async compare(folder: RecordedFolder, item: PlanItem, goal: State): Promise<void> {
    const file = folder.fileUri(item.path);
    const checkpoint = blobUri(file, folder.root.key, goal);
    const mine = item.before.kind === 'absent' ? blobUri(file, folder.root.key, item.before) : file;
    if (checkpoint === undefined || mine === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} can\'t be shown: its recorded content is not text or bytes.', nameOf(item.path)));
      return;
    }
    await vscode.commands.executeCommand('vscode.diff', mine, checkpoint, vscode.l10n.t('{0} (Yours ↔ Checkpoint)', nameOf(item.path)), { preview: true });
  }

  private resultUri(folder: RecordedFolder, { path, after, merged }: PlanItem): vscode.Uri | undefined {
    if (merged !== undefined) this.blobs.offer(merged);
    return blobUri(folder.fileUri(path), folder.root.key, after);
  }
}
