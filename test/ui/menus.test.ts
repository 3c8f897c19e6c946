import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, clickModal, clickToast, expand, recordedWorkbench, textIn, turnRow, widenSideBar } from './steps.ts';

describe('single turns and files in the tree', () => {
  let workbench: Workbench;
  let agent: AgentPlay;

  before(async () => {
    ({ workbench, agent } = await recordedWorkbench({ 'a.txt': 'a0\n', 'b.txt': 'b0\n', 'c.txt': 'c0\n' }));
    await widenSideBar(workbench);
    agent.prompt('First');
    agent.write('a.txt', 'a1\n');
    agent.write('b.txt', 'b1\n');
    agent.write('made.txt', 'made\n');
    agent.stop();
    agent.prompt('Second');
    agent.write('c.txt', 'c1\n');
    agent.stop();
    await turnRow(workbench, 'Second').waitFor();
    await expand(workbench, 'First');
  });

  after(() => workbench.close());

  // A menu takes no click in its first moments, so that the one that opened it chooses nothing.
  async function choose(row: ReturnType<typeof turnRow>, title: string): Promise<void> {
    const item = workbench.parts.menuItem(title);
    await row.click({ button: 'right' });
    await item.waitFor();
    await until(`${title} is chosen`, async () => {
      await item.click({ timeout: 1000 });
      await item.waitFor({ state: 'hidden', timeout: 1000 });
      return true;
    }, 10_000);
  }

  it('compares a file with what it is now', async () => {
    const { parts } = workbench;
    await choose(parts.treeRow('a.txt'), 'Compare with Current');
    await workbench.page.locator('.tab.active', { hasText: 'a.txt (after “First” ↔ current)' }).waitFor();
  });

  it('rolls one file of a turn back', async () => {
    const { parts } = workbench;
    await act(workbench, parts.treeRow('a.txt'), 'Roll Back File', parts.modalMessage().filter({ hasText: 'Roll back a.txt of “First”?' }));
    await clickModal(workbench, 'Roll Back');
    await until('the file is back', () => textIn(workbench, 'a.txt') === 'a0\n');
    assert.equal(textIn(workbench, 'b.txt'), 'b1\n');
    await parts.treeRow('a.txt').filter({ hasText: 'modified · rolled back' }).waitFor();
  });

  it('rolls back a turn in the middle, with a preview, and later turns stay', async () => {
    const { parts, page } = workbench;
    await choose(turnRow(workbench, 'First'), 'Roll Back Turn');
    await parts.modalDetail().filter({ hasText: '1 restored, 1 deleted.' }).waitFor();
    await clickModal(workbench, 'Preview');
    await page.locator('.multiDiffEntry').nth(1).waitFor();
    await workbench.screenshot('roll-back-preview');
    assert.equal(existsSync(join(workbench.folder, 'made.txt')), true);
    await clickToast(workbench, 'Roll back “First”?', 'Roll Back');
    await until('the turn is back', () => textIn(workbench, 'b.txt') === 'b0\n' && !existsSync(join(workbench.folder, 'made.txt')));
    assert.equal(textIn(workbench, 'c.txt'), 'c1\n');
    await parts.treeRow('Rolled back “First”').waitFor();
    await workbench.screenshot('roll-back-turn');
  });

  it('takes a roll back back from its own line', async () => {
    const { parts } = workbench;
    await act(workbench, parts.treeRow('Rolled back “First”'), 'Undo', parts.modalMessage().filter({ hasText: 'Undo the roll back of “First”?' }));
    await clickModal(workbench, 'Undo');
    await until('the turn is there again', () => textIn(workbench, 'b.txt') === 'b1\n' && textIn(workbench, 'made.txt') === 'made\n');
    assert.equal(textIn(workbench, 'a.txt'), 'a0\n');
  });
});
