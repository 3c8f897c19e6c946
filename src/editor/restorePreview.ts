import * as vscode from 'vscode';
import type { BlobFileSystem } from './blobFileSystem.ts';
import { blobUri } from './blobUris.ts';
import { fileName, type RestoreFile } from './restorePlan.ts';

/** Shows what a restore would do, in native diffs: the files as they are now against what they would hold. */
export class RestorePreview {
  private readonly blobs: BlobFileSystem;

  constructor(blobs: BlobFileSystem) {
    this.blobs = blobs;
  }

  async show(title: string, files: readonly RestoreFile[]): Promise<void> {
    const resources = files.map(file => {
      const { part, item } = file;
      const live = part.folder.fileUri(item.path);
      return [live, item.before.kind === 'absent' ? undefined : live, item.after.kind === 'absent' ? undefined : this.resultUri(file)];
    });
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Yours against the checkpoint, for one file. */
  async compare(compared: RestoreFile): Promise<void> {
    const { part: { folder, plan }, item } = compared;
    const file = folder.fileUri(item.path);
    const goal = plan.selection.goals.find(({ path }) => path === item.path)?.goal ?? item.after;
    const checkpoint = blobUri(file, folder.root.key, goal);
    const mine = item.before.kind === 'absent' ? blobUri(file, folder.root.key, item.before) : file;
    if (checkpoint === undefined || mine === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} can\'t be shown: its recorded content is not text or bytes.', fileName(compared)));
      return;
    }
    await vscode.commands.executeCommand('vscode.diff', mine, checkpoint, vscode.l10n.t('{0} (Yours ↔ Checkpoint)', fileName(compared)), { preview: true });
  }

  private resultUri({ part: { folder }, item: { path, after, merged } }: RestoreFile): vscode.Uri | undefined {
    if (merged !== undefined) this.blobs.offer(merged);
    return blobUri(folder.fileUri(path), folder.root.key, after);
  }
}
