import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { ToldSession } from '../../agents/toldSession.ts';
import { treeOf } from '../../agents/scratch.ts';

type Fields = Readonly<Record<string, unknown>>;
type Casing = 'as in the sources' | 'as in the documentation';
const casings: readonly Casing[] = ['as in the sources', 'as in the documentation'];

/** A session of VS Code's own agent, as its sources and its documentation tell of it. */
class Chat {
  readonly told: ToldSession;
  private readonly casing: Casing;
  private calls = 0;

  constructor(told: ToldSession, casing: Casing) {
    this.told = told;
    this.casing = casing;
  }

  static async begin(prompt = 'do it', casing: Casing = 'as in the sources', hook = 'copilot'): Promise<Chat> {
    const chat = new Chat(await ToldSession.of(hook), casing);
    await chat.send('SessionStart', { source: 'new' });
    await chat.send('UserPromptSubmit', { prompt });
    return chat;
  }

  async send(event: string, fields: Fields = {}): Promise<void> {
    const { place } = this.told;
    const names = this.casing === 'as in the sources' ? ['hook_event_name', 'session_id'] : ['hookEventName', 'sessionId'];
    const common = { timestamp: '2026-11-30T19:06:25.051Z', [names[0] as string]: event, [names[1] as string]: 'session-1', transcript_path: `${place.home}/transcripts/session-1.jsonl`, cwd: place.project };
    const taken = await this.told.tell(event, { ...common, ...fields });
    assert.deepEqual([taken.kind, taken.kind === 'event' && taken.agent], ['event', 'vscode']);
  }

  /** Begins a call; returns what tells that it has ended. */
  async begin(tool: string, input: Fields): Promise<() => Promise<void>> {
    const named = { tool_name: tool, tool_input: input, tool_use_id: `call_${(this.calls += 1)}__vscode-1764529585051` };
    await this.send('PreToolUse', named);
    return () => this.send('PostToolUse', { ...named, tool_response: 'The file was edited.' });
  }

  /** A whole call, told to have ended before what it leaves is there, or just after. */
  async call(tool: string, input: Fields, files: Readonly<Record<string, string | null>>, isEarly: boolean): Promise<void> {
    const end = await this.begin(tool, input);
    if (isEarly) await end();
    this.told.write(files);
    if (!isEarly) await end();
  }

  path(name: string): string {
    return this.told.path(name);
  }
}

const patch = (chat: Chat): string =>
  [
    '*** Begin Patch',
    `*** Update File: ${chat.path('old.txt')}`,
    '@@',
    ' alpha',
    '-beta',
    '+BETA',
    `*** Add File: ${chat.path('deep/added.txt')}`,
    '+one',
    `*** Delete File: ${chat.path('gone.txt')}`,
    `*** Update File: ${chat.path('mv.txt')}`,
    `*** Move to: ${chat.path('moved.txt')}`,
    '@@',
    '-to be moved',
    '+moved',
    '*** End Patch',
  ].join('\n');

/** Every tool that edits, with what it leaves, and how that is told of the turn. */
const tools: Readonly<Record<string, (chat: Chat) => readonly [input: Fields, leaves: Readonly<Record<string, string | null>>, told: readonly string[]]>> = {
  create_file: chat => [{ filePath: chat.path('new.txt'), content: 'one\n' }, { 'new.txt': 'one\n' }, ['added new.txt']],
  replace_string_in_file: chat => [{ filePath: chat.path('old.txt'), oldString: 'beta', newString: 'BETA' }, { 'old.txt': 'alpha\nBETA\ngamma\n' }, ['modified old.txt']],
  multi_replace_string_in_file: chat => [
    { explanation: 'x', replacements: [['old.txt', 'alpha', 'ALPHA'], ['mv.txt', 'be', 'BE'], ['old.txt', 'gamma', 'GAMMA']].map(([name, oldString, newString]) => ({ filePath: chat.path(name ?? ''), oldString, newString })) },
    { 'old.txt': 'ALPHA\nbeta\nGAMMA\n', 'mv.txt': 'to BE moved\n' },
    ['modified mv.txt', 'modified old.txt'],
  ],
  insert_edit_into_file: chat => [{ explanation: 'x', filePath: chat.path('old.txt'), code: '// ...existing code...\ndelta' }, { 'old.txt': 'alpha\nbeta\ngamma\ndelta\n' }, ['modified old.txt']],
  edit_notebook_file: chat => [{ filePath: pathToFileURL(chat.path('old.txt')).href, cellId: 'BOTTOM', newCode: 'x', editType: 'insert' }, { 'old.txt': '{}' }, ['modified old.txt']],
  apply_patch: chat => [
    { input: patch(chat), explanation: 'x' },
    { 'old.txt': 'alpha\nBETA\ngamma\n', 'deep/added.txt': 'one\n', 'gone.txt': null, 'mv.txt': null, 'moved.txt': 'moved\n' },
    ['added deep/added.txt', 'added moved.txt', 'deleted gone.txt', 'deleted mv.txt', 'modified old.txt'],
  ],
};

