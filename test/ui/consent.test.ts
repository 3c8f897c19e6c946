import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { uiGround } from '../support/uiGround.ts';
import type { Workbench } from '../support/workbench.ts';
import { clickModal, clickToast } from './steps.ts';

const mine = '{\n    "model": "opus", // mine\n    "hooks": {\n        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]\n    }\n}\n';

function everything(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort() : [];
}

describe('consent', () => {
  let workbench: Workbench;
  let settings: string;

  before(async () => {
    const ground = uiGround();
    settings = join(ground.homeDirectory, '.claude', 'settings.json');
    rmSync(dirname(settings), { recursive: true, force: true });
    mkdirSync(dirname(settings));
    writeFileSync(settings, mine);
    workbench = await ground.open(ground.folder({ 'notes.txt': 'first line\n' }));
    await workbench.parts.openViewContainer('Turnstone');
  });

  after(async () => {
    await workbench.close();
    rmSync(dirname(settings), { recursive: true, force: true });
  });

  it('is asked for in an empty timeline, and nothing is written when it is not given', async () => {
    const { parts, page } = workbench;
    const { homeDirectory } = uiGround();
    await page.getByText('No agent is recorded in this folder.').waitFor();
    await page.getByText('Nothing is written until you confirm.').waitFor();
    await workbench.screenshot('welcome');
    const before = everything(homeDirectory);
    await page.locator('.part.sidebar .monaco-button', { hasText: 'Install Recording Hooks…' }).click();
    await parts.modalMessage().filter({ hasText: 'Record Claude Code with Turnstone?' }).waitFor();
    const detail = (await parts.modalDetail().textContent()) ?? '';
    assert.ok(detail.startsWith('Adds 10 hooks to ~/.claude/settings.json and changes nothing else there. Prompts and file contents stay on this machine.'), detail);
    await workbench.screenshot('consent');
    await page.keyboard.press('Escape');
    await parts.modal().waitFor({ state: 'hidden' });
    assert.equal(readFileSync(settings, 'utf8'), mine);
    assert.deepEqual(everything(homeDirectory), before);
  });

  it('refuses a settings file that it does not understand', async () => {
    const { parts } = workbench;
    writeFileSync(settings, '{ "model": ');
    await workbench.runCommand('Turnstone: Install Recording Hooks…');
    await parts.toasts().filter({ hasText: 'not valid JSON' }).waitFor();
    assert.equal(await parts.modal().count(), 0);
    assert.equal(readFileSync(settings, 'utf8'), '{ "model": ');
    writeFileSync(settings, mine);
  });

  it('does not write what is not what was shown any more', async () => {
    const { parts } = workbench;
    await workbench.runCommand('Turnstone: Install Recording Hooks…');
    await parts.modalMessage().waitFor();
    writeFileSync(settings, `${mine}\n`);
    await clickModal(workbench, 'Install');
    await parts.toasts().filter({ hasText: 'was changed meanwhile. It was left as it is; try again.' }).waitFor();
    assert.equal(readFileSync(settings, 'utf8'), `${mine}\n`);
    await workbench.page.getByText('No agent is recorded in this folder.').waitFor();
    writeFileSync(settings, mine);
  });

  it('shows the exact change, and installs exactly that', async () => {
    const { parts, page } = workbench;
    await workbench.runCommand('Turnstone: Install Recording Hooks…');
    await clickModal(workbench, 'Show Changes');
    await parts.diffLines('original').filter({ hasText: 'mine' }).first().waitFor();
    await parts.diffLines('modified').filter({ hasText: 'UserPromptSubmit' }).first().waitFor();
    assert.equal(readFileSync(settings, 'utf8'), mine);
    await workbench.screenshot('consent-changes');
    await clickToast(workbench, 'Record Claude Code with Turnstone?', 'Install');
    await page.getByText('Hooks are installed. Your next prompt appears here; earlier work was not recorded.').waitFor();
    const after = readFileSync(settings, 'utf8');
    assert.match(after, /"command": "\[ -x '.*\/bin\/turnstone' \] \|\| exit 0; exec '.*\/bin\/turnstone' hook claude-code UserPromptSubmit"/);
    assert.ok(after.includes('"model": "opus", // mine') && after.includes('say done'));
    await workbench.screenshot('waiting');
  });

  it('says that all is in place when asked', async () => {
    await workbench.page.locator('.part.sidebar .monaco-button', { hasText: 'Check Hooks' }).click();
    await workbench.parts.toasts().filter({ hasText: 'All 10 hooks are in ~/.claude/settings.json, and what they tell arrives.' }).waitFor();
  });

  it('says at once that nothing is recorded when somebody takes the hooks away, and why', async () => {
    const installed = readFileSync(settings, 'utf8');
    writeFileSync(settings, mine);
    const status = workbench.parts.statusItem('turnstone.turnstone', 'turnstone.status');
    await status.filter({ hasText: 'Not recording' }).waitFor();
    assert.match((await status.getAttribute('aria-label')) ?? '', /There are no hooks of Turnstone in ~\/\.claude\/settings\.json|are missing in/);
    await workbench.screenshot('not-recording');
    writeFileSync(settings, installed);
    await status.waitFor({ state: 'hidden' });
  });

  it('is taken back: every byte of the file is as it was', async () => {
    const { parts } = workbench;
    await workbench.runCommand('Turnstone: Remove Recording Hooks…');
    await parts.modalMessage().filter({ hasText: 'Stop recording Claude Code?' }).waitFor();
    await clickModal(workbench, 'Remove');
    await workbench.page.locator('.part.sidebar').getByText('not recording').first().waitFor();
    assert.equal(readFileSync(settings, 'utf8'), mine);
    // What the user wanted is no warning.
    await parts.statusItem('turnstone.turnstone', 'turnstone.status').waitFor({ state: 'hidden' });
    await workbench.screenshot('hooks-removed');
  });

  it('asks which agents where several are used here, and takes all of them back', async () => {
    const { parts, page } = workbench;
    const { homeDirectory } = uiGround();
    const codex = join(homeDirectory, '.codex');
    mkdirSync(codex);
    await workbench.runCommand('Turnstone: Install Recording Hooks…');
    await parts.quickPickTitle().filter({ hasText: 'Install Recording Hooks' }).waitFor();
    const isPicked = (agent: string): Promise<string | null> => parts.quickPickRow(agent).locator('[aria-checked]').or(parts.quickPickRow(agent)).first().getAttribute('aria-checked');
    assert.deepEqual([await isPicked('Claude Code'), await isPicked('Codex'), await isPicked('Gemini CLI')], ['true', 'true', 'false']);
    await workbench.screenshot('consent-agents');
    await page.keyboard.press('Enter');
    await parts.modalMessage().filter({ hasText: 'Record Claude Code, Codex with Turnstone?' }).waitFor();
    assert.equal(readFileSync(settings, 'utf8'), mine);
    await workbench.screenshot('consent-several');
    await clickModal(workbench, 'Install');
    await parts.toasts().filter({ hasText: 'Codex runs hooks only when you have trusted them' }).waitFor();
    assert.match(readFileSync(join(codex, 'hooks.json'), 'utf8'), /hook codex UserPromptSubmit/);
    assert.match(readFileSync(settings, 'utf8'), /hook claude-code UserPromptSubmit/);
    await workbench.runCommand('Turnstone: Check Hooks');
    await parts.toasts().filter({ hasText: 'Claude Code, Codex is recorded from the agent\'s next prompt.' }).waitFor();
    await workbench.runCommand('Turnstone: Remove Recording Hooks…');
    await parts.modalMessage().filter({ hasText: 'Stop recording Claude Code, Codex?' }).waitFor();
    await clickModal(workbench, 'Remove');
    await workbench.page.locator('.part.sidebar').getByText('not recording').first().waitFor();
    assert.equal(readFileSync(settings, 'utf8'), mine);
    assert.deepEqual(everything(codex), []);
    rmSync(codex, { recursive: true });
  });
});
