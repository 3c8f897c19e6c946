import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { uiGround } from '../support/uiGround.ts';
import type { Workbench } from '../support/workbench.ts';
import { AgentPlay } from './agentPlay.ts';
import { clickModal, expand, record, textIn, turnRow } from './steps.ts';

// One red and one blue pixel.
const red = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
const blue = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

describe('files that are no text', () => {
  const noise = Buffer.concat([Buffer.from([0, 0xff, 0xfe]), randomBytes(4093)]);
  let workbench: Workbench;
  let agent: AgentPlay;

  before(async () => {
    const ground = uiGround();
    const folder = ground.folder({ 'notes.txt': 'a\n' });
    writeFileSync(join(folder, 'noise.bin'), noise);
    writeFileSync(join(folder, 'dot.png'), red);
    workbench = await ground.open(folder);
    await record(workbench);
    agent = new AgentPlay(ground.homeDirectory, workbench.folder);
    agent.prompt('Change the pictures');
    agent.write('noise.bin', randomBytes(2048));
    agent.write('dot.png', blue);
    agent.write('notes.txt', 'b\n');
    agent.stop();
    agent.prompt('Change the pictures again');
    agent.write('noise.bin', randomBytes(16));
    agent.write('new/deep/file.txt', 'new\n');
    agent.stop();
    await expand(workbench, 'Change the pictures');
  });

  after(() => workbench.close());

  it('show a placeholder in a diff (case E3)', async () => {
    const { parts, page } = workbench;
    const row = parts.treeRow('noise.bin');
    await row.waitFor();
    assert.match((await row.textContent()) ?? '', /binary · modified/);
    await row.click();
    await page.locator('.editor-instance', { hasText: /binary/ }).first().waitFor();
    await workbench.screenshot('binary-diff');
  });

  it('show pictures of both sides', async () => {
    await workbench.parts.treeRow('dot.png').click();
    await workbench.page.locator('.tab.active', { hasText: 'dot.png (before ↔ after' }).waitFor();
    await workbench.page.locator('iframe.webview.ready').nth(1).waitFor();
    await workbench.screenshot('image-diff');
  });

  it('come back byte for byte, from the palette (cases E3 and N1)', async () => {
    const { parts } = workbench;
    writeFileSync(join(workbench.folder, 'new', 'mine.txt'), 'mine\n');
    await workbench.runCommand('Turnstone: Rewind to Here…');
    await parts.quickPickRow('Change the pictures again').waitFor();
    await workbench.screenshot('turn-picker');
    await parts.quickPickInput().fill('Change the pictures');
    await parts.quickPickRow('noise.bin, notes.txt').click();
    await parts.modalMessage().filter({ hasText: 'Rewind code to before “Change the pictures”?' }).waitFor();
    await clickModal(workbench, 'Rewind');
    await parts.toasts().filter({ hasText: 'Rewound to before “Change the pictures”: 4 files changed.' }).waitFor();
    assert.deepEqual(readFileSync(join(workbench.folder, 'noise.bin')), noise);
    assert.deepEqual(readFileSync(join(workbench.folder, 'dot.png')), red);
    assert.equal(textIn(workbench, 'notes.txt'), 'a\n');
    assert.equal(existsSync(join(workbench.folder, 'new', 'deep')), false);
    assert.equal(textIn(workbench, 'new/mine.txt'), 'mine\n');
    await turnRow(workbench, 'Change the pictures').waitFor({ state: 'hidden' });
  });
});
