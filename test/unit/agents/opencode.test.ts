import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { applyHookCall, hostPlugin, readHookCalls, type HookCall, type OpencodeHost } from '../../agents/opencodeHost.ts';
import { makeScratch, treeOf, type Scratch } from '../../agents/scratch.ts';
import { tellEvents, type ToldEvents } from '../../agents/toldEvents.ts';
import { writeText } from '../../agents/toolEffects.ts';

interface Replayed {
  readonly told: ToldEvents;
  readonly host: OpencodeHost;
  readonly before: ReturnType<typeof treeOf>;
}

const idle = (sessionID: string): HookCall => ({ hook: 'event', input: { event: { type: 'session.idle', properties: { sessionID } } } });
const prompt = (sessionID: string, id: string, ...parts: readonly object[]): HookCall => ({ hook: 'chat.message', input: { sessionID }, output: { message: { id }, parts } });
const text = (words: string, more: object = {}): object => ({ type: 'text', text: words, ...more });
const before = (sessionID: string, callID: string, tool: string, args: object): HookCall => ({ hook: 'tool.execute.before', input: { sessionID, callID, tool }, output: { args } });
const after = (sessionID: string, callID: string, tool: string, args: object): HookCall => ({ hook: 'tool.execute.after', input: { sessionID, callID, tool, args }, output: {} });

/** Calls the plugin's hooks, each after what its tool did, and hands what it tells on to Turnstone, each event `times` times. */
async function play(calls: (place: Scratch) => readonly HookCall[], { times = 1, sessions = {} }: { times?: number; sessions?: Parameters<typeof hostPlugin>[1] } = {}): Promise<Replayed> {
  const told = await tellEvents('opencode');
  const host = await hostPlugin(told.place, sessions);
  const tree = treeOf(told.place.project);
  for (const call of calls(told.place)) {
    applyHookCall(call, told.place.project);
    for (const { event, payload } of await host.call(call)) for (let time = 0; time < times; time += 1) await told.tell(event, payload);
  }
  return { told, host, before: tree };
}

const recordings = {
  'all-tools': [
    {
      prompt: '"first prompt"',
      state: 'closed',
      agent: 'opencode',
      files: ['added half.txt', 'added moved.txt', 'added new.txt', 'added p1.txt', 'added p3.txt', 'added shell.txt', 'added sub.txt', 'deleted gone.txt', 'deleted mv.txt', 'modified old.txt'],
    },
  ],
  'revert-fork': [
    { prompt: 'PROMPT-ONE', state: 'closed', agent: 'opencode', files: ['added a.txt'] },
    { prompt: 'PROMPT-TWO', state: 'closed', agent: 'opencode', files: ['added sh.txt', 'deleted gone.txt', 'modified old.txt'] },
    { prompt: 'PROMPT-AFTER-REVERT', state: 'closed', agent: 'opencode', files: [] },
    { prompt: 'PROMPT-IN-FORK', state: 'closed', agent: 'opencode', files: [] },
  ],
  aborted: [
    { prompt: 'prompt to abort', state: 'interrupted', agent: 'opencode', files: ['added n.txt', 'added slow.txt'] },
    { prompt: 'prompt after', state: 'closed', agent: 'opencode', files: [] },
  ],
} as const;

