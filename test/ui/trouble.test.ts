import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { currentProcess } from '../../src/core/base/processes.ts';
import { noteMissed } from '../../src/core/capture/missed.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { uiGround } from '../support/uiGround.ts';
import { until } from '../support/until.ts';
import type { Workbench } from '../support/workbench.ts';
import type { AgentPlay } from './agentPlay.ts';
import { act, recordedWorkbench, textIn, turnRow } from './steps.ts';

describe('when something is wrong', () => {
  let workbench: Workbench;
  let agent: AgentPlay;
  let storage: string;

  before(async () => {
    ({ workbench, agent } = await recordedWorkbench({ 'a.txt': 'one\n' }));
    storage = storageOf();
    agent.prompt('Change a');
    agent.write('a.txt', 'two\n');
    agent.stop();
    await turnRow(workbench, 'Change a').waitFor();
  });

  after(() => workbench.close());

  // The command that the hooks run lies in the storage, and names it.
  function storageOf(): string {
    const settings = readFileSync(join(uiGround().homeDirectory, '.claude', 'settings.json'), 'utf8');
    return /'([^']+)\/bin\/turnstone'/.exec(settings)?.[1] ?? '';
  }

  function root(): { key: string; directory: string } {
    const roots = new Roots(nodeFiles, systemClock, storage);
    const known = roots.at(workbench.folder);
    assert.ok(known);
    return { key: known.key, directory: roots.directoryOf(known) };
  }

  it('says at once that an event could not be recorded, and why', async () => {
    const { key, directory } = root();
    noteMissed(nodeFiles, directory, key, { session: 's-x', happenedAt: Date.now(), reason: 'the disk is full' });
    const status = workbench.parts.statusItem('turnstone.turnstone', 'turnstone.status');
    await status.filter({ hasText: 'Not recording' }).waitFor();
    assert.match((await status.getAttribute('aria-label')) ?? '', /the disk is full/);
    // The next event that can be recorded tells it in the history.
    agent.prompt('Go on');
    agent.stop();
    await status.filter({ hasText: 'Not recording' }).waitFor({ state: 'hidden' });
  });

  it('finishes a rewind that a crash cut short when the window opens again', async () => {
    const roots = new Roots(nodeFiles, systemClock, storage);
    const known = roots.at(workbench.folder);
    assert.ok(known);
    const store = roots.open(known);
    store.refresh();
    const [change] = store.timeline.changes.get('a.txt') ?? [];
    const turn = [...store.timeline.turns.values()][0];
    assert.ok(change && turn);
    // What the journal holds when the editor dies right after the intent.
    const dead = { ...currentProcess(nodeFiles), pid: 2 ** 22 + 1, started: '1' };
    assert.ok(dead.host.startsWith(hostname()));
    await store.commit(new Map(), [
      {
        type: 'restore.intent', operation: 'o-cutshort', kind: 'rewind', scope: 'code', reach: 'session', session: turn.session, target: turn.id, fromSeq: turn.seq,
        owner: dead, paths: [{ path: 'a.txt', action: 'restore', before: change.after, after: change.before }], emptied: [], made: [], left: [],
      },
    ]);
    store.dispose();
    assert.equal(textIn(workbench, 'a.txt'), 'two\n');
    await workbench.replaceHost(() => workbench.runCommand('Developer: Reload Window'));
    await until('the rewind is finished', () => textIn(workbench, 'a.txt') === 'one\n');
    await workbench.parts.toasts().filter({ hasText: 'A restore that was cut short has been finished.' }).waitFor();
    await workbench.parts.treeRow('Rewound to before “Change a”').waitFor();
  });

  it('shows a damaged history, says so, and writes nothing', async () => {
    const { parts } = workbench;
    agent.prompt('After the crash');
    agent.write('a.txt', 'three\n');
    agent.stop();
    await turnRow(workbench, 'After the crash').waitFor();
    const journal = join(root().directory, 'journal');
    const segment = join(journal, readdirSync(journal).filter(name => !name.includes('broken')).sort()[0] ?? '');
    const bytes = readFileSync(segment);
    // One letter in the middle of the history.
    const at = bytes.indexOf('"turn.close"');
    bytes[at + 1] = 'T'.charCodeAt(0);
    writeFileSync(segment, bytes);
    await workbench.replaceHost(() => workbench.runCommand('Developer: Reload Window'));
    await parts.statusItem('turnstone.turnstone', 'turnstone.status').filter({ hasText: 'Not recording' }).waitFor();
    await workbench.page.locator('.part.sidebar', { hasText: 'The history is damaged' }).waitFor();
    await workbench.screenshot('damaged');
    await act(workbench, turnRow(workbench, 'Change a'), 'Rewind to Here…', parts.toasts().filter({ hasText: 'The history is damaged' }));
    assert.equal(textIn(workbench, 'a.txt'), 'three\n');
  });
});
