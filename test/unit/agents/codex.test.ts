import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { recordEvent } from '../../../src/agents/recordEvent.ts';
import { takeEvent } from '../../../src/agents/takeEvent.ts';
import { systemClock } from '../../../src/core/base/clock.ts';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { quietWorkspace } from '../../../src/core/base/workspace.ts';
import { history } from '../../../src/core/capture/history.ts';
import { Recorders } from '../../../src/core/capture/recorders.ts';
import { restore } from '../../../src/core/rewind/restore.ts';
import { selectRewind } from '../../../src/core/rewind/travel.ts';
import { Roots } from '../../../src/core/timeline/roots.ts';
import type { RootStore } from '../../../src/core/timeline/store.ts';
import { promptOf, viewTurns } from '../../../src/core/timeline/view.ts';
import { codexEffects } from '../../agents/codexEffects.ts';
import { codexRecordings } from '../../agents/codexRecordings.ts';
import type { ClaudeEvent } from '../../agents/recordedEvents.ts';
import type { Recording } from '../../agents/recordings.ts';
import { replayPayloads } from '../../agents/replay.ts';
import { hashOf, makeScratch, treeOf, type Files, type Scratch } from '../../agents/scratch.ts';

type Payload = Readonly<Record<string, unknown>>;

/** A folder that is recorded, and hooks of Codex that are told of it. */
async function recorded(files: Files): Promise<{ readonly place: Scratch; hook(event: string, payload: Payload): Promise<void>; store(): RootStore }> {
  const place = makeScratch(files);
  const roots = new Roots(nodeFiles, systemClock, `${place.home}/store`);
  const root = await roots.add(place.project);
  return {
    place,
    async hook(event, payload) {
      const taken = takeEvent('codex', event, JSON.stringify({ session_id: 's', cwd: place.project, ...payload }), {}, () => false);
      if (taken.kind !== 'event') throw new Error(taken.kind);
      // A process for each event, as hooks are.
      assert.deepEqual(await recordEvent(taken.agent, taken.origin, taken.event, new Recorders(nodeFiles, systemClock, roots, async () => history)), []);
    },
    store() {
      const store = roots.open(root);
      store.refresh();
      return store;
    },
  };
}

/** Replays a recording, each event as `deliveries` says how often. */
async function replay(recording: Recording, deliveries: (event: ClaudeEvent) => number = () => 1) {
  const { place, hook, store } = await recorded(recording.before);
  const onEvent = async (event: ClaudeEvent): Promise<void> => {
    for (let times = deliveries(event); times > 0; times -= 1) await hook(event.hook_event_name, event);
  };
  await replayPayloads(recording.file, place, onEvent, { effects: codexEffects });
  return { store: store(), place };
}

/** Turns, oldest first, with what is told of them. */
function told(store: RootStore): readonly unknown[] {
  return viewTurns(store.timeline, true)
    .toReversed()
    .map(({ turn, files }) => ({ prompt: promptOf(turn, store.blobs), state: turn.state, files: files.map(({ path, status }) => `${status} ${path}`).sort() }));
}

function hashes(files: Files): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, hashOf(content)]));
}

async function rewindTo(store: RootStore, target: string): Promise<string> {
  return (await restore({ files: nodeFiles, store, workspace: quietWorkspace }, (timeline, look) => selectRewind(timeline, target, look), { decide: () => 'stop', dryRun: false })).kind;
}

