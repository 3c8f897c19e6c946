import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable.ts';
import { statusItemId, viewIds } from './ids.ts';
import type { RecordingState } from './recordingState.ts';

/** The one status bar item: what there is to review, or why nothing is recorded; hidden when there is neither. */
export class StatusItem implements Disposable {
  private readonly item = vscode.window.createStatusBarItem(statusItemId, vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.item.name = 'Turnstone';
    this.item.command = `${viewIds.timeline}.focus`;
  }

  show({ failures, toReview }: RecordingState): void {
    const told = failures.length > 0 ? this.failing(failures) : toReview > 0 ? this.reviewing(toReview) : undefined;
    if (told === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = told.text;
    this.item.tooltip = told.tooltip;
    this.item.accessibilityInformation = { label: told.tooltip };
    this.item.show();
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
