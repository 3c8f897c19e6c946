import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { treeOf } from '../../agents/scratch.ts';
import { ToldSession } from '../../agents/toldSession.ts';

type Fields = Readonly<Record<string, unknown>>;

const address = 'somebody@example.com';

/** A session of Cursor, as its documentation tells of it; every event comes as often as `times` says. */
class Composer {
  readonly told: ToldSession;
  private readonly times: number;
  private calls = 0;
  generation = 1;

  private constructor(told: ToldSession, times: number) {
    this.told = told;
    this.times = times;
  }

  static async begin(prompt = 'do it', times = 1, hook = 'cursor'): Promise<Composer> {
    const composer = new Composer(await ToldSession.of(hook), times);
    await composer.send('sessionStart', { composer_mode: 'agent', is_background_agent: false });
    await composer.send('beforeSubmitPrompt', { prompt, attachments: [] });
    return composer;
  }

  async send(event: string, fields: Fields = {}): Promise<void> {
    const common = {
      conversation_id: 'conversation-1', generation_id: `generation-${this.generation}`, model: 'm', hook_event_name: event, cursor_version: '2.4.0',
      workspace_roots: [this.told.place.project], user_email: address, transcript_path: null,
    };
    for (let times = this.times; times > 0; times -= 1) {
      const taken = await this.told.tell(event, { ...common, ...fields });
      assert.deepEqual([taken.kind, taken.kind === 'event' && taken.agent], ['event', 'cursor']);
    }
  }

  /** Begins a call; returns what tells how it has ended. */
  async begin(tool: string, input: unknown): Promise<(event?: string, more?: Fields) => Promise<void>> {
    const named = { tool_name: tool, tool_input: input, tool_use_id: `tool_${(this.calls += 1)}`, cwd: this.told.place.project };
    await this.send('preToolUse', named);
    return (event = 'postToolUse', more = { tool_output: '{}', duration: 12 }) => this.send(event, { ...named, ...more });
  }

  async call(tool: string, input: unknown, files: Readonly<Record<string, string | null>>): Promise<void> {
    const end = await this.begin(tool, input);
    this.told.write(files);
    await end();
  }

  path(name: string): string {
    return this.told.path(name);
  }
}

/** All that a play of every kind of tool tells. */
async function playAll(times: number): Promise<Composer> {
  const composer = await Composer.begin('first', times);
  await composer.call('Write', { file_path: composer.path('new.txt'), content: 'one\n' }, { 'new.txt': 'one\n' });
  await composer.call('StrReplace', { path: composer.path('old.txt'), old_string: 'beta', new_string: 'BETA' }, { 'old.txt': 'alpha\nBETA\ngamma\n' });
  await composer.call('Read', { file_path: composer.path('old.txt') }, {});
  await composer.call('Delete', { path: composer.path('gone.txt') }, { 'gone.txt': null });
  await composer.send('stop', { status: 'completed', loop_count: 0 });
  composer.generation = 2;
  await composer.send('beforeSubmitPrompt', { prompt: 'second', attachments: [] });
  await composer.call('Shell', { command: 'mv mv.txt moved.txt', working_directory: composer.told.place.project }, { 'mv.txt': null, 'moved.txt': 'to be moved\n' });
  await composer.call('MCP:make', JSON.stringify({ name: 'x' }), { 'made.txt': 'x' });
  await composer.send('stop', { status: 'completed', loop_count: 0 });
  await composer.send('sessionEnd', { reason: 'completed', duration_ms: 1 });
  return composer;
}

