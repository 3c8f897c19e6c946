import assert from 'node:assert/strict';
import { join } from 'node:path';
import { uiGround } from '../support/uiGround.ts';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, clickModal, recordedWorkbench, textIn, turnRow } from './steps.ts';

describe('two windows on one folder', () => {
  let first: Workbench;
  let second: Workbench;
  let agent: AgentPlay;

  before(async () => {
    ({ workbench: first, agent } = await recordedWorkbench({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' }));
    second = await uiGround().open(first.folder);
    await second.parts.openViewContainer('Turnstone');
    agent.prompt('Change both');
    agent.write('a.txt', 'a1\n');
    agent.write('b.txt', 'b1\n');
    agent.stop();
  });

  after(async () => {
    await second.close();
    await first.close();
  });

  it('show the same timeline', async () => {
    await turnRow(first, 'Change both').filter({ hasText: '2 files' }).waitFor();
    await turnRow(second, 'Change both').filter({ hasText: '2 files' }).waitFor();
  });

  it('respect what the other one holds unsaved', async () => {
    await second.host.evaluate(async (vscode, path: string) => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(path), new vscode.Position(0, 0), 'typed in the other window ');
      await vscode.workspace.applyEdit(edit);
    }, join(second.folder, 'a.txt'));
    const rewind = async (): Promise<void> => {
      await act(first, turnRow(first, 'Change both'), 'Rewind to Here…', first.parts.modalMessage());
    };
    await until('the other window has told what it holds', async () => {
      await rewind();
      if (((await first.parts.modalMessage().textContent()) ?? '') === 'a.txt has unsaved changes in another window.') return true;
      await first.page.keyboard.press('Escape');
      return false;
    }, 15_000);
    await clickModal(first, 'Rewind Other 1 File');
    await until('the other file is back', () => textIn(first, 'b.txt') === 'b0\n');
    assert.equal(textIn(first, 'a.txt'), 'a1\n');
    const held = await second.host.evaluate(vscode => vscode.workspace.textDocuments.filter(document => document.isDirty).map(document => document.getText()));
    assert.deepEqual(held, ['typed in the other window a1\n']);
  });

  it('hear of each other\'s restores', async () => {
    await second.parts.treeRow('Rewound to before “Change both”').waitFor();
    await act(second, second.parts.treeRow('Rewound to before “Change both”'), 'Undo', second.parts.modal());
    await clickModal(second, 'Undo');
    await until('the undo of the second window is done', () => textIn(first, 'b.txt') === 'b1\n');
    await first.parts.treeRow('Undid the rewind to before “Change both”').waitFor();
    // The first window still offers to undo what is undone already.
    const stale = first.parts.toasts().filter({ hasText: 'Rewound to before “Change both”' });
    await stale.locator('.monaco-button', { hasText: 'Undo' }).click();
    await first.parts.toasts().filter({ hasText: 'That is not in force any more. Nothing was touched.' }).waitFor();
    assert.equal(textIn(first, 'b.txt'), 'b1\n');
  });
});
