import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { qwen } from '../../../src/agents/qwen.ts';
import { geminiEffects } from '../../agents/geminiEffects.ts';
import { readPayloads } from '../../agents/replay.ts';
import { startFiles, treeOf } from '../../agents/scratch.ts';
import { tellEvents, type ToldEvents } from '../../agents/toldEvents.ts';

let serial = 0;

/** A session of Qwen Code in a scratch project, event by event; `prompt` counts its prompts. */
async function session(before?: Readonly<Record<string, string>>) {
  const told = await tellEvents('qwen', before);
  const { project } = told.place;
  const tell = (event: string, prompt: string | number, rest: object): Promise<void> =>
    told.tell(event, { session_id: 's-1', cwd: project, hook_event_name: event, prompt_id: `s-1########${prompt}`, ...rest });
  return {
    ...told,
    project,
    ask: (prompt: number, text: string) => tell('UserPromptSubmit', prompt, { prompt: text, ...(text === '' ? {} : { submitted_prompt: text }) }),
    begin: async (prompt: string | number, tool_name: string, tool_input: object) => {
      serial += 1;
      const call = { tool_name, tool_input, tool_use_id: `toolu_${serial}`, tool_call_id: 'call_0' };
      await tell('PreToolUse', prompt, call);
      return (tool_response: object = { llmContent: 'ok', returnDisplay: '' }) => tell('PostToolUse', prompt, { ...call, tool_response });
    },
    stop: (prompt: number) => tell('Stop', prompt, { stop_hook_active: false }),
    put: (path: string, content: string) => writeFileSync(join(project, path), content),
  };
}

async function replay(name: string, times = 1): Promise<ToldEvents & { readonly before: ReturnType<typeof treeOf> }> {
  const told = await tellEvents('qwen', startFiles);
  const before = treeOf(told.place.project);
  const events = readPayloads(`qwen/${name}.jsonl`, told.place);
  const effects = geminiEffects(events, told.place.project);
  for (const event of events) {
    effects.before(event);
    for (let left = times; left > 0; left -= 1) await told.tell(event.hook_event_name, event);
    effects.after(event);
  }
  return { ...told, before };
}

const outcomes = ({ store }: ToldEvents): readonly string[] => [...store().timeline.calls.values()].map(({ tool, outcome }) => `${tool} ${outcome}`);
const filesOf = (told: ToldEvents): readonly (readonly string[])[] => told.turns().map(({ files }) => files);

