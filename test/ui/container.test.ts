import assert from 'node:assert/strict';
import { uiGround } from '../support/uiGround.ts';
import type { Workbench } from '../support/workbench.ts';

describe('the Turnstone container', () => {
  let workbench: Workbench;

  before(async () => {
    const ground = uiGround();
    workbench = await ground.open(ground.folder({ 'notes.txt': 'first line\n' }));
  });

  after(() => workbench.close());

  it('opens from the activity bar and shows the timeline', async () => {
    const { parts } = workbench;
    await parts.openViewContainer('Turnstone');
    await parts.viewHeader('Timeline').waitFor();
    await workbench.screenshot('container');
    assert.equal(await parts.viewHeader('Timeline').isVisible(), true);
  });
});
