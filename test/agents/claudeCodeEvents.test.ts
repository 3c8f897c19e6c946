// The canary for new versions of Claude Code: the facts about its hooks that Turnstone is built upon,
// asserted with the real program.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { bytes } from './byteScenarios.ts';
import { ensureClaudeCode, runClaude } from './claudeCode.ts';
import { parallelSubagents, subagent } from './delegationScenarios.ts';
import { denied, edits, shellWork, twoTurns } from './editScenarios.ts';
import { expectBracketed, observe, prompts } from './observe.ts';
import { programOrSkip } from './programOrSkip.ts';
import { installRecorder } from './recordedEvents.ts';
import { startScriptedModel } from './scriptedModel.ts';
import { hashOf, makeScratch } from './scratch.ts';

describe('events of the real Claude Code', function () {
  this.timeout(120_000);
  let command: string;
  before(async function () {
    command = await programOrSkip(this, ensureClaudeCode);
  });

  it('brackets each exact edit by Pre and Post, and tells of a failed one only in PostToolBatch', async () => {
    const { events, names, results } = await observe(edits, command);
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
    const { events } = await observe(twoTurns, command);
    expectBracketed(events);
    const starts = events.filter(({ event }) => event.hook_event_name === 'SessionStart');
    deepEqual(starts.map(({ event }) => event.source), ['startup', 'resume']);
    equal(new Set(events.map(({ event }) => event.session_id)).size, 1);
    deepEqual(prompts(events).map((event) => event.prompt), ['first prompt', 'second prompt']);
    const [first, second] = prompts(events).map((event) => event.prompt_id);
    notEqual(first, second);
    const tools = events.filter(({ event }) => event.tool_use_id !== undefined);
    deepEqual(new Set(tools.map(({ event }) => event.prompt_id)), new Set([first, second]));
  });

  it('continues the newest session of the project', async () => {
    const place = makeScratch();
    const events = installRecorder(place.home);
    const model = await startScriptedModel({ turns: [] });
    try {
      const options = { ...place, command, modelUrl: model.url };
      const { sessionId } = await runClaude({ ...options, prompt: 'first prompt' });
      await runClaude({ ...options, prompt: 'second prompt', resume: 'continue' });
      deepEqual(prompts(events()).map((event) => event.session_id), [sessionId, sessionId]);
    } finally {
      await model.stop();
    }
  });

  it('keeps line ends and byte order marks, and rewrites a notebook', async () => {
    expectBracketed((await observe(bytes, command)).events);
  });

  it('runs parallel edits and shell commands one by one; a failing command may have changed files', async () => {
    const { names, events } = await observe(shellWork, command);
    const batch = names.slice(names.lastIndexOf('PreToolUse Write'), names.lastIndexOf('PostToolBatch'));
    deepEqual(batch, [
      ...['PreToolUse Write', 'PostToolUse Write', 'PreToolUse Edit', 'PostToolUse Edit'],
      ...['PreToolUse Edit', 'PostToolUse Edit', 'PreToolUse Bash', 'PostToolUse Bash'],
    ]);
    const failure = events[names.indexOf('PostToolUseFailure Bash')];
    equal(failure?.tree['half.txt'], hashOf('half\n'));
  });

  it('marks what a sub-agent does with its id, inside the turn of its parent', async () => {
    const { events, names } = await observe(subagent, command);
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
    const { events } = await observe(parallelSubagents, command);
    const writes = events.filter(({ event }) => event.hook_event_name === 'PostToolUse' && event.tool_name === 'Write');
    equal(new Set(writes.map(({ event }) => event.agent_id)).size, 2);
    equal(new Set(writes.map(({ event }) => event.prompt_id)).size, 1);
  });

  it('tells of a refused write only in PostToolBatch, after its Pre', async () => {
    const { events, names } = await observe(denied, command);
    const refused = names.indexOf('PreToolUse Write');
    deepEqual(names.slice(refused, refused + 3), ['PreToolUse Write', 'PostToolBatch', 'PreToolUse Write']);
    equal(events[refused + 1]?.event.tool_calls?.[0]?.tool_use_id, events[refused]?.event.tool_use_id);
  });
});
