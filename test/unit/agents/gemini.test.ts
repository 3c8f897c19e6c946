import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gemini } from '../../../src/agents/gemini.ts';
import { geminiEffects } from '../../agents/geminiEffects.ts';
import { readPayloads } from '../../agents/replay.ts';
import { startFiles, treeOf } from '../../agents/scratch.ts';
import { tellEvents, type ToldEvents } from '../../agents/toldEvents.ts';

/** A session of Gemini CLI in a scratch project, event by event. */
async function session(before?: Readonly<Record<string, string>>) {
  const told = await tellEvents('gemini', before);
  const { project } = told.place;
  const tell = (event: string, rest: object = {}): Promise<void> => told.tell(event, { session_id: 's-1', cwd: project, hook_event_name: event, ...rest });
  return {
    ...told,
    project,
    ask: (prompt: string) => tell('BeforeAgent', { prompt }),
    begin: (tool_name: string, tool_input: object) => tell('BeforeTool', { tool_name, tool_input }),
    end: (tool_name: string, tool_input: object, tool_response: object = { llmContent: 'ok', returnDisplay: '' }) => tell('AfterTool', { tool_name, tool_input, tool_response }),
    answered: () => tell('AfterAgent', { prompt: '', prompt_response: 'done', stop_hook_active: false }),
    left: () => tell('SessionEnd', { reason: 'exit' }),
    put: (path: string, content: string) => writeFileSync(join(project, path), content),
  };
}

async function replay(name: string): Promise<ToldEvents & { readonly before: ReturnType<typeof treeOf> }> {
  const told = await tellEvents('gemini', startFiles);
  const before = treeOf(told.place.project);
  const events = readPayloads(`gemini/${name}.jsonl`, told.place);
  const effects = geminiEffects(events, told.place.project);
  for (const event of events) {
    effects.before(event);
    await told.tell(event.hook_event_name, event);
    effects.after(event);
  }
  return { ...told, before };
}

const outcomes = ({ store }: ToldEvents): readonly string[] => [...store().timeline.calls.values()].map(({ tool, outcome }) => `${tool} ${outcome}`);
const filesOf = (told: ToldEvents): readonly (readonly string[])[] => told.turns().map(({ files }) => files);

