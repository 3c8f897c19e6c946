import assert from 'node:assert/strict';
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
import type { ClaudeEvent } from '../../agents/recordedEvents.ts';
import { claudeCodeRecordings, type Recording } from '../../agents/recordings.ts';
import { replayPayloads } from '../../agents/replay.ts';
import { makeScratch, treeOf } from '../../agents/scratch.ts';

interface Replayed {
  readonly store: RootStore;
  readonly project: string;
  readonly before: ReturnType<typeof treeOf>;
}

/** Replays a recording into a store of its own, each event as `deliveries` says how often. */
async function replay(recording: Recording, deliveries: (event: ClaudeEvent) => number = () => 1): Promise<Replayed> {
  const place = makeScratch(recording.before);
  const roots = new Roots(nodeFiles, systemClock, `${place.home}/store`);
  const root = await roots.add(place.project);
  const before = treeOf(place.project);
  const onEvent = async (event: ClaudeEvent): Promise<void> => {
    const taken = takeEvent('claude-code', event.hook_event_name, JSON.stringify(event), {}, () => false);
    if (taken.kind !== 'event') throw new Error(taken.kind);
    for (let times = deliveries(event); times > 0; times -= 1) {
      // A process for each event, as hooks are.
      const recorders = new Recorders(nodeFiles, systemClock, roots, async () => history);
      assert.deepEqual(await recordEvent(taken.agent, taken.origin, taken.event, recorders), []);
    }
  };
  await replayPayloads(recording.file, place, onEvent, { effects: true });
  const store = roots.open(root);
  store.refresh();
  return { store, project: place.project, before };
}

/** Turns, oldest first, with what is told of them. */
function told({ store }: Replayed): readonly unknown[] {
  return viewTurns(store.timeline, true)
    .toReversed()
    .map(({ turn, agent, files }) => ({ prompt: promptOf(turn, store.blobs), state: turn.state, agent, files: files.map(({ path, status }) => `${status} ${path}`) }));
}

function recordingOf(name: string): Recording {
  const found = claudeCodeRecordings.find(({ file }) => file === `claude-code/${name}.jsonl`);
  if (found === undefined) throw new Error(`no recording ${name}`);
  return found;
}

describe('Claude Code\'s events', function () {
  this.timeout(30_000);

  for (const recording of claudeCodeRecordings) {
    it(`of ${recording.file} tell the same when each comes twice`, async () => {
      const once = told(await replay(recording));
      assert.deepEqual(told(await replay(recording, () => 2)), once);
      assert.ok(once.length > 0);
    });
  }

  it('tell two turns, each with its files', async () => {
    assert.deepEqual(told(await replay(recordingOf('two-turns'))), [
      { prompt: 'first prompt', state: 'closed', agent: 'claude-code', files: ['added new.txt', 'modified old.txt'] },
      { prompt: 'second prompt', state: 'closed', agent: 'claude-code', files: ['added deep/er/third.txt', 'modified new.txt'] },
    ]);
  });

  it('whose ends are all lost leave the files of an interrupted turn, and the rewind brings all of them back', async () => {
    const replayed = await replay(recordingOf('two-turns'), event => (/^(Post|Stop)/.test(event.hook_event_name) ? 0 : 1));
    const [first, second] = told(replayed) as readonly { readonly state: string; readonly files: readonly string[] }[];
    assert.deepEqual([first?.state, first?.files, second?.state], ['interrupted', ['added new.txt', 'modified old.txt'], 'interrupted']);
    const target = replayed.store.timeline.turns.keys().next().value as string;
    const context = { files: nodeFiles, store: replayed.store, workspace: quietWorkspace };
    const result = await restore(context, (timeline, look) => selectRewind(timeline, target, look), { decide: () => 'stop', dryRun: false });
    assert.deepEqual([result.kind, treeOf(replayed.project)], ['applied', replayed.before]);
  });

  it('of a background task begin no turn of their own', async () => {
    for (const name of ['background-subagent', 'concurrent-subagents-background']) {
      const { store } = await replay(recordingOf(name));
      assert.deepEqual([...store.timeline.turns.values()].map(turn => promptOf(turn, store.blobs)), ['first prompt'], name);
    }
  });

  it('of a refused call leave no file of it', async () => {
    const { store } = await replay(recordingOf('denied-write'));
    const outcomes = [...store.timeline.calls.values()].map(call => call.outcome);
    assert.deepEqual([outcomes.includes('open'), outcomes.includes('cancelled')], [false, true]);
    assert.deepEqual(viewTurns(store.timeline, true).flatMap(({ files }) => files.map(({ path }) => path)), ['new.txt']);
  });

  it('in a folder that is not known record nothing', async () => {
    const place = makeScratch({});
    const other = makeScratch({ 'a.txt': '0' });
    const roots = new Roots(nodeFiles, systemClock, `${place.home}/store`);
    const root = await roots.add(place.project);
    const recorders = new Recorders(nodeFiles, systemClock, roots, async () => history);
    const payload = { session_id: 's', cwd: other.project, tool_name: 'Write', tool_use_id: 't', tool_input: { file_path: `${other.project}/a.txt` } };
    const taken = takeEvent('claude-code', 'PreToolUse', JSON.stringify(payload), {}, () => false);
    if (taken.kind !== 'event') throw new Error(taken.kind);
    assert.deepEqual(await recordEvent(taken.agent, taken.origin, taken.event, recorders), []);
    assert.deepEqual(roots.open(root).readAll(), []);
  });
});