const prompt = (turn_id: string): Payload => ({ turn_id, prompt: `prompt of ${turn_id}` });
const shell = (turn_id: string, tool_use_id: string, command: string): Payload => ({ turn_id, tool_name: 'Bash', tool_use_id, tool_input: { command } });
const patch = (turn_id: string, tool_use_id: string, ...lines: readonly string[]): Payload => ({
  turn_id,
  tool_name: 'apply_patch',
  tool_use_id,
  tool_input: { command: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
});

describe("Codex's events", function () {
  this.timeout(30_000);

  for (const recording of codexRecordings) {
    it(`of ${recording.file} tell its turns, the same when each comes twice, and go back`, async () => {
      const { store, place } = await replay(recording);
      assert.deepEqual(treeOf(place.project), hashes(recording.after));
      assert.deepEqual(told(store), recording.turns);
      assert.deepEqual([...store.timeline.turns.values()].flatMap(({ gaps }) => gaps), []);
      assert.deepEqual(told((await replay(recording, () => 2)).store), recording.turns);
      if (recording.file.includes('tui-esc')) return;
      const first = store.timeline.turns.keys().next().value as string;
      assert.deepEqual([await rewindTo(store, first), treeOf(place.project)], ['applied', hashes(recording.before)]);
    });
  }

  // Of a file that is gone nothing proves who has removed it.
  it('whose ends are all lost leave what was made and changed in interrupted turns', async () => {
    const { store } = await replay(codexRecordings[0] as Recording, event => (/^(Post|Stop)/.test(event.hook_event_name) ? 0 : 1));
    const [turn] = told(store) as readonly { readonly state: string; readonly files: readonly string[] }[];
    assert.deepEqual([turn?.state, turn?.files], ['interrupted', codexRecordings[0]?.turns[0]?.files.filter(file => !file.startsWith('deleted'))]);
  });

  it('of a sub-agent belong to the turn of its parent, and are marked as its', async () => {
    const { store } = await replay(codexRecordings.find(({ file }) => file.includes('sub-agent')) as Recording);
    const calls = [...store.timeline.calls.values()].map(({ tool, delegate, turn }) => [tool, delegate !== undefined, turn]);
    const [turn] = store.timeline.turns.keys();
    assert.deepEqual(calls, [['apply_patch', true, turn], ['Bash', false, turn], ['Bash', true, turn]]);
    const [session] = store.timeline.sessions.values();
    assert.ok(session?.transcript?.endsWith(`${session.agentSession}.jsonl`), session?.transcript);
  });

  it('of a sub-agent that is told something are no prompt of the user', async () => {
    const { hook, store } = await recorded({});
    await hook('UserPromptSubmit', prompt('t1'));
    await hook('UserPromptSubmit', { turn_id: 'k1', agent_id: 'k', prompt: 'go on' });
    await hook('UserPromptSubmit', { ...prompt('t1'), prompt: 'and this, too' });
    assert.deepEqual(told(store()), [{ prompt: 'prompt of t1', state: 'open', files: [] }]);
  });

  it('tell of an interrupt once: a late one leaves the next turn alone, and one of a turn that nobody knows makes none', async () => {
    const { hook, store } = await recorded({});
    await hook('UserPromptSubmit', prompt('t1'));
    await hook('Interrupt', { turn_id: 't1' });
    await hook('UserPromptSubmit', prompt('t2'));
    await hook('Interrupt', { turn_id: 't1' });
    await hook('Interrupt', { turn_id: 'of a sub-agent' });
    assert.deepEqual(told(store()), [{ prompt: 'prompt of t1', state: 'interrupted', files: [] }, { prompt: 'prompt of t2', state: 'open', files: [] }]);
    await hook('Stop', { turn_id: 't2' });
    await hook('Interrupt', { turn_id: 't2' });
    assert.equal((told(store())[1] as { readonly state: string }).state, 'closed');
  });

  it('of a patch that failed and was mended tell one change, and what the user wrote in between stays his', async () => {
    const { hook, store, place } = await recorded({ 'a.txt': 'one\ntwo\n' });
    await hook('UserPromptSubmit', prompt('t1'));
    await hook('PreToolUse', patch('t1', 'c1', '*** Add File: never.txt', '+n', '*** Update File: a.txt', '@@', '-nowhere', '+x'));
    writeFileSync(`${place.project}/never.txt`, 'mine\n');
    await hook('PreToolUse', patch('t1', 'c2', '*** Update File: a.txt', '@@', '-two', '+TWO'));
    writeFileSync(`${place.project}/a.txt`, 'one\nTWO\n');
    await hook('PostToolUse', patch('t1', 'c2', '*** Update File: a.txt', '@@', '-two', '+TWO'));
    await hook('Stop', { turn_id: 't1' });
    assert.deepEqual((told(store())[0] as { readonly files: unknown }).files, ['modified a.txt']);
    // What the mended patch did is known: only the user's file may be the doing of the other one.
    assert.deepEqual([...store().timeline.turns.values()].map(({ gaps }) => gaps), [['never.txt: changed while apply_patch was open, and not provably by it']]);
    assert.equal(await rewindTo(store(), [...store().timeline.turns.keys()][0] as string), 'applied');
    assert.deepEqual(treeOf(place.project), hashes({ 'a.txt': 'one\ntwo\n', 'never.txt': 'mine\n' }));
  });

  it('of a patch through the shell, which has no end, take what it left and not what the user did after', async () => {
    const { hook, store, place } = await recorded({ 'mine.txt': 'm\n' });
    await hook('UserPromptSubmit', prompt('t1'));
    await hook('PreToolUse', shell('t1', 'c1', "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch\nEOF"));
    writeFileSync(`${place.project}/made.txt`, 'made\n');
    appendFileSync(`${place.project}/mine.txt`, 'more of mine\n');
    await hook('Stop', { turn_id: 't1' });
    assert.deepEqual(told(store()), [{ prompt: 'prompt of t1', state: 'closed', files: ['added made.txt'] }]);
    assert.equal(await rewindTo(store(), [...store().timeline.turns.keys()][0] as string), 'applied');
    assert.deepEqual(treeOf(place.project), hashes({ 'mine.txt': 'm\nmore of mine\n' }));
  });

  it('of a command that ends in a later turn belong to its own, which says that nobody watched it in between', async () => {
    const { hook, store, place } = await recorded({});
    const command = (turn: string): Payload => shell(turn, 'c1', 'echo s > started.txt; sleep 9; echo e > ended.txt');
    await hook('UserPromptSubmit', prompt('t1'));
    await hook('PreToolUse', command('t1'));
    writeFileSync(`${place.project}/started.txt`, 's\n');
    await hook('Stop', { turn_id: 't1' });
    await hook('UserPromptSubmit', prompt('t2'));
    writeFileSync(`${place.project}/ended.txt`, 'e\n');
    for (let times = 0; times < 2; times += 1) await hook('PostToolUse', command('t2'));
    await hook('Stop', { turn_id: 't2' });
    const turns = viewTurns(store().timeline, true).toReversed();
    assert.deepEqual(turns.map(({ turn, files }) => [turn.gaps, files.map(({ path }) => path)]), [[['Bash: not recorded, what it did after its turn had ended'], ['started.txt']], [[], []]]);
    assert.equal([...store().timeline.calls.values()].length, 1);
  });

  it('of a call whose id comes again in a later turn are that one\'s', async () => {
    const { hook, store, place } = await recorded({});
    for (const turn of ['t1', 't2']) {
      await hook('UserPromptSubmit', prompt(turn));
      await hook('PreToolUse', shell(turn, 'c1', 'x'));
      writeFileSync(`${place.project}/${turn}.txt`, 'x\n');
      await hook('PostToolUse', shell(turn, 'c1', 'x'));
      await hook('Stop', { turn_id: turn });
    }
    assert.deepEqual(told(store()), ['t1', 't2'].map(turn => ({ prompt: `prompt of ${turn}`, state: 'closed', files: [`added ${turn}.txt`] })));
  });

  it('of a command in a folder below name its files from there', async () => {
    const { hook, store, place } = await recorded({ 'sub/a.txt': 'a\n' });
    await hook('UserPromptSubmit', prompt('t1'));
    const call = { ...shell('t1', 'c1', "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch\nEOF"), cwd: `${place.project}/sub` };
    await hook('PreToolUse', call);
    writeFileSync(`${place.project}/sub/b.txt`, 'b\n');
    await hook('Stop', { turn_id: 't1' });
    assert.deepEqual((told(store())[0] as { readonly files: unknown }).files, ['added sub/b.txt']);
  });

  it('that have no session or folder are unreadable, and those of tools that change nothing record nothing', async () => {
    assert.equal(takeEvent('codex', 'Stop', '{"session_id":"s"}', {}, () => false).kind, 'unreadable');
    const { hook, store } = await recorded({});
    await hook('UserPromptSubmit', prompt('t1'));
    for (const tool_name of ['view_image', 'collaborationspawn_agent', 'collaborationwait_agent', 'clock__curr_time', 'clocksleep']) {
      await hook('PreToolUse', { turn_id: 't1', tool_name, tool_use_id: tool_name, tool_input: {} });
    }
    assert.equal(store().timeline.calls.size, 0);
    for (const tool_name of ['mcp__server__write', 'newer_tool', 'apply_patch']) await hook('PreToolUse', { turn_id: 't1', tool_name, tool_use_id: tool_name, tool_input: {} });
    assert.deepEqual([...store().timeline.calls.values()].map(({ undeclared }) => undeclared), [true, true, true]);
  });
});