describe('VS Code\'s own agent', function () {
  this.timeout(30_000);

  for (const casing of casings) {
    it(`has turns with their prompts, its keys ${casing}`, async () => {
      const chat = await Chat.begin('first', casing);
      await chat.call('create_file', { filePath: chat.path('new.txt'), content: 'one\n' }, { 'new.txt': 'one\n' }, false);
      await chat.send('Stop', { stop_hook_active: false });
      await chat.send('UserPromptSubmit', { prompt: 'second' });
      await chat.call('replace_string_in_file', { filePath: chat.path('new.txt'), oldString: 'one', newString: 'two' }, { 'new.txt': 'two\n' }, true);
      await chat.send('Stop', { stop_hook_active: false });
      assert.deepEqual(chat.told.turns, [
        { prompt: 'first', state: 'closed', agent: 'vscode', files: ['added new.txt'] },
        { prompt: 'second', state: 'closed', agent: 'vscode', files: ['modified new.txt'] },
      ]);
    });
  }

  for (const [tool, make] of Object.entries(tools)) {
    for (const isEarly of [false, true]) {
      it(`has what ${tool} did, told to have ended ${isEarly ? 'before' : 'after'} it was there`, async () => {
        const chat = await Chat.begin();
        const [input, leaves, files] = make(chat);
        await chat.call(tool, input, leaves, isEarly);
        await chat.send('Stop');
        assert.deepEqual([chat.told.turns.map(turn => turn.files), chat.told.gaps, chat.told.outcomes], [[files], [], [`${tool} done`]]);
        const after = treeOf(chat.told.place.project);
        assert.deepEqual(await chat.told.thereAndBack(), ['applied', chat.told.before, 'applied', after]);
      });
    }
  }

  it('has two early edits of one file in a row, and calls that overlap', async () => {
    const chat = await Chat.begin();
    const edit = (oldString: string, newString: string): Fields => ({ filePath: chat.path('old.txt'), oldString, newString });
    await (await chat.begin('replace_string_in_file', edit('beta', 'BETA')))();
    await (await chat.begin('replace_string_in_file', edit('BETA', 'Beta')))();
    const ends = [await chat.begin('replace_string_in_file', edit('alpha', 'Alpha')), await chat.begin('create_file', { filePath: chat.path('new.txt'), content: 'one\n' })];
    for (const end of ends.toReversed()) await end();
    chat.told.write({ 'old.txt': 'Alpha\nBeta\ngamma\n', 'new.txt': 'one\n' });
    await chat.send('Stop');
    assert.deepEqual([chat.told.turns.map(({ files }) => files), chat.told.gaps], [[['added new.txt', 'modified old.txt']], []]);
    assert.ok(chat.told.outcomes.every(outcome => outcome.endsWith(' done')));
    assert.deepEqual((await chat.told.thereAndBack())[1], chat.told.before);
  });

  it('has what a command in the terminal did, and nothing of what only reads', async () => {
    const chat = await Chat.begin();
    await chat.call('read_file', { filePath: chat.path('old.txt') }, {}, false);
    await chat.call('run_in_terminal', { command: 'x', explanation: 'x', isBackground: false }, { 'made.txt': 'x', 'gone.txt': null }, false);
    await chat.call('create_and_run_task', { task: { label: 'x' }, workspaceFolder: chat.told.place.project }, { 'built.txt': 'x' }, false);
    await chat.send('Stop');
    assert.deepEqual(chat.told.turns.map(({ files }) => files), [['added built.txt', 'added made.txt', 'deleted gone.txt']]);
    assert.deepEqual(chat.told.outcomes, ['run_in_terminal done', 'create_and_run_task done']);
    assert.deepEqual((await chat.told.thereAndBack())[1], chat.told.before);
  });

  it('says nothing when an edit fails: the call ends with its turn, and has changed nothing', async () => {
    const chat = await Chat.begin();
    await chat.begin('replace_string_in_file', { filePath: chat.path('old.txt'), oldString: 'no such text', newString: 'x' });
    await chat.send('Stop');
    assert.deepEqual([chat.told.turns.map(({ state, files }) => [state, files]), chat.told.gaps], [[['closed', []]], []]);
  });

  it('says nothing when it is stopped: the next prompt ends the turn, with what was done', async () => {
    const chat = await Chat.begin('first');
    await (await chat.begin('create_file', { filePath: chat.path('new.txt'), content: 'one\n' }))();
    chat.told.write({ 'new.txt': 'one\n' });
    await chat.send('UserPromptSubmit', { prompt: 'second' });
    assert.deepEqual(chat.told.turns.map(({ prompt, state, files }) => [prompt, state, files]), [['first', 'interrupted', ['added new.txt']], ['second', 'open', []]]);
  });

  it('has what a sub-agent did in the turn that started it', async () => {
    const chat = await Chat.begin();
    const end = await chat.begin('runSubagent', { prompt: 'x', description: 'x' });
    await chat.send('SubagentStart', { agent_id: 'a-1', agent_type: 'Plan' });
    await chat.call('create_file', { filePath: chat.path('new.txt'), content: 'one\n' }, { 'new.txt': 'one\n' }, false);
    await chat.send('SubagentStop', { agent_id: 'a-1', agent_type: 'Plan', stop_hook_active: false });
    await end();
    await chat.send('Stop');
    assert.deepEqual(chat.told.turns.map(({ prompt, state, files }) => [prompt, state, files]), [['do it', 'closed', ['added new.txt']]]);
  });

  it('claims nothing that is only in the editor', async () => {
    const chat = await Chat.begin();
    await chat.call('create_file', { filePath: 'untitled:Untitled-1', content: 'one\n' }, {}, false);
    await chat.send('Stop');
    assert.deepEqual([chat.told.outcomes, chat.told.gaps], [['create_file done'], []]);
  });

  it('that comes by the hooks file that it shares with Copilot CLI is its own', async () => {
    const told = await ToldSession.of('copilot');
    const payload = { timestamp: '2026-11-30T19:06:25.051Z', hook_event_name: 'Stop', session_id: 'session-1', transcript_path: '/t/x.jsonl', cwd: told.place.project };
    const taken = await told.tell('Stop', payload, agent => agent === 'copilot');
    assert.deepEqual([taken.kind, taken.kind === 'event' && taken.agent], ['event', 'vscode']);
  });

  it('that comes by the hooks of Claude Code is VS Code\'s, and is dropped where its own hooks tell the same', async () => {
    const chat = await Chat.begin('do it', 'as in the sources', 'claude-code');
    await chat.call('create_file', { filePath: chat.path('new.txt'), content: 'one\n' }, { 'new.txt': 'one\n' }, false);
    assert.deepEqual(chat.told.turns.map(({ agent, files }) => [agent, files]), [['vscode', ['added new.txt']]]);
    const payload = { timestamp: '2026-11-30T19:06:25.051Z', hook_event_name: 'Stop', session_id: 'session-1', transcript_path: '/t/x.jsonl', cwd: chat.told.place.project };
    assert.equal((await chat.told.tell('Stop', payload, agent => agent === 'copilot')).kind, 'twice');
  });
});
