import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, clickModal, clickToast, recordedWorkbench, textIn, turnRow, widenSideBar } from './steps.ts';

const original = { 'app.ts': 'v0\n', 'one.txt': 'one\n', 'two.txt': 'two\n' };

describe('a rewind that meets work of the user', () => {
  let workbench: Workbench;
  let agent: AgentPlay;

  before(async () => {
    ({ workbench, agent } = await recordedWorkbench(original));
    await widenSideBar(workbench);
    agent.prompt('Rename everything');
    agent.write('app.ts', 'v1\n');
    agent.write('one.txt', 'ONE\n');
    agent.write('two.txt', 'TWO\n');
    agent.write('new.txt', 'new\n');
    agent.stop();
    // Case U1: the user appends by hand and saves.
    appendFileSync(join(workbench.folder, 'app.ts'), 'mine\n');
    await turnRow(workbench, 'Rename everything').waitFor();
  });

  after(() => workbench.close());

  async function startRewind(): Promise<void> {
    await act(workbench, turnRow(workbench, 'Rename everything'), 'Rewind to Here…', workbench.parts.modalMessage().filter({ hasText: 'app.ts changed after the agent\'s last recorded edit.' }));
  }

  function assertUntouched(): void {
    assert.equal(textIn(workbench, 'app.ts'), 'v1\nmine\n');
    assert.equal(textIn(workbench, 'one.txt'), 'ONE\n');
    assert.equal(textIn(workbench, 'new.txt'), 'new\n');
  }

  it('stops and says which file, before anything is written (case U1)', async () => {
    await startRewind();
    assert.equal(await workbench.parts.modalDetail().textContent(), 'Nothing has been written. 3 other files can be rewound.');
    await workbench.screenshot('conflict');
    await workbench.page.keyboard.press('Escape');
    await workbench.parts.modal().waitFor({ state: 'hidden' });
    assertUntouched();
  });

  it('does nothing to files when Enter is pressed without looking', async () => {
    const { parts, page } = workbench;
    await startRewind();
    await page.keyboard.press('Enter');
    await parts.quickPickRow('Leave Mine').waitFor();
    await parts.quickPickRow('Take the Checkpoint (Mine Is Saved First)').waitFor();
    await workbench.screenshot('review-conflict');
    await parts.quickPickRow('Compare').click();
    await parts.diffLines('original').filter({ hasText: 'mine' }).first().waitFor();
    await parts.quickPickRow('Leave Mine').waitFor();
    await page.keyboard.press('Escape');
    await parts.quickPickTitle().waitFor({ state: 'hidden' });
    assertUntouched();
  });

  it('rewinds the other files and leaves mine', async () => {
    const { parts } = workbench;
    await startRewind();
    await clickModal(workbench, 'Rewind Other 3 Files');
    const result = 'Rewound to before “Rename everything”: 3 files changed, 1 left as yours.';
    await parts.toasts().filter({ hasText: result }).waitFor();
    assert.equal(textIn(workbench, 'app.ts'), 'v1\nmine\n');
    assert.equal(textIn(workbench, 'one.txt'), 'one\n');
    await workbench.screenshot('left-as-yours');
    await clickToast(workbench, result, 'Undo');
    await until('all is back', () => textIn(workbench, 'one.txt') === 'ONE\n' && textIn(workbench, 'new.txt') === 'new\n');
    assertUntouched();
  });

  it('takes the checkpoint when told so, and one undo brings mine back (case U1)', async () => {
    const { parts } = workbench;
    await parts.treeRow('Undid the rewind').waitFor();
    await startRewind();
    await clickModal(workbench, 'Review Conflict');
    await parts.quickPickRow('Take the Checkpoint').click();
    await parts.modalMessage().filter({ hasText: 'Rewind code to before' }).waitFor();
    await clickModal(workbench, 'Rewind');
    const result = 'Rewound to before “Rename everything”: 4 files changed.';
    await parts.toasts().filter({ hasText: result }).waitFor();
    assert.equal(textIn(workbench, 'app.ts'), 'v0\n');
    await clickToast(workbench, result, 'Undo');
    await until('mine is back', () => textIn(workbench, 'app.ts') === 'v1\nmine\n');
  });

  it('merges what fits together, shows the result first, and keeps both', async () => {
    const { parts } = workbench;
    const lines = (first: string, last: string): string => [first, 'b', 'c', 'd', 'e', 'f', last, ''].join('\n');
    writeFileSync(join(workbench.folder, 'poem.txt'), lines('a', 'g'));
    agent.prompt('Capital first line');
    agent.write('poem.txt', lines('A', 'g'));
    agent.stop();
    writeFileSync(join(workbench.folder, 'poem.txt'), lines('A', 'mine'));
    await act(workbench, turnRow(workbench, 'Capital first line'), 'Rewind to Here…', parts.modalMessage().filter({ hasText: 'poem.txt changed after' }));
    await clickModal(workbench, 'Review Conflict');
    await parts.quickPickRow('Merge').click();
    await parts.modalDetail().filter({ hasText: '1 merged. No other file is touched.' }).waitFor();
    await clickModal(workbench, 'Preview');
    await workbench.page.locator('.multiDiffEntry').first().waitFor();
    await workbench.screenshot('merge-preview');
    assert.equal(textIn(workbench, 'poem.txt'), lines('A', 'mine'));
    await clickToast(workbench, 'Rewind code to before “Capital first line”?', 'Rewind');
    await until('both are there', () => textIn(workbench, 'poem.txt') === lines('a', 'mine'));
  });

  it('asks again when the agent goes on while the question is open', async () => {
    const { parts } = workbench;
    agent.prompt('Keep going');
    agent.write('one.txt', 'first\n');
    await act(workbench, turnRow(workbench, 'Keep going'), 'Rewind to Here…', parts.modalDetail().filter({ hasText: '1 restored.' }));
    agent.write('two.txt', 'second\n');
    const before = textIn(workbench, 'two.txt');
    await clickModal(workbench, 'Rewind');
    await parts.modalDetail().filter({ hasText: '2 restored.' }).waitFor();
    assert.equal(textIn(workbench, 'two.txt'), before);
    await clickModal(workbench, 'Rewind');
    await parts.toasts().filter({ hasText: 'Rewound to before “Keep going”: 2 files changed.' }).waitFor();
  });
});
