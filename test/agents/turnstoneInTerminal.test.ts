// Turnstone's hooks in the interactive program, where an interrupt leaves the process running and says nothing.
import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { ensureClaudeCode } from './claudeCode.ts';
import { hasTmux, startClaudeTerminal } from './claudeTerminal.ts';
import { interruptedShell } from './interruptionScenarios.ts';
import { programOrSkip } from './programOrSkip.ts';
import { startScriptedModel } from './scriptedModel.ts';
import { makeScratch } from './scratch.ts';
import { buildCli, turnstoneFor } from './turnstoneCli.ts';

describe('Turnstone records the real Claude Code in a terminal', function () {
  this.timeout(120_000);
  let command: string;
  before(async function () {
    if (!hasTmux()) this.skip();
    command = await programOrSkip(this, ensureClaudeCode);
    await buildCli();
  });

  it('closes a turn that Escape ended as interrupted when the next prompt comes', async () => {
    const place = makeScratch();
    const turnstone = turnstoneFor(place);
    const installed = turnstone.run('hooks', 'install', 'claude-code');
    equal(installed.exitCode, 0, installed.output);
    const model = await startScriptedModel(interruptedShell.script, { variables: { PROJECT: place.project } });
    const terminal = await startClaudeTerminal(place, { command, modelUrl: model.url, sessionId: randomUUID() });
    try {
      await terminal.prompt('first prompt');
      await until('the shell command runs', () => existsSync(join(place.project, 'started.txt')));
      terminal.press('Escape');
      await until('the turn is interrupted', () => terminal.screen().includes('Interrupted'));
      await terminal.prompt('second prompt');
      await until('the second turn is closed', () => turnstone.turns()[1]?.state === 'closed');
    } finally {
      await terminal.stop();
      await model.stop();
    }
    const exact = interruptedShell.prompts.flatMap((prompt) => Object.keys(prompt.exact));
    const turns = turnstone.turns().map(({ prompt, state, files }) => ({
      prompt,
      state,
      files: files.map(({ path }) => path).filter((path) => exact.includes(path)).toSorted(),
    }));
    deepEqual(turns, [
      { prompt: 'first prompt', state: 'interrupted', files: ['before.txt'] },
      { prompt: 'second prompt', state: 'closed', files: ['before.txt', 'next.txt'] },
    ]);
  });
});
