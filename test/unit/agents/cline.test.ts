import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeEvent } from '../../../src/agents/takeEvent.ts';
import type { Json } from '../../agents/dialectTools.ts';
import { treeOf, type Scratch } from '../../agents/scratch.ts';
import { tellEvents, type ToldEvents } from '../../agents/toldEvents.ts';
import { replaceText, runCommandLine, writeText } from '../../agents/toolEffects.ts';

interface HookEvent {
  readonly hook: string;
  readonly payload: Json;
}

type Events = (place: Scratch) => readonly HookEvent[];

const recorded = (name: string): Events => ({ project }) =>
  readFileSync(join(import.meta.dirname, '../../agents/payloads/cline', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line.replaceAll('/w/project', project)) as HookEvent);

/** What Cline did before it told that a call is done: nothing where an edit failed, and of a command that was aborted what comes before its pause. */
function applyTool({ hook, payload }: HookEvent, project: string): void {
  if (hook !== 'PostToolUse') return;
  const { name, input, output } = payload['tool_result'] as { name: string; input: Readonly<Record<string, unknown>>; output: { success?: boolean } };
  const { path, old_text: old, new_text: fresh, commands } = input as { path: string; old_text?: string; new_text: string; commands: readonly string[] };
  const isAborted = JSON.stringify(output).includes('Command was aborted');
  if (name === 'run_commands') for (const command of commands) runCommandLine((isAborted ? command.split('; sleep ')[0] : command) ?? '', project);
  if (name !== 'editor' || output.success === false) return;
  if (old === undefined) writeText(path, fresh);
  else replaceText(path, old, fresh);
}

async function play(events: Events, times = 1): Promise<{ readonly told: ToldEvents; readonly before: ReturnType<typeof treeOf> }> {
  const told = await tellEvents('cline');
  const before = treeOf(told.place.project);
  for (const event of events(told.place)) {
    applyTool(event, told.place.project);
    for (let time = 0; time < times; time += 1) await told.tell(event.hook, event.payload);
  }
  return { told, before };
}

const common = ({ project }: Scratch): Json => ({ taskId: 'conv', sessionContext: { rootSessionId: 'root' }, workspaceRoots: [project], agent_id: 'agent', parent_agent_id: null });
const start = (place: Scratch, timestamp: string): HookEvent => ({ hook: 'TaskStart', payload: { ...common(place), timestamp } });
const end = (place: Scratch, hook = 'TaskComplete'): HookEvent => ({ hook, payload: common(place) });
const pre = (place: Scratch, id: string, name: string, input: object, more: Json = {}): HookEvent => ({ hook: 'PreToolUse', payload: { ...common(place), iteration: 1, tool_call: { id, name, input }, ...more } });
const post = (place: Scratch, id: string, name: string, input: object, more: Json = {}): HookEvent => ({ hook: 'PostToolUse', payload: { ...common(place), iteration: 1, tool_result: { id, name, input, output: { success: true } }, ...more } });
const edit = ({ project }: Scratch, path: string, new_text: string, old_text?: string): object => ({ path: `${project}/${path}`, new_text, ...(old_text === undefined ? {} : { old_text }) });

const recordings = {
  'all-tools': [
    {
      prompt: '(prompt not recorded)',
      state: 'closed',
      agent: 'cline',
      files: ['added half.txt', 'added moved.txt', 'added new.txt', 'added p1.txt', 'added p3.txt', 'added shell.txt', 'added sub.txt', 'deleted gone.txt', 'deleted mv.txt', 'modified old.txt'],
    },
  ],
  'interactive-two-prompts': [
    { prompt: '(prompt not recorded)', state: 'closed', agent: 'cline', files: ['added new.txt'] },
    { prompt: '(prompt not recorded)', state: 'closed', agent: 'cline', files: ['added new2.txt'] },
  ],
  sigint: [{ prompt: '(prompt not recorded)', state: 'interrupted', agent: 'cline', files: ['added new.txt', 'added slow.txt'] }],
} as const;

