import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { FrameLocator } from 'playwright-core';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, clickModal, clickToast, expand, recordedWorkbench, textIn, turnRow, widenSideBar } from './steps.ts';

const original = { 'src/app.py': 'one\ntwo\nthree\nfour\nfive\nsix\n', 'notes.md': '# Notes\n' };

describe('reviewing the latest turn', () => {
  let workbench: Workbench;
  let agent: AgentPlay;
  let page: FrameLocator;

  before(async () => {
    ({ workbench, agent } = await recordedWorkbench(original));
    await widenSideBar(workbench);
    agent.prompt('Shout');
    agent.edit('src/app.py', 'three', 'THREE');
    agent.write('notes.md', '# Notes\n\n<b>loud</b>\n');
    agent.stop();
    await turnRow(workbench, 'Shout').waitFor();
    await workbench.parts.viewHeader('Review').click();
    page = workbench.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  });

  after(() => workbench.close());

  it('shows the files as cards with their changes', async () => {
    await page.getByRole('heading', { name: 'Shout' }).waitFor();
    await page.getByText('+THREE').waitFor();
    await page.getByText('<b>loud</b>').waitFor();
    assert.equal(await page.locator('.card').count(), 2);
    await workbench.screenshot('review');
  });

  it('remembers over hiding which cards are closed', async () => {
    await page.getByRole('button', { name: 'app.py', expanded: true }).click();
    await workbench.parts.viewHeader('Review').click();
    await workbench.parts.viewHeader('Review').click();
    await page.getByRole('button', { name: 'app.py', expanded: false }).waitFor();
  });

  it('opens the changes of a file', async () => {
    await page.getByRole('button', { name: 'Open Changes: src/app.py' }).click();
    await workbench.parts.diffLines('modified').filter({ hasText: 'THREE' }).first().waitFor();
  });

  it('rolls one file back and leaves the other', async () => {
    await page.getByRole('button', { name: 'Roll Back File: src/app.py' }).click();
    await workbench.parts.modalMessage().filter({ hasText: 'Roll back app.py of “Shout”?' }).waitFor();
    await clickModal(workbench, 'Roll Back');
    await workbench.parts.toasts().filter({ hasText: 'Rolled back app.py of “Shout”: 1 file changed.' }).waitFor();
    assert.equal(textIn(workbench, 'src/app.py'), original['src/app.py']);
    assert.equal(textIn(workbench, 'notes.md'), '# Notes\n\n<b>loud</b>\n');
    await page.getByText('rolled back').waitFor();
    await workbench.screenshot('rolled-back');
  });

  it('previews a rewind without being in the way, and does it from there', async () => {
    const { parts } = workbench;
    await act(workbench, turnRow(workbench, 'Shout'), 'Rewind to Here…', parts.modalMessage());
    await workbench.page.keyboard.press('Enter');
    await workbench.page.locator('.multiDiffEntry').first().waitFor();
    await workbench.screenshot('preview');
    assert.equal(textIn(workbench, 'notes.md'), '# Notes\n\n<b>loud</b>\n');
    await clickToast(workbench, 'Rewind code to before “Shout”?', 'Rewind');
    await until('the notes are as before', () => textIn(workbench, 'notes.md') === original['notes.md']);
    await page.getByText('Nothing to review').waitFor();
  });

  it('survives a reload: the timeline, an open diff, and what can be undone (case X1)', async () => {
    const { parts } = workbench;
    await parts.treeRow('Rewound turns').locator('.monaco-tl-twistie').click();
    await expand(workbench, 'Shout');
    await parts.treeRow('notes.md').dblclick();
    await workbench.page.locator('.tab.active', { hasText: 'notes.md (before ↔ after “Shout”)' }).waitFor();
    // The command, not the page's own reload: VS Code then writes down its tabs before it goes.
    await workbench.replaceHost(() => workbench.runCommand('Developer: Reload Window'));
    await parts.diffLines('modified').filter({ hasText: 'loud' }).first().waitFor({ timeout: 30_000 });
    await parts.treeRow('Rewound to before “Shout”').waitFor();
    await workbench.runCommand('Turnstone: Undo Last Rewind');
    await parts.modalMessage().filter({ hasText: 'Undo the rewind to before “Shout”?' }).waitFor();
    await clickModal(workbench, 'Undo');
    await until('the notes are loud again', () => textIn(workbench, 'notes.md') === '# Notes\n\n<b>loud</b>\n');
    await workbench.runCommand('Turnstone: Redo');
    await clickModal(workbench, 'Redo');
    await until('the notes are as before', () => textIn(workbench, 'notes.md') === original['notes.md']);
    await workbench.screenshot('after-reload');
  });

  it('lists every file of a restore in its report', async () => {
    await act(workbench, workbench.parts.treeRow('Rewound to before “Shout”').first(), 'Show Report', workbench.page.locator('.editor-instance .view-line', { hasText: 'notes.md' }).first());
    await workbench.screenshot('report');
  });
});