describe('Gemini CLI\'s events', function () {
  this.timeout(30_000);

  it('of a recorded session tell its turn with all that its edits and commands changed, and the rewind brings it back', async () => {
    const told = await replay('all-tools');
    const after = treeOf(told.place.project);
    assert.deepEqual(told.turns(), [
      {
        prompt: 'first prompt',
        state: 'closed',
        agent: 'gemini',
        files: ['deleted gone.txt', 'added half.txt', 'added moved.txt', 'deleted mv.txt', 'added new.txt', 'modified old.txt', 'added p1.txt', 'added p3.txt', 'added shell.txt'],
      },
    ]);
    assert.deepEqual(told.gaps(), []);
    assert.deepEqual(outcomes(told), ['write_file done', 'replace done', 'replace failed', 'write_file done', 'run_shell_command done', 'run_shell_command done', 'write_file done', 'replace done', 'run_shell_command done']);
    assert.notDeepEqual(after, told.before);
    assert.deepEqual([await told.rewindAll(), treeOf(told.place.project)], ['applied', told.before]);
  });

  it('of a session that is interrupted in a command leave what the command had done', async () => {
    const told = await replay('sigint');
    assert.deepEqual(told.turns(), [{ prompt: 'P', state: 'interrupted', agent: 'gemini', files: ['added started.txt'] }]);
    assert.deepEqual([await told.rewindAll(), treeOf(told.place.project)], ['applied', told.before]);
  });

  it('tell each prompt as a turn of its own, though none has an id', async () => {
    const told = await session({});
    for (const [index, prompt] of ['one', 'two', 'two'].entries()) {
      await told.ask(prompt);
      const input = { file_path: `${told.project}/${index}.txt`, content: prompt };
      await told.begin('write_file', input);
      told.put(`${index}.txt`, prompt);
      await told.end('write_file', input);
      await told.answered();
    }
    assert.deepEqual(told.turns().map(({ prompt, state, files }) => [prompt, state, ...files]), [['one', 'closed', 'added 0.txt'], ['two', 'closed', 'added 1.txt'], ['two', 'closed', 'added 2.txt']]);
  });

  it('of a call that the user refused, or whose end never comes, are closed with the turn, and what he does meanwhile stays his', async () => {
    const told = await session({ 'a.txt': 'mine\n' });
    await told.ask('one');
    await told.begin('write_file', { file_path: `${told.project}/a.txt`, content: 'its\n' });
    told.put('a.txt', 'mine, too\n');
    await told.answered();
    await told.left();
    assert.deepEqual([filesOf(told), outcomes(told)], [[[]], ['write_file interrupted']]);
  });

  it('of an edit that an interrupt cut off count its file, if it holds what the edit was to leave', async () => {
    const told = await session({ 'a.txt': 'alpha\r\nbeta\r\n' });
    const before = treeOf(told.project);
    await told.ask('one');
    await told.begin('replace', { file_path: 'a.txt', instruction: 'i', old_string: 'beta', new_string: 'BETA' });
    told.put('a.txt', 'alpha\r\nBETA\r\n');
    await told.ask('two');
    assert.deepEqual([told.turns()[0]?.state, filesOf(told)[0]], ['interrupted', ['modified a.txt']]);
    assert.deepEqual([await told.rewindAll(), treeOf(told.project)], ['applied', before]);
  });

  it('of an edit whose text the user changed before he allowed it are one call', async () => {
    const told = await session({});
    await told.ask('one');
    const file_path = `${told.project}/a.txt`;
    await told.begin('write_file', { file_path, content: 'its\n' });
    told.put('a.txt', 'ours\n');
    await told.end('write_file', { file_path, content: 'ours\n', ai_proposed_content: 'its\n', modified_by_user: true });
    assert.deepEqual([filesOf(told), outcomes(told), told.gaps()], [[['added a.txt']], ['write_file done'], []]);
  });

  it('of commands that overlap are told apart, the same ones, too', async () => {
    const told = await session({});
    await told.ask('one');
    const [first, second] = [{ command: 'first' }, { command: 'second' }];
    for (const input of [first, second, second]) await told.begin('run_shell_command', input);
    told.put('both.txt', '1');
    for (const input of [second, first, second]) await told.end('run_shell_command', input);
    await told.answered();
    assert.deepEqual(outcomes(told), ['run_shell_command done', 'run_shell_command done', 'run_shell_command done']);
    assert.deepEqual([await told.rewindAll(), treeOf(told.project)], ['applied', {}]);
  });

  it('of a command in the background do not claim what comes while it runs', async () => {
    const told = await session({});
    await told.ask('one');
    const input = { command: 'make watch', is_background: true };
    const display = 'Command moved to background (PID: 7). Output hidden. Press Ctrl+B to view.';
    await told.begin('run_shell_command', input);
    await told.end('run_shell_command', input, { llmContent: display, returnDisplay: display });
    await told.answered();
    told.put('later.txt', '1');
    await told.ask('two');
    await told.begin('run_shell_command', { command: 'ls' });
    await told.end('run_shell_command', { command: 'ls' });
    assert.deepEqual(filesOf(told), [[], []]);
    assert.ok([...told.store().timeline.turns.values()].some(({ gaps }) => gaps.some(gap => /later\.txt: changed while run_shell_command was running in the background/.test(gap))));
  });

  it('of a sub-agent belong to the turn that started it, and the call that started it changes nothing itself', async () => {
    const told = await session({});
    await told.ask('one');
    const outer = { agent_name: 'generalist', prompt: 'write' };
    const inner = { file_path: `${told.project}/sub.txt`, content: 's' };
    await told.begin('invoke_agent', outer);
    await told.begin('write_file', inner);
    told.put('sub.txt', 's');
    await told.end('write_file', inner);
    await told.end('invoke_agent', outer);
    await told.answered();
    assert.deepEqual([filesOf(told), outcomes(told), told.gaps()], [[['added sub.txt']], ['invoke_agent done', 'write_file done'], []]);
  });

  it('of a path that begins with the sign for files name the file without it, too', async () => {
    const told = await session({ 'a.txt': 'alpha\n' });
    await told.ask('one');
    const input = { file_path: '@a.txt', old_string: 'alpha', new_string: 'beta' };
    await told.begin('replace', input);
    told.put('a.txt', 'beta\n');
    await told.end('replace', input);
    assert.deepEqual([filesOf(told), told.gaps()], [[['modified a.txt']], []]);
  });

  it('of an edit whose path is short of its folders tell the file that the program found by it', async () => {
    const told = await session({ 'src/deep/a.txt': 'alpha\n' });
    const before = treeOf(told.project);
    await told.ask('one');
    const input = { file_path: 'deep/a.txt', instruction: 'i', old_string: 'alpha', new_string: 'beta' };
    await told.begin('replace', input);
    told.put('src/deep/a.txt', 'beta\n');
    await told.end('replace', input);
    await told.answered();
    assert.deepEqual([filesOf(told), outcomes(told), told.gaps()], [[['modified src/deep/a.txt']], ['replace done'], []]);
    assert.deepEqual([await told.rewindAll(), treeOf(told.project)], ['applied', before]);
  });

  it('of a file that the user saved in between count only the tool\'s own part', async () => {
    const told = await session({ 'a.txt': 'alpha\n' });
    await told.ask('one');
    const input = { file_path: `${told.project}/a.txt`, old_string: 'alpha', new_string: 'beta' };
    await told.begin('replace', input);
    told.put('a.txt', 'beta\nmine\n');
    await told.end('replace', input, { llmContent: 'ok', returnDisplay: { fileName: 'a.txt', filePath: `${told.project}/a.txt`, originalContent: 'alpha\nmine\n', newContent: 'beta\nmine\n' } });
    const [change] = told.store().timeline.changes.get('a.txt')?.filter(({ by }) => by.kind === 'call') ?? [];
    assert.equal(change?.before.kind === 'content' ? Buffer.from(told.store().blobs.read(change.before.hash) ?? []).toString() : undefined, 'alpha\nmine\n');
  });

  it('of tools that only read are not recorded, and those of unknown tools are looked for everywhere', async () => {
    const told = await session({});
    await told.ask('one');
    for (const tool of ['read_file', 'glob', 'write_todos']) {
      await told.begin(tool, { file_path: 'a' });
      await told.end(tool, { file_path: 'a' });
    }
    await told.begin('mcp_things_make', { name: 'x' });
    mkdirSync(join(told.project, 'd'));
    told.put('d/made.txt', '1');
    await told.end('mcp_things_make', { name: 'x' });
    assert.deepEqual([outcomes(told), filesOf(told)], [['mcp_things_make done'], [['added d/made.txt']]]);
  });

  const prompts: readonly (readonly [what: string, prompt: string, text: string | undefined])[] = [
    ['a plain one', ' do it \n', 'do it'],
    ['one that names files, without their content', 'look at @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\nsecret', 'look at @a.txt'],
    ['an empty one, which begins no turn', ' ', undefined],
  ];
  for (const [what, prompt, text] of prompts) {
    it(`tell a prompt: ${what}`, () => {
      const reading = gemini.read('BeforeAgent', { session_id: 's', cwd: '/w', prompt }, {});
      assert.deepEqual(reading.kind === 'event' ? reading.event : reading, text === undefined ? { kind: 'none' } : { kind: 'prompt', text });
    });
  }

  it('that are not known change nothing, and those that say too little are not read', () => {
    const kindOf = (event: string, payload: object): string => {
      const reading = gemini.read(event, payload as Readonly<Record<string, unknown>>, {});
      return reading.kind === 'event' ? reading.event.kind : reading.kind;
    };
    const place = { session_id: 's', cwd: '/w' };
    assert.deepEqual([kindOf('PreCompress', place), kindOf('BeforeTool', place), kindOf('', { ...place, hook_event_name: 'AfterAgent' })], ['none', 'none', 'turnEnd']);
    assert.deepEqual([kindOf('BeforeAgent', { cwd: '/w' }), kindOf('BeforeAgent', { session_id: 's' })], ['unreadable', 'unreadable']);
  });
});