describe('Cursor\'s events', function () {
  this.timeout(30_000);

  for (const times of [1, 2]) {
    it(`tell two turns, each with its files, where each comes ${times === 1 ? 'once' : 'twice'}`, async () => {
      const { told } = await playAll(times);
      assert.deepEqual(told.turns, [
        { prompt: 'first', state: 'closed', agent: 'cursor', files: ['added new.txt', 'deleted gone.txt', 'modified old.txt'] },
        { prompt: 'second', state: 'closed', agent: 'cursor', files: ['added made.txt', 'added moved.txt', 'deleted mv.txt'] },
      ]);
      assert.deepEqual([told.outcomes, told.gaps], [['Write done', 'StrReplace done', 'Delete done', 'Shell done', 'MCP:make done'], []]);
      const after = treeOf(told.place.project);
      assert.deepEqual(await told.thereAndBack(), ['applied', told.before, 'applied', after]);
    });
  }

  it('leave nothing of the user\'s address anywhere', async () => {
    const { told } = await playAll(1);
    const store = join(told.place.home, 'store');
    const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).map(name => join(store, name)).filter(file => statSync(file).isFile());
    assert.ok(files.length > 3);
    for (const file of files) assert.ok(!readFileSync(file).includes(address), file);
  });

  it('of calls that overlap give each its own file', async () => {
    const composer = await Composer.begin();
    const ends = [await composer.begin('Write', { file_path: composer.path('a.txt'), content: 'a' }), await composer.begin('Write', { file_path: composer.path('b.txt'), content: 'b' })];
    composer.told.write({ 'a.txt': 'a', 'b.txt': 'b' });
    for (const end of ends.toReversed()) await end();
    await composer.send('stop', { status: 'completed' });
    assert.deepEqual([composer.told.turns.map(({ files }) => files), composer.told.gaps], [[['added a.txt', 'added b.txt']], []]);
  });

  it('of calls that failed, or were refused, claim nothing', async () => {
    const composer = await Composer.begin();
    await (await composer.begin('StrReplace', { path: composer.path('old.txt'), old_string: 'no such text', new_string: 'x' }))('postToolUseFailure', { error_message: 'x', failure_type: 'error', is_interrupt: false });
    await (await composer.begin('Write', { file_path: composer.path('no.txt'), content: 'x' }))('postToolUseFailure', { error_message: 'x', failure_type: 'permission_denied' });
    assert.deepEqual([composer.told.outcomes, composer.told.turns.map(({ files }) => files), composer.told.gaps], [['StrReplace failed', 'Write cancelled'], [[]], []]);
  });

  it('whose end never came have what was done when the next prompt comes', async () => {
    const composer = await Composer.begin('first');
    await composer.begin('Write', { file_path: composer.path('new.txt'), content: 'one\n' });
    await composer.begin('StrReplace', { path: composer.path('old.txt'), old_string: 'a', new_string: 'A', replace_all: true });
    composer.told.write({ 'new.txt': 'one\n', 'old.txt': 'AlphA\nbetA\ngAmmA\n' });
    composer.generation = 2;
    await composer.send('beforeSubmitPrompt', { prompt: 'second' });
    assert.deepEqual(composer.told.turns.map(({ state, files }) => [state, files]), [['interrupted', ['added new.txt', 'modified old.txt']], ['open', []]]);
  });

  it('of a turn that the user stopped say so', async () => {
    const composer = await Composer.begin();
    await composer.begin('Write', { file_path: composer.path('new.txt'), content: 'one\n' });
    composer.told.write({ 'new.txt': 'one\n' });
    await composer.send('stop', { status: 'aborted', loop_count: 0 });
    assert.deepEqual(composer.told.turns.map(({ state, files }) => [state, files]), [['interrupted', ['added new.txt']]]);
  });

  it('that come by the hooks of Claude Code are Cursor\'s, and are dropped where its own tell the same', async () => {
    const composer = await Composer.begin('do it', 1, 'claude-code');
    await composer.call('Write', { file_path: composer.path('new.txt'), content: 'one\n' }, { 'new.txt': 'one\n' });
    assert.deepEqual(composer.told.turns.map(({ agent, files }) => [agent, files]), [['cursor', ['added new.txt']]]);
    const payload = { conversation_id: 'c', generation_id: 'g', cursor_version: '2.4.0', workspace_roots: [composer.told.place.project] };
    assert.equal((await composer.told.tell('Stop', payload, agent => agent === 'cursor')).kind, 'twice');
  });
});