describe('OpenCode\'s events', function () {
  this.timeout(60_000);

  for (const [name, turns] of Object.entries(recordings)) {
    it(`of ${name} tell its turns and their files, and the rewind brings all of them back`, async () => {
      const { told, before: tree } = await play(place => readHookCalls(name, place));
      assert.deepEqual(told.turns().map(turn => ({ ...turn, files: turn.files.toSorted() })), turns);
      assert.deepEqual(told.gaps(), []);
      assert.equal([...told.store().timeline.calls.values()].some(({ outcome }) => outcome === 'open'), false);
      assert.deepEqual([await told.rewindAll(), treeOf(told.place.project)], ['applied', tree]);
    });

    it(`of ${name} tell the same when each comes twice`, async () => {
      const { told } = await play(place => readHookCalls(name, place), { times: 2 });
      assert.deepEqual(told.turns().map(turn => ({ ...turn, files: turn.files.toSorted() })), turns);
    });
  }

  it('of a call that failed, which has no after, end it', async () => {
    const { told } = await play(place => readHookCalls('all-tools', place).filter(({ input }) => !JSON.stringify(input).includes('session.idle')));
    const failed = [...told.store().timeline.calls.values()].filter(({ outcome }) => outcome === 'failed');
    assert.deepEqual(failed.map(({ tool }) => tool), ['edit', 'bash']);
  });

  it('of a call that is lost keep no later turn from ending', async () => {
    const { told } = await play(() => [prompt('s', 'm1', text('one')), before('s', 'c1', 'bash', { command: 'true' }), idle('s'), prompt('s', 'm2', text('two')), idle('s')]);
    assert.deepEqual(told.turns().map(({ prompt: words, state }) => [words, state]), [['one', 'interrupted'], ['two', 'closed']]);
  });

  it('that never end leave an interrupted turn when the next prompt comes', async () => {
    const { told } = await play(({ project }) => [
      prompt('s', 'm1', text('one')),
      before('s', 'c1', 'write', { filePath: `${project}/a.txt`, content: 'a\n' }),
      prompt('s', 'm2', text('two')),
    ]);
    assert.deepEqual(told.turns().map(({ prompt: words, state }) => [words, state]), [['one', 'interrupted'], ['two', 'open']]);
  });

  it('of tools that change nothing are not even told', async () => {
    const host = await hostPlugin(makeScratch());
    assert.deepEqual(await host.call(before('s', 'c1', 'read', { filePath: 'a.txt' })), []);
    assert.deepEqual(await host.call(after('s', 'c1', 'read', { filePath: 'a.txt' })), []);
    assert.equal((await host.call(before('s', 'c2', 'unheard_of', {}))).length, 1);
  });

  it('of a sub-agent belong to the turn that it was started in, also where the plugin has not seen its start, and end with it', async () => {
    const { told } = await play(
      ({ project }) => [
        prompt('s', 'm1', text('one')),
        prompt('sub', 'm2', text('do this')),
        before('s', 'c1', 'write', { filePath: `${project}/a.txt`, content: 'a\n' }),
        before('sub', 'c1', 'write', { filePath: `${project}/b.txt`, content: 'b\n' }),
        after('sub', 'c1', 'write', { filePath: `${project}/b.txt`, content: 'b\n' }),
        after('s', 'c1', 'write', { filePath: `${project}/a.txt`, content: 'a\n' }),
        before('sub', 'c2', 'write', { filePath: `${project}/c.txt`, content: 'c\n' }),
        idle('sub'),
        idle('s'),
      ],
      { sessions: { sub: 's' } },
    );
    assert.deepEqual(told.turns(), [{ prompt: 'one', state: 'closed', agent: 'opencode', files: ['added a.txt', 'added b.txt'] }]);
    assert.deepEqual([...told.store().timeline.calls.values()].map(({ delegate, outcome }) => [delegate, outcome]), [[undefined, 'done'], ['sub', 'done'], ['sub', 'interrupted']]);
  });

  it('of a patch name its files, which may have been moved', async () => {
    const patch = ['*** Begin Patch', '*** Update File: mv.txt', '*** Move to: d/moved.txt', '@@', '-to be moved', '+moved', '*** Delete File: gone.txt', '*** End Patch'].join('\n');
    const { told, host } = await play(() => [prompt('s', 'm1', text('one'))]);
    const { project } = told.place;
    const tell = async (...calls: readonly HookCall[]): Promise<void> => {
      for (const { event, payload } of await host.call(...calls)) await told.tell(event, payload);
    };
    await tell(before('s', 'c1', 'apply_patch', { patchText: patch }));
    assert.deepEqual([...told.store().timeline.calls.values()].map(({ undeclared, snapshots }) => [undeclared, [...snapshots.keys()]]), [[false, ['mv.txt', 'd/moved.txt', 'gone.txt']]]);
    writeText(`${project}/d/moved.txt`, 'moved\n');
    for (const gone of ['mv.txt', 'gone.txt']) rmSync(`${project}/${gone}`);
    await tell(after('s', 'c1', 'apply_patch', { patchText: patch }));
    await tell(idle('s'));
    assert.deepEqual(told.turns().map(({ files }) => files.toSorted()), [['added d/moved.txt', 'deleted gone.txt', 'deleted mv.txt']]);
  });

  it('are told where OpenCode does not say whose session it is', async () => {
    const { told } = await play(() => [prompt('s', 'm1', text('one')), idle('s')], { sessions: 'unreachable' });
    assert.deepEqual(told.turns().map(({ prompt: words, state }) => [words, state]), [['one', 'closed']]);
  });

  it('of a model that gives its calls the same ids again are calls of their own', async () => {
    const { told } = await play(({ project }) => [
      prompt('s', 'm1', text('one')),
      ...['a', 'b', 'c'].flatMap(name => [before, after].map(make => make('s', 'call_0', 'write', { filePath: `${project}/${name}.txt`, content: name }))),
      idle('s'),
    ]);
    assert.deepEqual(told.turns().map(({ files }) => files), [['added a.txt', 'added b.txt', 'added c.txt']]);
  });

  it('of a message that nobody typed go on with the turn before', async () => {
    const { told } = await play(({ project }) => [
      prompt('s', 'm1', text('one'), { type: 'file', url: 'file:///x' }, text('what a tool read', { synthetic: true })),
      idle('s'),
      prompt('s', 'm2', text('Background task completed', { synthetic: true })),
      before('s', 'c1', 'write', { filePath: `${project}/late.txt`, content: 'late\n' }),
      after('s', 'c1', 'write', { filePath: `${project}/late.txt`, content: 'late\n' }),
      idle('s'),
    ]);
    assert.deepEqual(told.turns(), [{ prompt: 'one', state: 'closed', agent: 'opencode', files: ['added late.txt'] }]);
  });

  it('know a file only by its exact bytes where the end of a call is not told', async () => {
    const { told, host } = await play(({ project }) => [
      prompt('s', 'm1', text('one')),
      before('s', 'c1', 'edit', { filePath: `${project}/old.txt`, oldString: 'beta', newString: 'BETA' }),
      before('s', 'c2', 'write', { filePath: `${project}/mv.txt`, content: 'mine\n' }),
    ]);
    writeFileSync(`${told.place.project}/old.txt`, 'alpha\nBETA\ngamma\n');
    writeFileSync(`${told.place.project}/mv.txt`, 'the user\'s\n');
    for (const { event, payload } of await host.call(prompt('s', 'm2', text('two')))) await told.tell(event, payload);
    assert.deepEqual(told.turns().map(({ files }) => files), [['modified old.txt'], []]);
  });

  it('are told in their order, and not at all where the shim is gone', async () => {
    const place = makeScratch();
    const host = await hostPlugin(place);
    const calls = ['a', 'b', 'c', 'd'].map(name => before('s', name, 'bash', { command: name }));
    const heard = await host.call(...calls);
    assert.deepEqual(heard.map(({ payload }) => payload['call']), ['a', 'b', 'c', 'd']);
    rmSync(host.shim);
    assert.deepEqual(await host.call(...calls, idle('s')), []);
  });

  it('that OpenCode tells in another shape throw nothing at it', async () => {
    const host = await hostPlugin(makeScratch());
    for (const hook of ['chat.message', 'tool.execute.before', 'tool.execute.after', 'event']) for (const input of [{}, { event: {} }]) assert.deepEqual(await host.call({ hook, input }), []);
  });
});
