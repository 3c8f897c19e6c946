import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from '../support/workbench.ts';
import { clickModal, recordedWorkbench, textIn } from './steps.ts';

type Outcome = { readonly text: string } | { readonly refusal: string };

describe('a tool that a model calls', () => {
  let workbench: Workbench;

  before(async () => {
    ({ workbench } = await recordedWorkbench({ 'a.txt': 'one\n' }));
    await workbench.host.evaluate(vscode => vscode.workspace.getConfiguration('turnstone').update('tools.write', true, vscode.ConfigurationTarget.Global));
  });

  after(async () => {
    await workbench.host.evaluate(vscode => vscode.workspace.getConfiguration('turnstone').update('tools.write', undefined, vscode.ConfigurationTarget.Global));
    await workbench.close();
  });

  function invoke(name: string, input: object): Promise<Outcome> {
    return workbench.host.evaluate(async (vscode, call: { readonly name: string; readonly input: object }): Promise<Outcome> => {
      try {
        const { content } = await vscode.lm.invokeTool(call.name, { input: call.input, toolInvocationToken: undefined });
        return { text: content.map(part => (part as { readonly value: string }).value).join('') };
      } catch (error) {
        return { refusal: String(error) };
      }
    }, { name, input });
  }

  it('asks first, and writes nothing where the user says no', async () => {
    const call = invoke('turnstone_write_file', { path: 'b.txt', content: 'b\n' });
    await workbench.parts.modalMessage().filter({ hasText: 'Write a File?' }).waitFor();
    const detail = (await workbench.parts.modalDetail().textContent()) ?? '';
    assert.match(detail, /“b\.txt” is to hold 1 line\. What it held before is kept\. Turnstone records it, and you can roll it back\./);
    await workbench.screenshot('tool-asks');
    await workbench.page.keyboard.press('Escape');
    assert.ok('refusal' in (await call));
    assert.equal(existsSync(join(workbench.folder, 'b.txt')), false);
  });

  it('writes where the user says yes, and the timeline shows it', async () => {
    const call = invoke('turnstone_edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
    await workbench.parts.modalMessage().filter({ hasText: 'Edit a File?' }).waitFor();
    await clickModal(workbench, 'Yes');
    const outcome = await call;
    assert.ok('text' in outcome, JSON.stringify(outcome));
    assert.equal(textIn(workbench, 'a.txt'), 'two\n');
    await workbench.parts.treeRows().filter({ hasText: '1 file' }).first().waitFor();
    await workbench.screenshot('tool-wrote');
  });
});
