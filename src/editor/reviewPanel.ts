import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { parseFromPage, type FromPage, type ToPage } from '../protocol.ts';
import { commandIds, viewIds } from './ids.ts';
import type { Recordings } from './recordings.ts';
import { reviewOf } from './reviewModel.ts';

function pageOf(webview: vscode.Webview, script: vscode.Uri): string {
  const nonce = randomBytes(18).toString('base64url');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}';`;
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${vscode.l10n.t('Review')}</title>
</head>
<body><main id="review" aria-live="off"></main><script nonce="${nonce}" src="${webview.asWebviewUri(script).toString()}"></script></body>
</html>`;
}

/**
 * The Review view: the newest turn's files as cards.
 *
 * Invariants: the page holds no more than it shows and asks for nothing but what its buttons say; a hidden page
 * is told nothing, and told all when it shows again.
 */
export class ReviewPanel implements vscode.WebviewViewProvider, Disposable {
  private readonly recordings: Recordings;
  private readonly extension: vscode.Uri;
  private readonly owned = new DisposableStore();
  private view: vscode.WebviewView | undefined;
  private told = '';

  constructor(recordings: Recordings, extension: vscode.Uri) {
    this.recordings = recordings;
    this.extension = extension;
    this.owned.add(vscode.window.registerWebviewViewProvider(viewIds.review, this));
    this.owned.add(recordings.onDidChange(() => this.tell()));
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.told = '';
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: unknown) => this.take(parseFromPage(message)));
    view.onDidChangeVisibility(() => this.tell());
    view.onDidDispose(() => {
      this.view = undefined;
    });
    view.webview.html = pageOf(view.webview, vscode.Uri.joinPath(dist, 'webview.js'));
  }

  private take(message: FromPage | undefined): void {
    if (message === undefined) return;
    if (message.type === 'ready') {
      this.told = '';
      this.tell();
      return;
    }
    const folder = this.recordings.withKey(message.root);
    if (folder === undefined) return;
    const reference = { folder, turn: message.turn, path: message.path };
    void vscode.commands.executeCommand(message.type === 'openChanges' ? commandIds.openChanges : commandIds.rollBackFile, reference);
  }

  private tell(): void {
    if (this.view?.visible !== true) return;
    const review = reviewOf(this.recordings.folders);
    const message: ToPage = {
      type: 'show',
      empty: vscode.l10n.t('Nothing to review: no turn is in force.'),
      labels: { openChanges: vscode.l10n.t('Open Changes'), rollBack: vscode.l10n.t('Roll Back File'), hunks: vscode.l10n.t('Changes in {0}') },
      ...(review === undefined ? {} : { review }),
    };
    const text = JSON.stringify(message);
    if (text === this.told) return;
    this.told = text;
    void this.view.webview.postMessage(message);
  }

  dispose(): void {
    this.owned.dispose();
  }
}