describe('Qwen Code\'s events', function () {
  this.timeout(30_000);

  it('of a recorded session tell one turn with all that its edits, commands and sub-agent changed, and the rewind brings it back', async () => {
    const told = await replay('all-tools');
    assert.deepEqual(told.turns(), [
      {
        prompt: 'first prompt',
        state: 'closed',
        agent: 'qwen',
        files: ['deleted gone.txt', 'added half.txt', 'added moved.txt', 'deleted mv.txt', 'added new.txt', 'modified old.txt', 'added p1.txt', 'added p3.txt', 'added shell.txt', 'added sub.txt'],
      },
    ]);
    assert.deepEqual(told.gaps(), []);
    assert.deepEqual(outcomes(told).filter(outcome => !outcome.endsWith('done')), ['edit failed', 'run_shell_command failed']);
    assert.deepEqual([await told.rewindAll(), treeOf(told.place.project)], ['applied', told.before]);
  });

  it('of a session whose launcher was interrupted, and which went on, are told as they come', async () => {
    const told = await replay('sigint');
    assert.deepEqual(told.turns(), [{ prompt: 'first prompt', state: 'open', agent: 'qwen', files: ['added ended.txt', 'added started.txt'] }]);
    assert.deepEqual([await told.rewindAll(), treeOf(told.place.project)], ['applied', told.before]);
  });

  for (const name of ['all-tools', 'sigint']) {
    it(`of ${name} tell the same when each comes twice`, async () => {
      const [once, twice] = [await replay(name), await replay(name, 2)];
      assert.deepEqual([twice.turns(), outcomes(twice)], [once.turns(), outcomes(once)]);
    });
  }

  it('of a prompt that comes again within its turn, with or without a text, begin no other', async () => {
    const told = await session({});
    await told.ask(1, 'one');
    const end = await told.begin(1, 'write_file', { file_path: `${told.project}/a.txt`, content: '1' });
    told.put('a.txt', '1');
    await end();
    await told.ask(1, '');
    await told.ask(1, 'and be quick');
    await told.stop(1);
    await told.ask(2, 'two');
    assert.deepEqual(told.turns().map(({ prompt, state, files }) => [prompt, state, ...files]), [['one', 'closed', 'added a.txt'], ['two', 'open']]);
  });

  it('of calls to which the model gives the same id are told apart', async () => {
    const told = await session({});
    await told.ask(1, 'one');
    for (const path of ['a.txt', 'b.txt']) {
      const end = await told.begin(1, 'write_file', { file_path: `${told.project}/${path}`, content: '1' });
      told.put(path, '1');
      await end();
    }
    assert.deepEqual([filesOf(told), told.gaps()], [[['added a.txt', 'added b.txt']], []]);
  });

  it('of a sub-agent in the background that ends after the next prompt stay with the turn that started it', async () => {
    const told = await session({});
    await told.ask(1, 'one');
    const end = await told.begin(1, 'write_file', { file_path: `${told.project}/sub.txt`, content: 's' });
    await told.stop(1);
    await told.ask(2, 'two');
    told.put('sub.txt', 's');
    await end();
    assert.deepEqual(filesOf(told), [['added sub.txt'], []]);
  });

  it('of what a timer starts go on with the newest turn', async () => {
    const told = await session({});
    await told.ask(1, 'one');
    await told.stop(1);
    const end = await told.begin('cron1796066684608', 'write_file', { file_path: `${told.project}/a.txt`, content: '1' });
    told.put('a.txt', '1');
    await end();
    assert.deepEqual(filesOf(told), [['added a.txt']]);
  });

  for (const display of ['Background shell bg_1 started (pid 7).', 'Promoted to background: bg_1']) {
    it(`of a command of which it says "${display}" do not claim what comes while it runs`, async () => {
      const told = await session({});
      await told.ask(1, 'one');
      await (await told.begin(1, 'run_shell_command', { command: 'make watch', is_background: true }))({ llmContent: 'started', returnDisplay: display });
      await told.stop(1);
      told.put('later.txt', '1');
      await told.ask(2, 'two');
      await (await told.begin(2, 'run_shell_command', { command: 'ls', is_background: false }))();
      assert.deepEqual(filesOf(told), [[], []]);
      assert.ok([...told.store().timeline.turns.values()].some(({ gaps }) => gaps.some(gap => /later\.txt: changed while run_shell_command was running in the background/.test(gap))));
    });
  }

  const kinds: readonly (readonly [what: string, event: string, payload: object, kind: string])[] = [
    ['a prompt of a sub-agent', 'UserPromptSubmit', { prompt: 'x', agent_id: 'a' }, 'none'],
    ['a batch', 'PostToolBatch', { tool_calls: [] }, 'none'],
    ['a call without a name', 'PreToolUse', { tool_use_id: 't' }, 'none'],
    ['a sub-agent\'s end', 'SubagentStop', { agent_id: 'a' }, 'delegateEnd'],
    ['a notification', 'Notification', { message: 'x' }, 'none'],
    ['an event that only the payload names', '', { hook_event_name: 'SessionEnd' }, 'sessionEnd'],
  ];
  for (const [what, event, payload, kind] of kinds) {
    it(`are read: ${what}`, () => {
      const reading = qwen.read(event, { session_id: 's', cwd: '/w', ...payload }, {});
      assert.equal(reading.kind === 'event' ? reading.event.kind : reading.kind, kind);
    });
  }

  it('tell a prompt as it was typed, and those that say too little are not read', () => {
    const reading = qwen.read('UserPromptSubmit', { session_id: 's', cwd: '/w', prompt: 'look at @a: content', submitted_prompt: 'look at @a' }, {});
    assert.deepEqual(reading.kind === 'event' ? reading.event : reading, { kind: 'prompt', text: 'look at @a' });
    assert.equal(qwen.read('Stop', { cwd: '/w' }, {}).kind, 'unreadable');
  });
});
