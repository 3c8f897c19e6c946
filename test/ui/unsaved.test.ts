import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, clickModal, clickToast, recordedWorkbench, textIn, turnRow } from './steps.ts';

// Windows line ends and a byte order mark: what an editor changes when nobody takes care.
const withMark = '\uFEFFfirst\r\nsecond\r\n';

describe('a rewind that meets an unsaved editor', () => {
  let workbench: Workbench;
  let agent: AgentPlay;

  before(async () => {
    ({ workbench, agent } = await recordedWorkbench({ 'marked.txt': withMark, 'other.txt': 'other\n' }));
    agent.prompt('Change both');
    agent.write('marked.txt', '\uFEFFFIRST\r\nSECOND\r\n');
    agent.write('other.txt', 'OTHER\n');
    agent.stop();
    await turnRow(workbench, 'Change both').waitFor();
    await openAndType('typed by me ');
  });

  after(() => workbench.close());

  async function openAndType(text: string): Promise<void> {
    await workbench.host.evaluate(async (vscode, path: string) => {
      await vscode.window.showTextDocument(vscode.Uri.file(path));
    }, join(workbench.folder, 'marked.txt'));
    await workbench.page.locator('.editor-instance .view-line', { hasText: 'SECOND' }).click();
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type(text);
    await until('the editor is unsaved', () => isDirty());
  }

  function isDirty(): Promise<boolean> {
    return workbench.host.evaluate(vscode => vscode.workspace.textDocuments.some(document => document.isDirty));
  }

  function shownText(): Promise<string> {
    return workbench.host.evaluate(vscode => vscode.workspace.textDocuments.find(({ fileName }) => fileName.endsWith('marked.txt'))?.getText() ?? '');
  }

  async function startRewind(): Promise<void> {
    await act(workbench, turnRow(workbench, 'Change both'), 'Rewind to Here…', workbench.parts.modalMessage().filter({ hasText: 'marked.txt has unsaved changes.' }));
  }

  it('leaves the editor and its file alone, and rewinds the rest', async () => {
    await startRewind();
    await workbench.screenshot('unsaved');
    await clickModal(workbench, 'Rewind Other 1 File');
    const result = 'Rewound to before “Change both”: 1 file changed, 1 left as yours.';
    await workbench.parts.toasts().filter({ hasText: result }).waitFor();
    assert.equal(textIn(workbench, 'other.txt'), 'other\n');
    assert.equal(textIn(workbench, 'marked.txt'), '\uFEFFFIRST\r\nSECOND\r\n');
    assert.ok((await shownText()).startsWith('typed by me FIRST'));
    await clickToast(workbench, result, 'Undo');
    await until('the other file is back', () => textIn(workbench, 'other.txt') === 'OTHER\n');
  });

  it('keeps what was typed when the checkpoint is taken, and writes the recorded bytes', async () => {
    const { parts, page } = workbench;
    await startRewind();
    await clickModal(workbench, 'Review Conflict');
    await parts.quickPickRow('Take the Checkpoint').click();
    await parts.modalMessage().filter({ hasText: 'Rewind code to before' }).waitFor();
    await clickModal(workbench, 'Rewind');
    await parts.toasts().filter({ hasText: 'Rewound to before “Change both”: 2 files changed.' }).waitFor();
    assert.deepEqual(readFileSync(join(workbench.folder, 'marked.txt')), Buffer.from(withMark));
    assert.equal(await isDirty(), false);
    // The editor's own undo brings the typed text back.
    await page.locator('.editor-instance .view-line', { hasText: 'second' }).click();
    await page.keyboard.press('Control+Z');
    await until('the typed text is back', async () => (await shownText()).startsWith('typed by me FIRST'));
  });
});
