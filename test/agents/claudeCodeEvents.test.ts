// The canary for new versions of Claude Code: the facts about its hooks that Turnstone is built upon,
// asserted with the real program.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../support/processTree.ts';
import { until } from '../support/until.ts';
import { ensureClaudeCode } from './claudeCode.ts';
import { playScenario } from './playScenario.ts';
import type { PlayedScenario } from './playScenario.ts';
import { programOrSkip } from './programOrSkip.ts';
import { installRecorder, shortNames } from './recordedEvents.ts';
import type { RecordedEvent } from './recordedEvents.ts';
import * as scenarios from './scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { hashOf, makeScratch, treeOf } from './scratch.ts';
import type { Scratch } from './scratch.ts';

interface Observed extends PlayedScenario {
  readonly place: Scratch;
  readonly events: readonly RecordedEvent[];
  readonly names: readonly string[];
}

describe('events of the real Claude Code', function () {
  this.timeout(120_000);
  let command: string;
  before(async function () {
    command = await programOrSkip(this, ensureClaudeCode);
  });

  async function observe(scenario: Scenario): Promise<Observed> {
    const place = makeScratch(scenario.before);
    const events = installRecorder(place.home);
    const played = await playScenario(scenario, command, place);
    const tree = Object.fromEntries(Object.entries(scenario.after).map(([path, text]) => [path, hashOf(text)]));
    deepEqual(treeOf(place.project), tree);
    return { ...played, place, events: events(), names: shortNames(events()) };
  }

  it('brackets each exact edit by Pre and Post, and tells of a failed one only in PostToolBatch', async () => {
    const { events, names, results } = await observe(scenarios.edits);
    deepEqual(names, [
      ...['SessionStart', 'UserPromptSubmit'],
      ...['PreToolUse Write', 'PostToolUse Write', 'PostToolBatch'],
      ...['PreToolUse Read', 'PostToolUse Read', 'PostToolBatch'],
      ...['PreToolUse Edit', 'PostToolUse Edit', 'PostToolBatch'],
      'PostToolBatch',
      ...['PreToolUse Write', 'PostToolUse Write', 'PostToolBatch'],
      ...['Stop', 'SessionEnd'],
    ]);
    const failed = events[11]?.event.tool_calls ?? [];
    equal(failed.length, 1);
    match(String(failed[0]?.tool_response), /<tool_use_error>/);
    expectBracketed(events);
    const [result] = results;
    ok(events.every(({ event }) => event.session_id === result?.sessionId));
  });

  it('gives each prompt its own id, and keeps the session when it is resumed', async () => {
    const { events } = await observe(scenarios.twoTurns);
    expectBracketed(events);
    const starts = events.filter(({ event }) => event.hook_event_name === 'SessionStart');
    deepEqual(starts.map(({ event }) => event.source), ['startup', 'resume']);
    equal(new Set(events.map(({ event }) => event.session_id)).size, 1);
    const prompts = events.filter(({ event }) => event.hook_event_name === 'UserPromptSubmit');
    deepEqual(prompts.map(({ event }) => event.prompt), ['first prompt', 'second prompt']);
    const [first, second] = prompts.map(({ event }) => event.prompt_id);
    notEqual(first, second);
    const tools = events.filter(({ event }) => event.tool_use_id !== undefined);
    deepEqual(new Set(tools.map(({ event }) => event.prompt_id)), new Set([first, second]));
  });

  it('keeps line ends and byte order marks, and rewrites a notebook', async () => {
    expectBracketed((await observe(scenarios.bytes)).events);
  });

  it('runs parallel edits and shell commands one by one; a failing command may have changed files', async () => {
    const { names, events } = await observe(scenarios.shellWork);
    const batch = names.slice(names.lastIndexOf('PreToolUse Write'), names.lastIndexOf('PostToolBatch'));
    deepEqual(batch, [
      ...['PreToolUse Write', 'PostToolUse Write', 'PreToolUse Edit', 'PostToolUse Edit'],
      ...['PreToolUse Edit', 'PostToolUse Edit', 'PreToolUse Bash', 'PostToolUse Bash'],
    ]);
    const failure = events[names.indexOf('PostToolUseFailure Bash')];
    equal(failure?.tree['half.txt'], hashOf('half\n'));
  });

  it('marks what a sub-agent does with its id, inside the turn of its parent', async () => {
    const { events, names } = await observe(scenarios.subagent);
    expectBracketed(events);
    const [begin, end] = [names.indexOf('SubagentStart'), names.indexOf('SubagentStop')];
    equal(names[begin - 1], 'PreToolUse Agent');
    equal(names[end + 1], 'PostToolUse Agent');
    const parent = events[begin - 1]?.event;
    const inner = events.slice(begin, end + 1).map(({ event }) => event);
    equal(parent?.agent_id, undefined);
    deepEqual(inner.map((event) => event.agent_id), inner.map(() => inner[0]?.agent_id));
    ok(inner[0]?.agent_id);
    ok(inner.every((event) => event.prompt_id === parent?.prompt_id && event.session_id === parent?.session_id));
  });

  it('tells parallel sub-agents apart', async () => {
    const { events } = await observe(scenarios.parallelSubagents);
    const writes = events.filter(({ event }) => event.hook_event_name === 'PostToolUse' && event.tool_name === 'Write');
    equal(new Set(writes.map(({ event }) => event.agent_id)).size, 2);
    equal(new Set(writes.map(({ event }) => event.prompt_id)).size, 1);
  });

  it('says nothing of an interrupted shell command but the end of the session', async () => {
    const { names, results, events } = await observe(scenarios.interruptedShell);
    const end = names.indexOf('SessionEnd');
    deepEqual(names.slice(end - 1, end + 1), ['PreToolUse Bash', 'SessionEnd']);
    equal(events[end]?.event.reason, 'other');
    deepEqual([results[0]?.exitCode, results[0]?.stdout], [0, 'Execution error']);
    deepEqual([results[1]?.exitCode, names.at(-2)], [0, 'Stop']);
  });

  it('says nothing of an interrupted answer but the end of the session', async () => {
    const { names } = await observe(scenarios.interruptedStream);
    deepEqual(names.slice(-2), ['PostToolBatch', 'SessionEnd']);
  });

  it('says nothing at all when it is killed, and its shell command goes on', async () => {
    const { names, results, place } = await observe(scenarios.killed);
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

/** Every exact edit that ran: its file is unchanged at Pre, changed at Post, and both carry the call's id. */
function expectBracketed(events: readonly RecordedEvent[]): void {
  const exact = new Set(['Write', 'Edit', 'NotebookEdit']);
  const calls = events.filter(({ event }) => event.hook_event_name === 'PreToolUse' && exact.has(event.tool_name ?? ''));
  ok(calls.length > 0);
  for (const { event, tree } of calls) {
    const after = events.find(
      (other) => other.event.hook_event_name === 'PostToolUse' && other.event.tool_use_id === event.tool_use_id,
    );
    const path = String(event.tool_input?.['file_path'] ?? event.tool_input?.['notebook_path']);
    const name = path.slice(event.cwd.length + 1);
    const earlier = events.slice(0, events.findIndex((other) => other.event === event)).at(-1);
    equal(tree[name], earlier?.tree[name], `${name} is unchanged at Pre`);
    ok(after?.tree[name] !== undefined && after.tree[name] !== tree[name], `${name} is changed at Post`);
  }
}
