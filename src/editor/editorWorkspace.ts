import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { nodeFiles } from '../core/base/files.ts';
import { readIfThere, replaceFile } from '../core/base/fileTools.ts';
import type { UnsavedDocument, Workspace } from '../core/base/workspace.ts';
import { unsavedElsewhere } from '../core/rewind/unsavedFiles.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';

/** The path that a restore writes: every link on the way followed, but not the file itself. */
function livePath(path: string): string {
  return join(canonicalPath(nodeFiles, dirname(path)), basename(path));
}

/** Unsaved text documents of this window that are files here. */
export function unsavedDocuments(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(document => document.isDirty && document.uri.scheme === 'file');
}

/** Files that an editor other than a text editor holds unsaved (a notebook, a custom editor): nobody but it can save them. */
function unsavedTabs(): readonly vscode.Uri[] {
  return vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(tab => tab.isDirty)
    .flatMap(({ input }) => (input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom ? [input.uri] : []))
    .filter(uri => uri.scheme === 'file');
}

/** Paths of everything that this window holds unsaved, for other processes to know. */
export function unsavedPaths(): readonly string[] {
  return [...new Set([...unsavedDocuments().map(({ uri }) => uri), ...unsavedTabs()].map(uri => livePath(uri.fsPath)))];
}

function wholeRange(document: vscode.TextDocument): vscode.Range {
  return document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
}

function holdsBytes(path: string, bytes: Uint8Array): boolean {
  const there = readIfThere(nodeFiles, path);
  return there !== undefined && Buffer.from(there).equals(bytes);
}

async function setText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, wholeRange(document), text);
  // Line ends are the document's: an edit alone would change ours to them.
  const eol = text.includes('\r\n') ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
  if (eol !== document.eol) edit.set(document.uri, [vscode.TextEdit.setEndOfLine(eol)]);
  return vscode.workspace.applyEdit(edit);
}

/**
 * The editors of this window, and what other windows say about theirs.
 *
 * Invariant: an unsaved document is only ever replaced by an edit of it and a save, so that the editor's own
 * undo brings the text back; if that fails, its text is put back.
 */
export class EditorWorkspace implements Workspace {
  private readonly storage: string;

  constructor(storage: string) {
    this.storage = storage;
  }

  unsaved(): ReadonlyMap<string, UnsavedDocument> {
    const found = new Map<string, UnsavedDocument>();
    for (const path of unsavedElsewhere(nodeFiles, this.storage)) found.set(path, { owner: 'elsewhere' });
    for (const uri of unsavedTabs()) found.set(livePath(uri.fsPath), { owner: 'elsewhere' });
    for (const { uri } of unsavedDocuments()) found.set(livePath(uri.fsPath), { owner: 'here' });
    return found;
  }

  async unsavedBytes(path: string): Promise<Uint8Array | undefined> {
    const document = this.documentAt(path);
    if (document === undefined) return undefined;
    return vscode.workspace.encode(document.getText(), { encoding: document.encoding });
  }

  async replaceUnsaved(path: string, bytes: Uint8Array): Promise<boolean> {
    const document = this.documentAt(path);
    if (document === undefined) return false;
    const mine = document.getText();
    const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
    if (!(await setText(document, text))) return false;
    const isSaved = (await document.save()) && holdsBytes(path, bytes);
    if (isSaved) return true;
    // Formatters run on save, an encoding may lack a character, and where the file changed under the unsaved text
    // the editor refuses to save at all. The bytes are what was promised, so they are written and read in again.
    replaceFile(nodeFiles, path, bytes, nodeFiles.stat(path)?.mode ?? 0o644);
    if (!document.isDirty) return true;
    await vscode.window.showTextDocument(document, { preview: false });
    await vscode.commands.executeCommand('workbench.action.files.revert');
    if (!document.isDirty) return true;
    await setText(document, mine);
    return false;
  }

  yield(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve));
  }

  private documentAt(path: string): vscode.TextDocument | undefined {
    return unsavedDocuments().find(({ uri }) => livePath(uri.fsPath) === path);
  }
}
