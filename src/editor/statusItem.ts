import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable.ts';
import { commandIds, statusItemId, viewIds } from './ids.ts';
import type { RecordingState } from './recordingState.ts';

/** The one status bar item: what there is to review, or that recording is paused, or why nothing is recorded; hidden when there is neither. */
export class StatusItem implements Disposable {
  private readonly item = vscode.window.createStatusBarItem(statusItemId, vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.item.name = 'Turnstone';
  }

  show({ failures, paused, toReview }: RecordingState): void {
    // Nothing has failed where the user wants it so.
    const told = paused.length > 0 ? this.pausing(paused) : failures.length > 0 ? this.failing(failures) : toReview > 0 ? this.reviewing(toReview) : undefined;
    if (told === undefined) {
      this.item.hide();
      return;
    }
    this.item.command = paused.length > 0 ? commandIds.resumeRecording : `${viewIds.timeline}.focus`;
    this.item.text = told.text;
    this.item.tooltip = told.tooltip;
    this.item.accessibilityInformation = { label: told.tooltip };
    this.item.show();
  }

  private pausing(folders: readonly string[]): { readonly text: string; readonly tooltip: string } {
    return { text: vscode.l10n.t('$(debug-pause) Paused'), tooltip: vscode.l10n.t('Turnstone is paused in {0}: nothing that agents do there is recorded. Click to resume.', folders.join(', ')) };
  }

  private failing(failures: readonly string[]): { readonly text: string; readonly tooltip: string } {
    return { text: vscode.l10n.t('$(warning) Not recording'), tooltip: vscode.l10n.t('Turnstone is not recording: {0}', failures.join('\n')) };
  }

  private reviewing(count: number): { readonly text: string; readonly tooltip: string } {
    const files = count === 1 ? vscode.l10n.t('1 file of the latest turn is to be reviewed.') : vscode.l10n.t('{0} files of the latest turn are to be reviewed.', count);
    return { text: vscode.l10n.t('$(history) {0} to review', count), tooltip: files };
  }

  dispose(): void {
    this.item.dispose();
  }
}
