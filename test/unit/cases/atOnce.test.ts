import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TurnstoneError } from '../../../src/core/base/errors.ts';
import { viewTurns } from '../../../src/core/timeline/view.ts';
import { FakeWorkspace } from '../../twins/fakeWorkspace.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import { World, actionsOf, project as worldsProject, type Actor } from '../../twins/world.ts';
import { until } from '../../support/until.ts';
import { buildCliOnce } from './builtCli.ts';
import { faultIn } from './faultIn.ts';
import { recordsIn } from './journalFile.ts';
import { Project } from './project.ts';
import { WrappedAgent } from './wrappedAgent.ts';

const names = Array.from({ length: 500 }, (_, index) => `f/${String(index).padStart(3, '0')}.txt`);
const all = (text: string): Readonly<Record<string, string>> => Object.fromEntries(names.map(name => [name, text]));
const late = names[400] as string;

/** The journal is whole: every line is, every restore and every call has ended, and nothing was recorded twice. */
function expectWholeJournal(records: readonly any[]): void {
  const ids = (type: string, key: string): readonly string[] => records.filter(record => record.type === type).map(record => record[key]);
  assert.deepEqual(ids('restore.done', 'operation'), ids('restore.intent', 'operation'));
  assert.deepEqual([...ids('call.close', 'call')].sort(), [...ids('call.open', 'call')].sort());
  assert.equal(new Set(ids('call.open', 'call')).size, ids('call.open', 'call').length);
}

describe('C4: a restore of 500 files', function () {
  this.timeout(120_000);
  before(buildCliOnce);

  it('that an edit and a second restore come into, in processes of their own, ends as one after the other', async () => {
    const project = new Project(all('v0\n'));
    const agent = await WrappedAgent.in(project);
    const first = await agent.turn('first', all('v1\n'));
    const second = await agent.turn('second', all('v2\n'));
    const [reached, go] = [join(project.home, 'reached'), join(project.home, 'go')];
    const slow = project.start(['rewind', second], faultIn({ call: 'renameSync', nth: 51, then: 'wait', reached, until: go }));
    await until('fifty files are written', () => existsSync(reached));
    assert.deepEqual([project.text(names[49] as string), project.text(names[51] as string), project.text(late)], ['v1\n', 'v2\n', 'v2\n']);
    const other = project.start(['rewind', first]);
    await agent.change({ [late]: 'late\n' });
    // Everybody else can look meanwhile.
    assert.equal(project.cli('log').exitCode, 0);
    project.write('../home/go', '');
    const [one, waited] = await Promise.all([slow, other]);
    // Where the disk is so slow that waiting has an end, it was told to try again.
    if (waited.exitCode === 5) assert.equal(waited.json.error.code, 'busy');
    const two = waited.exitCode === 5 ? project.cli('rewind', first) : waited;
    const skipped = one.json.plan.filter(({ outcome }: { outcome: string }) => outcome !== 'done').map(({ path, outcome, reason }: Record<string, string>) => [path, outcome, reason]);
    assert.deepEqual([one.exitCode, skipped], [1, [[late, 'skipped', 'it was changed meanwhile']]]);
    // The second one began when the first was done, and took the late edit along: it is its session's.
    assert.deepEqual([two.exitCode, two.json.counts.restored], [0, 500], two.output);
    assert.deepEqual(new Set(names.map(name => project.text(name))), new Set(['v0\n']));
    expectWholeJournal(recordsIn(project.storeDirectory));
    // Every step of it can be taken back: the late edit would be there again, too.
    const back = project.cli('undo', '--dry-run');
    assert.deepEqual([back.exitCode, back.json.counts.restored], [0, 500]);
  });

  it('says of the edit that came into it that it is there and what it changed, and never that it was taken back', async () => {
    const { agent, result } = await edited();
    assert.deepEqual(Object.entries(actionsOf(result)).filter(([, action]) => action !== 'restore'), [[late, 'restore skipped']]);
    agent.store.refresh();
    const { timeline } = agent.store;
    const changes = timeline.changes.get(late)?.map(({ by, after }) => [by.kind, after.kind === 'content' ? agent.store.blobs.read(after.hash).toString() : after.kind]);
    assert.deepEqual(changes?.at(-1), ['call', 'late\n']);
    const turn = viewTurns(timeline, false).find(({ turn: { id } }) => id === 't-2');
    assert.deepEqual(turn?.files.filter(({ state }) => state !== 'rolledBack').map(({ path, state }) => [path, state]), [[late, 'active']]);
    // It goes with the next try, because it is of the same session; nobody is asked twice about it.
    assert.deepEqual((await agent.rewind('t-2')).kind, 'applied');
    assert.equal(agent.context.files.read(`${worldsProject}/${late}`).toString(), 'v1\n');
  });

  it('refuses a second restore that can\'t wait as long as it takes, in a sentence and before anything is written', async () => {
    const { refused, world } = await edited();
    assert.ok(TurnstoneError.is(refused, 'busy'));
    assert.match((refused as Error).message, /^The store is locked by process \d+ on .*\. Nothing was written\. Try again when it is done\.$/);
    const operations = world.open().store.readAll().filter(({ record }) => record.type === 'restore.intent');
    assert.equal(operations.length, 1);
  });
});

/** After 50 of 500 files a wrapped edit of file 400 and a second restore come in; the edit is waited for. */
async function edited(): Promise<{ readonly world: World; readonly agent: Actor; readonly result: Awaited<ReturnType<Actor['rewind']>>; readonly refused: unknown }> {
  const world = await World.make(all('v0\n'));
  const agent = world.open();
  await agent.turn('t-1', [all('v1\n')]);
  await agent.turn('t-2', [all('v2\n')]);
  const workspace = new FakeWorkspace(world.memory);
  let yields = 0;
  let refused: unknown;
  const others = async (): Promise<void> => {
    await agent.call('t-2', { [late]: 'late\n' });
    refused = await world.open().rewind('t-1').catch((error: unknown) => error);
  };
  const slow = {
    unsaved: () => workspace.unsaved(),
    unsavedBytes: async () => undefined,
    replaceUnsaved: async () => false,
    yield: async () => {
      yields += 1;
      if (yields === 50) await others();
    },
  };
  const result = await world.open(faultyFiles(world.memory), slow).rewind('t-2');
  return { world, agent, result, refused };
}
