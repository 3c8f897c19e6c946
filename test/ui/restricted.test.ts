import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { uiGround } from '../support/uiGround.ts';
import { startServer } from '../support/vscodeServer.ts';
import type { VscodeServer } from '../support/vscodeServer.ts';
import { openWorkbench } from '../support/workbench.ts';
import type { Workbench } from '../support/workbench.ts';
import { expand, recordedWorkbench, turnRow } from './steps.ts';

describe('Restricted Mode', () => {
  let server: VscodeServer;
  let workbench: Workbench;
  let folder: string;

  before(async () => {
    const ground = uiGround();
    // A history is made in a trusted window, and looked at in one that is not.
    const { workbench: trusted, agent } = await recordedWorkbench({ 'a.txt': 'a0\n' });
    agent.prompt('Change a');
    agent.write('a.txt', 'a1\n');
    agent.stop();
    await turnRow(trusted, 'Change a').waitFor();
    ({ folder } = trusted);
    await trusted.close();
    const dataDirectory = join(scratchDirectory('restricted'), 'data');
    cpSync(dirname(ground.server.bridgeDirectory), dataDirectory, { recursive: true, filter: path => !path.endsWith('bridge') });
    server = await startServer({
      dataDirectory,
      homeDirectory: ground.homeDirectory,
      driver: false,
      restricted: true,
      settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
    });
    workbench = await openWorkbench(ground.browser, server, folder);
    await workbench.parts.openViewContainer('Turnstone');
  });

  after(async () => {
    await workbench.close();
    await server.stop();
  });

  it('shows history and its changes', async () => {
    const { parts } = workbench;
    assert.equal(await workbench.host.evaluate(vscode => vscode.workspace.isTrusted), false);
    await expand(workbench, 'Change a');
    await parts.treeRow('a.txt').click();
    await parts.diffLines('modified').filter({ hasText: 'a1' }).first().waitFor();
    await workbench.screenshot('restricted');
  });

  it('restores nothing and installs nothing', async () => {
    const { parts } = workbench;
    const settings = join(uiGround().homeDirectory, '.claude', 'settings.json');
    const before = readFileSync(settings, 'utf8');
    for (const command of ['turnstone.rewindToHere', 'turnstone.installHooks', 'turnstone.removeHooks']) {
      await workbench.host.evaluate((vscode, id: string) => void vscode.commands.executeCommand(id), command);
    }
    await parts.toasts().filter({ hasText: 'In Restricted Mode Turnstone only shows history.' }).first().waitFor();
    assert.equal(await parts.modal().count(), 0);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'a1\n');
    assert.equal(readFileSync(settings, 'utf8'), before);
    const row = turnRow(workbench, 'Change a');
    await row.hover();
    assert.equal(await row.locator('.actions a[aria-label="Rewind to Here…"]').isEnabled(), false);
  });

  it('says so where a folder has no history', async () => {
    const other = uiGround().folder({ 'x.txt': 'x\n' });
    const second = await openWorkbench(uiGround().browser, server, other);
    await second.parts.openViewContainer('Turnstone');
    await second.page.getByText('In Restricted Mode Turnstone only shows history').first().waitFor();
    await second.screenshot('restricted-welcome');
    await second.close();
  });
});
