import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { settingIds, settingSection } from '../../src/editor/ids.ts';
import { preparedInvocation } from '../../src/editor/toolWords.ts';
import { tools } from '../../src/tools/catalog.ts';
import { until } from '../support/until.ts';
import { recordedAgent, turnstone, workspaceFolder } from './place.ts';

async function switchOn(on: boolean): Promise<void> {
  await vscode.workspace.getConfiguration(settingSection).update(settingIds.writeTools, on ? true : undefined, vscode.ConfigurationTarget.Global);
}

async function invoke(tool: string, input: object, token?: vscode.CancellationToken): Promise<string> {
  const result = await vscode.lm.invokeTool(`turnstone_${tool}`, { input, toolInvocationToken: undefined }, token);
  return result.content.map(part => (part as vscode.LanguageModelTextPart).value).join('');
}

function turns(): readonly any[] {
  return JSON.parse(turnstone(workspaceFolder(), 'log', '--json')).turns.toReversed();
}

describe('tools for the editor\'s models', () => {
  const path = (name: string): string => join(realpathSync(workspaceFolder()), name);
  before(async () => {
    await recordedAgent();
  });

  after(async () => {
    await switchOn(false);
  });

  it('are those that the catalog has', () => {
    assert.deepEqual(vscode.lm.tools.map(({ name }) => name).filter(name => name.startsWith('turnstone_')).sort(), tools.map(({ name }) => name).sort());
  });

  it('only look until the user switches on that they write', async () => {
    await assert.rejects(invoke('write_file', { path: 'off.txt', content: 'x' }), /switched off by the setting turnstone\.tools\.write/);
    assert.equal(existsSync(path('off.txt')), false);
    assert.match(await invoke('list_checkpoints', {}), /No turns are recorded here yet/);
    await switchOn(true);
  });

  // VS Code says yes for a spec, so what it would ask is looked at here.
  it('ask before they write, with what they are about to do and no words of the model\'s', () => {
    const asked = tools.map(tool => [tool.name, preparedInvocation(tool, { path: 'a\n**b**\u202e', content: 'x\n', old_text: 'o', new_text: 'n', edits: [], new_path: 'c' }).confirmationMessages?.title]);
    const inputs: Readonly<Record<string, object>> = { turnstone_write_file: { path: 'a\n**b**\u202e', content: '1\n2\n' }, turnstone_delete_file: { path: 'x' } };
    for (const [name, title] of asked) assert.equal(title !== undefined, tools.find(tool => tool.name === name)?.writes, name);
    const details = tools.filter(({ name }) => name in inputs).map(tool => (preparedInvocation(tool, inputs[tool.name]).confirmationMessages?.message as vscode.MarkdownString).value);
    assert.deepEqual(details, [
      '“a\ufffd\\*\\*b\\*\\*\ufffd” is to hold 2 lines. What it held before is kept. Turnstone records it, and you can roll it back.',
      '“x” is deleted. What it holds is kept. Turnstone records it, and you can roll it back.',
    ]);
  });

  it('write, edit, move and delete; each call is a turn, and rolling back gives every byte back', async () => {
    writeFileSync(path('a.txt'), '\uFEFFone\r\ntwo\r\n');
    assert.match(await invoke('edit_file', { path: 'a.txt', old_text: 'two\n', new_text: 'zwei\n' }), /a\.txt was changed.*version is \w{12} now/);
    await invoke('write_file', { path: 'sub/b.txt', content: 'b\n' });
    await invoke('move_file', { path: 'sub/b.txt', new_path: 'c.txt' });
    await invoke('delete_file', { path: path('c.txt') });
    assert.equal(readFileSync(path('a.txt'), 'utf8'), '\uFEFFone\r\nzwei\r\n');
    assert.deepEqual(turns().map(({ agent, state, files }) => [agent, state, ...files.map((file: any) => `${file.status} ${file.path}`)]), [
      ['vscode', 'closed', 'modified a.txt'],
      ['vscode', 'closed', 'added sub/b.txt'],
      ['vscode', 'closed', 'added c.txt', 'deleted sub/b.txt'],
      ['vscode', 'closed', 'deleted c.txt'],
    ]);
    const [first] = turns();
    assert.match(await invoke('diff', { id: first.id }), /-two\r\n\+zwei\r/);
    turnstone(workspaceFolder(), 'rewind', first.id);
    assert.equal(readFileSync(path('a.txt'), 'utf8'), '\uFEFFone\r\ntwo\r\n');
    assert.deepEqual([existsSync(path('sub')), existsSync(path('c.txt'))], [false, false]);
    await assert.rejects(invoke('edit_file', { path: 'a.txt', old_text: 'one', new_text: '1' }), /changed by a rewind.*Read the file again/);
  });

  it('leave unsaved text alone', async () => {
    writeFileSync(path('typed.txt'), 'one\n');
    const document = await vscode.workspace.openTextDocument(path('typed.txt'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'mine ');
    await vscode.workspace.applyEdit(edit);
    await assert.rejects(invoke('write_file', { path: 'typed.txt', content: 'x' }), /unsaved changes in an editor/);
    assert.deepEqual([document.getText(), readFileSync(path('typed.txt'), 'utf8')], ['mine one\n', 'one\n']);
    await document.save();
    await invoke('edit_file', { path: 'typed.txt', old_text: 'mine', new_text: 'ours' });
    await until('the editor shows it', () => document.getText() === 'ours one\n');
  });

  it('refuse with a sentence, and write nothing', async () => {
    await assert.rejects(invoke('write_file', { path: '../outside.txt', content: 'x' }), /outside.*Nothing was written/);
    await assert.rejects(invoke('edit_file', { path: 'typed.txt', old_text: 'nowhere', new_text: 'x' }), /old_text was not found/);
    assert.equal(existsSync(path('../outside.txt')), false);
  });

  it('write nothing that was cancelled', async () => {
    const source = new vscode.CancellationTokenSource();
    const count = turns().length;
    source.cancel();
    await assert.rejects(invoke('write_file', { path: 'cancelled.txt', content: 'x' }, source.token));
    assert.deepEqual([existsSync(path('cancelled.txt')), turns().length], [false, count]);
  });
});
