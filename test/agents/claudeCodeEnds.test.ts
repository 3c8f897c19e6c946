// The canary for how turns of Claude Code end: late, interrupted, or not at all.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../support/processTree.ts';
import { until } from '../support/until.ts';
import { ensureClaudeCode } from './claudeCode.ts';
import { backgroundShell, backgroundSubagent } from './delegationScenarios.ts';
import { interruptedShell, interruptedStream, killed } from './interruptionScenarios.ts';
import { observe, prompts } from './observe.ts';
import { playScenario } from './playScenario.ts';
import { programOrSkip } from './programOrSkip.ts';
import type { Scenario } from './scenario.ts';
import { makeScratch } from './scratch.ts';

describe('how turns of the real Claude Code end', function () {
  this.timeout(120_000);
  let command: string;
  before(async function () {
    command = await programOrSkip(this, ensureClaudeCode);
  });

  it('tells of a finished background command by a prompt of its own inside the turn', async () => {
    const { events } = await observe(backgroundShell, command);
    const [asked, told, ...more] = prompts(events);
    deepEqual(more, []);
    match(told?.prompt ?? '', /^<task-notification>/);
    equal(told?.prompt_id, asked?.prompt_id);
  });

  it('stops before a background sub-agent does, and goes on under a new prompt id', async () => {
    const { events, names } = await observe(backgroundSubagent, command);
    const [asked, told, ...more] = prompts(events);
    deepEqual(more, []);
    match(told?.prompt ?? '', /^<task-notification>/);
    notEqual(told?.prompt_id, asked?.prompt_id);
    const writes = events.filter(({ event }) => event.hook_event_name === 'PostToolUse' && event.tool_name === 'Write');
    deepEqual(writes.map(({ event }) => event.prompt_id), [asked?.prompt_id, told?.prompt_id]);
    ok(names.indexOf('Stop') < names.indexOf('PostToolUse Write'));
    equal(names.filter((name) => name === 'Stop').length, 2);
  });

  it('says nothing of an interrupted shell command but the end of the session', async () => {
    const { names, results, events } = await observe(interruptedShell, command);
    const end = names.indexOf('SessionEnd');
    deepEqual(names.slice(end - 1, end + 1), ['PreToolUse Bash', 'SessionEnd']);
    equal(events[end]?.event.reason, 'other');
    deepEqual([results[0]?.exitCode, results[0]?.stdout], [0, 'Execution error']);
    deepEqual([results[1]?.exitCode, names.at(-2)], [0, 'Stop']);
  });

  it('says nothing of an interrupted answer but the end of the session', async () => {
    const { names } = await observe(interruptedStream, command);
    deepEqual(names.slice(-2), ['PostToolBatch', 'SessionEnd']);
  });

  it('says nothing at all when it is killed, and its shell command goes on', async () => {
    const { names, results, place } = await observe(killed, command);
    equal(names.at(-1), 'PreToolUse Bash');
    equal(results[0]?.signal, 'SIGKILL');
    writeFileSync(join(place.project, 'release.txt'), '');
    await until('the shell writes its last file', () => existsSync(join(place.project, 'ended.txt')));
  });

  it('ends its shell command when it is interrupted', async () => {
    const place = makeScratch({});
    const input = { command: 'echo $$ > pid.txt; while [ -e pid.txt ]; do sleep 0.05; done', description: 'blocks' };
    const scenario: Scenario = {
      name: 'the shell of an interrupted program',
      before: {},
      prompts: [{ text: 'first prompt', interruption: { signal: 'SIGINT', once: { file: 'pid.txt' } }, exact: {} }],
      script: { turns: [[{ tool: 'Bash', input }]] },
      after: {},
    };
    await playScenario(scenario, command, place);
    const pid = Number(readFileSync(join(place.project, 'pid.txt'), 'utf8'));
    await until('the shell is gone', () => !isAlive(pid));
  });
});
