import assert from 'node:assert/strict';
import { copilotEvents, replayCopilot, type CopilotEvent } from '../../agents/copilotReplay.ts';
import { treeOf } from '../../agents/scratch.ts';
import { ToldSession } from '../../agents/toldSession.ts';

const environment = { COPILOT_CLI: '1' };

/** Replays a recording by the hooks of an agent; `keep` is what the hooks got of it, with its number. */
async function replay(name: string, agent = 'copilot', keep: (event: CopilotEvent, index: number) => boolean = () => true): Promise<ToldSession> {
  const told = await ToldSession.of(agent, undefined, environment);
  let index = 0;
  await replayCopilot(copilotEvents(name, told.place), told.place, async event => {
    if (!keep(event, index++)) return;
    const taken = await told.tell(event.hook, event.payload);
    assert.deepEqual([taken.kind, taken.kind === 'event' && taken.agent], ['event', 'copilot'], event.hook);
  });
  return told;
}

const all = ['added half.txt', 'added moved.txt', 'added new.txt', 'added p1.txt', 'added p3.txt', 'added shell.txt', 'added sub.txt', 'deleted gone.txt', 'deleted mv.txt', 'modified old.txt'];

/** One event, as either casing has it. */
class Session {
  readonly told: ToldSession;

  constructor(told: ToldSession) {
    this.told = told;
  }

  static async begin(): Promise<Session> {
    const session = new Session(await ToldSession.of('copilot', undefined, environment));
    await session.send('UserPromptSubmit', { prompt: 'do it' });
    return session;
  }

  send(hook: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.told.tell(hook, { hook_event_name: hook, session_id: 's-1', timestamp: '2026-11-30T19:06:25.051Z', cwd: this.told.place.project, ...fields });
  }

  call(hook: string, tool: string, input: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.send(hook, { tool_name: tool, tool_input: input, ...more });
  }
}

describe('Copilot CLI\'s events', function () {
  this.timeout(60_000);

  for (const name of ['camel-case', 'pascal-case']) {
    it(`in ${name} tell one turn with all files, those of its sub-agent too, and the rewind brings all back`, async () => {
      const told = await replay(name);
      assert.deepEqual(told.turns, [{ prompt: 'first prompt', state: 'closed', agent: 'copilot', files: all }]);
      assert.deepEqual(told.outcomes.filter(outcome => !outcome.endsWith(' done')), [name === 'camel-case' ? 'edit failed' : 'Edit failed']);
      const after = treeOf(told.place.project);
      assert.deepEqual(await told.thereAndBack(), ['applied', told.before, 'applied', after]);
    });

    it(`in ${name} of which no end came leave an interrupted turn with the files that were named`, async () => {
      const told = await replay(name, 'copilot', ({ hook }) => !/^(post|stop|agentStop|subagentStop|sessionEnd)/i.test(hook));
      await told.tell('sessionEnd', { sessionId: '4182c2b2-72f9-4e00-a90e-b50860d0b8e2', timestamp: 1, cwd: told.place.project });
      const [turn] = told.turns;
      assert.deepEqual([told.turns.length, turn?.state], [1, 'interrupted']);
      for (const file of ['added new.txt', 'added p1.txt', 'added sub.txt', 'added shell.txt']) assert.ok(turn?.files.includes(file), file);
    });
  }

  it('by the hooks of Claude Code in a trusted folder are Copilot\'s', async () => {
    const told = await replay('claude-settings', 'claude-code');
    assert.deepEqual(told.turns, [{ prompt: 'P', state: 'closed', agent: 'copilot', files: ['added made.txt'] }]);
  });

  it('by the hooks of Claude Code are dropped where its own tell the same', async () => {
    const told = await ToldSession.of('claude-code', undefined, environment);
    for (const { hook, payload } of copilotEvents('claude-settings', told.place)) assert.equal((await told.tell(hook, payload, agent => agent === 'copilot')).kind, 'twice', hook);
    assert.deepEqual(told.turns, []);
  });

  it('of two calls with the same input end one after the other', async () => {
    const session = await Session.begin();
    const input = { command: 'x' };
    for (const hook of ['PreToolUse', 'PreToolUse']) await session.call(hook, 'Bash', input);
    session.told.write({ 'made.txt': 'x' });
    for (const hook of ['PostToolUse', 'PostToolUse']) await session.call(hook, 'Bash', input, { tool_result: { result_type: 'success' } });
    assert.deepEqual([session.told.outcomes, session.told.turns[0]?.files], [['Bash done', 'Bash done'], ['added made.txt']]);
  });

  it('that were stopped are taken up by the next prompt', async () => {
    const session = await Session.begin();
    await session.call('PreToolUse', 'Write', { path: session.told.path('new.txt'), file_text: 'one\n' });
    session.told.write({ 'new.txt': 'one\n' });
    await session.send('UserPromptSubmit', { prompt: 'and now' });
    assert.deepEqual(session.told.turns.map(({ prompt, state, files }) => [prompt, state, files]), [['do it', 'interrupted', ['added new.txt']], ['and now', 'open', []]]);
  });

  it('of a patch name all its files, relative to where it works', async () => {
    const session = await Session.begin();
    const input = '*** Begin Patch\n*** Update File: old.txt\n@@\n-beta\n+BETA\n*** Add File: d/new.txt\n+one\n*** Delete File: gone.txt\n*** End Patch';
    await session.call('PreToolUse', 'apply_patch', input);
    session.told.write({ 'old.txt': 'alpha\nBETA\ngamma\n', 'd/new.txt': 'one\n', 'gone.txt': null });
    await session.send('UserPromptSubmit', { prompt: 'and now' });
    assert.deepEqual(session.told.turns[0]?.files, ['added d/new.txt', 'modified old.txt']);
    const again = await Session.begin();
    await again.call('PreToolUse', 'apply_patch', input);
    again.told.write({ 'old.txt': 'alpha\nBETA\ngamma\n', 'd/new.txt': 'one\n', 'gone.txt': null });
    await again.call('PostToolUse', 'apply_patch', input);
    assert.deepEqual(again.told.turns[0]?.files, ['added d/new.txt', 'deleted gone.txt', 'modified old.txt']);
  });

  it('of an input that is JSON in a text, as before, name its file', async () => {
    const session = await Session.begin();
    await session.told.tell('preToolUse', { sessionId: 's-1', timestamp: 1, cwd: session.told.place.project, toolName: 'create', toolArgs: JSON.stringify({ path: 'new.txt', file_text: 'one\n' }) });
    session.told.write({ 'new.txt': 'one\n' });
    await session.send('SessionEnd', { reason: 'complete' });
    assert.deepEqual(session.told.turns.map(({ files }) => files), [['added new.txt']]);
  });
});
