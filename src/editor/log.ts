import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable.ts';
import { messageOf, TurnstoneError } from '../core/base/errors.ts';

/**
 * The output channel "Turnstone", made when there is first something to say: before that nothing of ours
 * is on the disk, not even an empty log.
 */
export class Log implements Disposable {
  private channel: vscode.LogOutputChannel | undefined;

  private get output(): vscode.LogOutputChannel {
    return (this.channel ??= vscode.window.createOutputChannel('Turnstone', { log: true }));
  }

  info(message: string): void {
    this.output.info(message);
  }

  warn(message: string): void {
    this.output.warn(message);
  }

  error(error: unknown): void {
    this.output.error(error instanceof Error ? error : String(error));
  }

  show(): void {
    this.output.show();
  }

  /** Tells an error in its own sentence; the details are in the log, one click away. */
  tell(error: unknown): void {
    this.error(error);
    const showLog = vscode.l10n.t('Show Log');
    const message = TurnstoneError.is(error) ? error.message : vscode.l10n.t('Turnstone failed: {0}', messageOf(error));
    const shown = TurnstoneError.is(error, 'notFound') ? vscode.window.showInformationMessage(message) : vscode.window.showErrorMessage(message, showLog);
    void shown.then(answer => {
      if (answer === showLog) this.show();
    });
  }

  dispose(): void {
    this.channel?.dispose();
  }
}
