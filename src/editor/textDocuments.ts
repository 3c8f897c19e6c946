import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable.ts';

const scheme = 'turnstone-text';

/**
 * Read-only texts that exist only while they are looked at: the settings file before and after a change
 * that nobody has agreed to yet. They are in memory, because before consent nothing may be written.
 */
export class TextDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private count = 0;

  /** Makes a text readable; its address ends as the file's does, which tells its language. */
  offer(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.file(path).with({ scheme, query: String((this.count += 1)) });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.texts.clear();
  }
}
