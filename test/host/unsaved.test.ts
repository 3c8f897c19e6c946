import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EditorWorkspace } from '../../src/editor/editorWorkspace.ts';
import { until } from '../support/until.ts';
import { recordedAgent, storageDirectory, workspaceFolder } from './place.ts';

describe('unsaved editors', () => {
  const cases: readonly (readonly [string, Buffer])[] = [
    ['utf8', Buffer.from('grün\nzwei\n')],
    ['utf8bom', Buffer.from('\uFEFFgrün\r\nzwei\r\n')],
    ['utf16le', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grün\nzwei\n', 'utf16le')])],
    ['windows1252', Buffer.from('gr\xfcn\nzwei\n', 'latin1')],
  ];
  let workspace: EditorWorkspace;

  before(async () => {
    await recordedAgent();
    workspace = new EditorWorkspace(storageDirectory());
  });

  async function open(name: string, bytes: Buffer, encoding: string): Promise<{ document: vscode.TextDocument; path: string }> {
    const path = join(realpathSync(workspaceFolder()), name);
    writeFileSync(path, bytes);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path), { encoding });
    await vscode.window.showTextDocument(document);
    return { document, path };
  }

  async function type(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(1, 0), text);
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.isDirty, true);
  }

  for (const [encoding, bytes] of cases) {
    it(`are kept and replaced byte for byte in ${encoding}`, async () => {
      const { document, path } = await open(`${encoding}.txt`, bytes, encoding);
      await type(document, 'mine ');
      assert.equal(workspace.unsaved().get(path)?.owner, 'here');
      const kept = await workspace.unsavedBytes(path);
      assert.equal(await workspace.replaceUnsaved(path, bytes), true);
      assert.deepEqual(readFileSync(path), bytes);
      assert.equal(document.isDirty, false);
      await type(document, 'mine ');
      await document.save();
      assert.deepEqual(Buffer.from(kept ?? []), readFileSync(path), 'what was kept is what saving writes');
    });
  }

  it('are replaced byte for byte although the editor tidies up on saving', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('trimTrailingWhitespace', true, vscode.ConfigurationTarget.Global);
    await files.update('insertFinalNewline', true, vscode.ConfigurationTarget.Global);
    const untidy = Buffer.from('one   \ntwo');
    const { document, path } = await open('untidy.txt', untidy, 'utf8');
    await type(document, 'mine ');
    assert.equal(await workspace.replaceUnsaved(path, untidy), true);
    assert.deepEqual(readFileSync(path), untidy);
    await until('the editor shows it', () => !document.isDirty && document.getText() === 'one   \ntwo');
    await files.update('trimTrailingWhitespace', undefined, vscode.ConfigurationTarget.Global);
    await files.update('insertFinalNewline', undefined, vscode.ConfigurationTarget.Global);
  });

  it('are replaced although the agent wrote the file under them', async () => {
    const { document, path } = await open('under.txt', Buffer.from('one\ntwo\n'), 'utf8');
    await type(document, 'mine ');
    writeFileSync(path, 'one\ntwo\nand a longer line of the agent\n');
    const kept = Buffer.from((await workspace.unsavedBytes(path)) ?? []);
    assert.equal(kept.toString(), 'one\nmine two\n');
    assert.equal(await workspace.replaceUnsaved(path, Buffer.from('zero\n')), true);
    assert.equal(readFileSync(path, 'utf8'), 'zero\n');
    await until('the editor shows it', () => !document.isDirty && document.getText() === 'zero\n');
    await vscode.commands.executeCommand('undo');
    await until('undo brings the typed text back', () => document.getText().includes('mine two'));
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('are told to other processes while they are unsaved, and only then', async () => {
    const { document, path } = await open('told.txt', Buffer.from('one\ntwo\n'), 'utf8');
    const file = join(storageDirectory(), 'editors', `${process.pid}.json`);
    await type(document, 'mine ');
    await until('the unsaved file is told', () => existsSync(file) && readFileSync(file, 'utf8').includes(JSON.stringify(path)));
    await document.save();
    await until('nothing is told any more', () => !existsSync(file));
  });
});
