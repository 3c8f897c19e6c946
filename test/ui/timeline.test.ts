import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, clickModal, clickToast, expand, recordedWorkbench, textIn, turnRow, widenSideBar } from './steps.ts';

const original = { 'src/app.py': 'port = 80\nhost = "a"\n', 'notes.md': '# Notes\n' };

describe('the timeline of a working agent', () => {
  let workbench: Workbench;
  let agent: AgentPlay;

  before(async () => {
    ({ workbench, agent } = await recordedWorkbench(original));
    await widenSideBar(workbench);
  });

  after(() => workbench.close());

  it('shows a turn while it is open, with its files as they come', async () => {
    const { parts } = workbench;
    agent.prompt('Add login\nwith a form');
    await turnRow(workbench, 'Add login').waitFor();
    agent.edit('src/app.py', 'port = 80', 'port = 8080');
    agent.write('src/login.py', 'def login():\n    return True\n');
    agent.write('notes.md', '# Notes\n\nLogin is there.\n');
    await expand(workbench, 'Add login');
    await parts.treeRow('login.py').waitFor();
    await parts.treeRow('notes.md').waitFor();
    const turn = turnRow(workbench, 'Add login');
    await until('the turn counts three files', async () => (await turn.textContent())?.includes('3 files') ?? false);
    assert.match((await turn.getAttribute('aria-label')) ?? '', /^Add login\. Claude Code at \d\d:\d\d changed 3 files\. The agent is still working\./);
    await workbench.screenshot('timeline');
    const status = parts.statusItem('turnstone.turnstone', 'turnstone.status');
    await until('the status bar tells of three files', async () => (await status.textContent())?.includes('3 to review') ?? false);
    agent.stop();
    await until('the turn is not working any more', async () => !((await turn.textContent()) ?? '').includes('working'));
  });

  it('opens the changes of a file as a diff, before on the left', async () => {
    const { parts } = workbench;
    await parts.treeRow('app.py').click();
    await parts.diffLines('original').filter({ hasText: 'port = 80' }).first().waitFor();
    await parts.diffLines('modified').filter({ hasText: 'port = 8080' }).first().waitFor();
    await workbench.screenshot('diff');
  });

  it('leaves focus and selection alone while the agent works on', async () => {
    const { parts, page } = workbench;
    await parts.treeRow('notes.md').click();
    const focused = (): Promise<string | null> => page.locator(':focus').getAttribute('class');
    await until('the diff has the focus', async () => ((await focused()) ?? '').includes('edit-context'));
    const before = await focused();
    agent.prompt('Go on');
    agent.write('src/more.py', 'more = 1\n');
    await turnRow(workbench, 'Go on').filter({ hasText: '1 file' }).waitFor();
    assert.equal(await parts.treeRow('notes.md').getAttribute('aria-selected'), 'true');
    assert.equal(await focused(), before);
    agent.stop();
    await until('the turn is over', async () => !((await turnRow(workbench, 'Go on').textContent()) ?? '').includes('working'));
    assert.equal(await turnRow(workbench, 'Add login').getAttribute('aria-expanded'), 'true');
  });

  it('opens all changes of the turn in the multi-diff editor', async () => {
    await act(workbench, turnRow(workbench, 'Add login'), 'Open All Changes', workbench.page.locator('.multiDiffEntry').nth(2));
    await workbench.screenshot('all-changes');
  });

  it('rewinds to before the turn and back, byte for byte', async () => {
    const { parts } = workbench;
    const after = { 'src/app.py': textIn(workbench, 'src/app.py'), 'src/login.py': textIn(workbench, 'src/login.py'), 'notes.md': textIn(workbench, 'notes.md') };
    await act(workbench, turnRow(workbench, 'Add login'), 'Rewind to Here…', parts.modalMessage().filter({ hasText: 'Rewind code to before “Add login”?' }));
    assert.equal(await parts.modalDetail().textContent(), '2 restored, 2 deleted. No other file is touched. You can undo this.');
    await workbench.screenshot('preview-dialog');
    await clickModal(workbench, 'Rewind');
    const result = 'Rewound to before “Add login”: 4 files changed.';
    await parts.toasts().filter({ hasText: result }).waitFor();
    assert.equal(textIn(workbench, 'src/app.py'), original['src/app.py']);
    assert.equal(textIn(workbench, 'notes.md'), original['notes.md']);
    assert.equal(existsSync(join(workbench.folder, 'src/login.py')), false);
    await parts.treeRow('Rewound to before “Add login”').waitFor();
    await parts.treeRow('Rewound turns').waitFor();
    await workbench.screenshot('rewound');
    await clickToast(workbench, result, 'Undo');
    await parts.toasts().filter({ hasText: 'Undid the rewind to before “Add login”: 4 files changed.' }).waitFor();
    for (const [path, text] of Object.entries(after)) assert.equal(textIn(workbench, path), text, path);
    await turnRow(workbench, 'Add login').waitFor();
    await workbench.screenshot('undone');
  });
});
