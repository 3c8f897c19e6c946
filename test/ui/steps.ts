// What several UI specs do the same way.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { uiGround } from '../support/uiGround.ts';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import { AgentPlay } from './agentPlay.ts';

/** Agrees to be recorded, whether or not the hooks are in the scratch home already. */
export async function record(workbench: Workbench): Promise<void> {
  const { parts } = workbench;
  await parts.openViewContainer('Turnstone');
  // Whoever uses Claude Code has this folder; that of no other agent is there, so that nobody has to be asked which.
  mkdirSync(join(uiGround().homeDirectory, '.claude'), { recursive: true });
  await workbench.runCommand('Turnstone: Install Recording Hooks…');
  await parts.modalMessage().waitFor();
  await parts.modal().locator('.dialog-buttons .monaco-button').filter({ hasText: /^(Install|Record This Folder)$/ }).click();
  await workbench.page.getByText('Your next prompt appears here').waitFor();
}

/** A workbench on a fresh folder of these files, recorded, with an agent in it. */
export async function recordedWorkbench(files: Readonly<Record<string, string>>): Promise<{ workbench: Workbench; agent: AgentPlay }> {
  const ground = uiGround();
  const workbench = await ground.open(ground.folder(files));
  await record(workbench);
  return { workbench, agent: new AgentPlay(ground.homeDirectory, workbench.folder) };
}

/** The row of a turn: restores of it have its title in theirs. */
export function turnRow(workbench: Workbench, title: string): Locator {
  return workbench.page.locator(`.part.sidebar [role=treeitem][aria-label^="${title}. "]`);
}

export async function expand(workbench: Workbench, label: string): Promise<void> {
  const row = turnRow(workbench, label);
  // A turn without files can't be expanded yet.
  await until(`${label} can be expanded`, async () => (await row.getAttribute('aria-expanded')) !== null);
  if ((await row.getAttribute('aria-expanded')) === 'false') await row.locator('.monaco-tl-twistie').click();
}

/**
 * Clicks an inline action of a row until its result shows: the timeline is live, so a row may be drawn anew under the
 * pointer, and then the click is nobody's.
 */
export async function act(workbench: Workbench, row: Locator, title: string, result: Locator): Promise<void> {
  await until(`${title} has its result`, async () => {
    if (await result.isVisible()) return true;
    await (await workbench.parts.inlineAction(row, title)).click({ timeout: 2000 });
    await result.waitFor({ timeout: 5000 });
    return true;
  });
}

export async function clickModal(workbench: Workbench, title: string): Promise<void> {
  await workbench.parts.modalButton(title).click();
}

/** Clicks a button of the notification that holds this text. */
export async function clickToast(workbench: Workbench, text: string | RegExp, title: string): Promise<void> {
  const toast = workbench.parts.toasts().filter({ hasText: text });
  await toast.waitFor();
  await toast.locator('.monaco-button', { hasText: title }).click();
}

export function textIn(workbench: Workbench, path: string): string {
  return readFileSync(join(workbench.folder, path), 'utf8');
}

/** Makes the side bar wide enough for a turn's whole description. */
export async function widenSideBar(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const box = await page.locator('.part.sidebar').boundingBox();
  if (box === null) throw new Error('There is no side bar.');
  await page.mouse.move(box.x + box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 480, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
}