describe('Cline\'s events', function () {
  this.timeout(60_000);

  for (const [name, turns] of Object.entries(recordings)) {
    it(`of ${name} tell its turns and their files, and the rewind brings all of them back`, async () => {
      const { told, before } = await play(recorded(name));
      assert.deepEqual(told.turns().map(turn => ({ ...turn, files: turn.files.toSorted() })), turns);
      assert.deepEqual(told.gaps(), []);
      assert.equal([...told.store().timeline.calls.values()].some(({ outcome }) => outcome === 'open'), false);
      assert.deepEqual([await told.rewindAll(), treeOf(told.place.project)], ['applied', before]);
    });

    it(`of ${name} tell the same when each comes twice`, async () => {
      const { told } = await play(recorded(name), 2);
      assert.deepEqual(told.turns().map(turn => ({ ...turn, files: turn.files.toSorted() })), turns);
      assert.equal(told.store().timeline.turns.size, turns.length);
    });
  }

  it('of a failed edit, and of a command that failed, say so', async () => {
    const { told } = await play(recorded('all-tools'));
    assert.deepEqual([...told.store().timeline.calls.values()].flatMap(({ tool, outcome }) => (outcome === 'failed' ? [tool] : [])), ['editor', 'run_commands']);
  });

  it('of a sub-agent are a delegate\'s, and its end is not the turn\'s', async () => {
    const { told } = await play(place => recorded('all-tools')(place).slice(0, -2));
    assert.deepEqual(told.turns().map(({ state }) => state), ['open']);
    assert.deepEqual([...told.store().timeline.calls.values()].flatMap(({ delegate, tool }) => (delegate === undefined ? [] : [tool])), ['editor']);
  });

  for (const hook of ['TaskCancel', 'TaskError']) {
    it(`of a turn that ends with ${hook} leave it interrupted, with what an edit is known by`, async () => {
      const { told } = await play(place => [
        start(place, '1'),
        pre(place, 'c1', 'editor', edit(place, 'old.txt', 'BETA', 'beta')),
        pre(place, 'c2', 'editor', edit(place, 'new.txt', 'mine\n')),
      ]);
      const { place } = told;
      writeFileSync(`${place.project}/old.txt`, 'alpha\nBETA\ngamma\n');
      writeFileSync(`${place.project}/new.txt`, 'the user\'s\n');
      await told.tell(hook, end(place).payload);
      assert.deepEqual(told.turns().map(({ state, files }) => [state, files]), [['interrupted', ['modified old.txt']]]);
    });
  }

  it('that never end leave an interrupted turn when the next prompt comes', async () => {
    const { told } = await play(place => [start(place, '1'), pre(place, 'c1', 'run_commands', { commands: ['true'] }), start(place, '2')]);
    assert.deepEqual(told.turns().map(({ state }) => state), ['interrupted', 'open']);
  });

  it('of a model that gives its calls the same ids in every message are calls of their own', async () => {
    const { told } = await play(place => [
      start(place, '1'),
      ...[1, 2, 3].flatMap(iteration => [pre, post].map(make => make(place, 'call_0', 'editor', edit(place, `${iteration}.txt`, 'x'), { iteration }))),
      end(place),
    ]);
    assert.deepEqual(told.turns().map(({ files }) => files), [['added 1.txt', 'added 2.txt', 'added 3.txt']]);
  });

  // Cline does not wait for the hook of a prompt.
  it('of a call that come before its prompt\'s are on record, with the turn before', async () => {
    const { told } = await play(place => [
      start(place, '1'),
      end(place),
      pre(place, 'c1', 'editor', edit(place, 'a.txt', 'a')),
      start(place, '2'),
      post(place, 'c1', 'editor', edit(place, 'a.txt', 'a')),
      end(place),
    ]);
    assert.deepEqual(told.turns().map(({ state, files }) => [state, files]), [['closed', ['added a.txt']], ['closed', []]]);
    assert.deepEqual([...told.store().timeline.calls.values()].map(({ outcome }) => outcome), ['done']);
  });

  it('of a patch name its files', () => {
    const patch = ['*** Begin Patch', '*** Add File: a.txt', '+a', '*** Update File: b.txt', '*** Move to: d/c.txt', '@@', '-x', '+y', '*** Delete File: e.txt', '*** End Patch'].join('\n');
    const effect = (input: unknown): unknown => {
      const payload = { ...common({ project: '/w', home: '/h' }), iteration: 1, tool_call: { id: 'c', name: 'apply_patch', input } };
      const taken = takeEvent('cline', 'PreToolUse', JSON.stringify(payload), {}, () => false);
      return taken.kind === 'event' && taken.event.kind === 'begin' ? taken.event.call.effect : taken.kind;
    };
    for (const input of [patch, { input: patch }]) assert.deepEqual(effect(input), { kind: 'exact', paths: ['a.txt', 'b.txt', 'd/c.txt', 'e.txt'] });
    for (const input of ['nothing that is known', {}, null]) assert.deepEqual(effect(input), { kind: 'undeclared' });
  });
});
