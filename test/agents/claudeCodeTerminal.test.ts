// The canary for the interactive program: only there can a turn be interrupted and the process go on.
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { ensureClaudeCode } from './claudeCode.ts';
import { hasTmux, startClaudeTerminal } from './claudeTerminal.ts';
import { programOrSkip } from './programOrSkip.ts';
import { installRecorder, shortNames } from './recordedEvents.ts';
import { interruptedShell } from './interruptionScenarios.ts';
import { startScriptedModel } from './scriptedModel.ts';
import { makeScratch } from './scratch.ts';

describe('events of the real Claude Code in a terminal', function () {
  this.timeout(120_000);
  let command: string;
  before(async function () {
    if (!hasTmux()) this.skip();
    command = await programOrSkip(this, ensureClaudeCode);
  });

  it('says nothing when Escape ends a turn, until the next prompt comes with a new id', async () => {
    const place = makeScratch();
    const events = installRecorder(place.home);
    const sessionId = randomUUID();
    const model = await startScriptedModel(interruptedShell.script, { variables: { PROJECT: place.project } });
    const terminal = await startClaudeTerminal(place, { command, modelUrl: model.url, sessionId });
    try {
      await terminal.prompt('first prompt');
      await until('the shell command runs', () => existsSync(join(place.project, 'started.txt')));
      terminal.press('Escape');
      await until('the turn is interrupted', () => terminal.screen().includes('Interrupted'));
      await terminal.prompt('second prompt');
      await until('the second turn ends', () => shortNames(events()).includes('Stop'));
    } finally {
      await terminal.stop();
      await model.stop();
    }
    const names = shortNames(events());
    const interrupted = names.indexOf('PreToolUse Bash');
    deepEqual(names.slice(interrupted, interrupted + 2), ['PreToolUse Bash', 'UserPromptSubmit']);
    deepEqual(names.slice(-2), ['Stop', 'SessionEnd']);
    notEqual(events()[interrupted]?.event.prompt_id, events()[interrupted + 1]?.event.prompt_id);
    equal(events()[interrupted + 1]?.event.session_id, sessionId);
  });
});
