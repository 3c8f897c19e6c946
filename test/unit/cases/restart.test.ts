import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { branchesOf } from '../../../src/core/timeline/branches.ts';
import { headsOf } from '../../../src/core/timeline/activePath.ts';
import type { RootStore } from '../../../src/core/timeline/store.ts';
import { buildCliOnce } from './builtCli.ts';
import { recordsIn, rewriteJournal } from './journalFile.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, hashOf } from './project.ts';
import { storedContents } from './storedContents.ts';
import { WrappedAgent } from './wrappedAgent.ts';

/** All that a history says: what was recorded, where everybody stands, and the number of the last record. */
function standing(store: RootStore): unknown {
  store.refresh();
  const { seq, at, sessions, turns, calls, points, operations, changes, paths } = store.timeline;
  const heads = [...sessions.keys()].map(session => headsOf(store.timeline, session));
  const all = { seq, at, sessions, turns, calls, points, operations, changes, paths, branches: branchesOf(store.timeline), heads };
  // Maps compare in any order; as text their order counts too.
  return JSON.parse(JSON.stringify(all, (_, value: unknown) => (value instanceof Map ? [...value] : value)));
}

describe('a history that is read by others', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('is the same in a process that followed it record by record and in a fresh one: points, positions and counter', async () => {
    const project = new Project({ 'a.txt': '0\n', 'b.txt': '0\n' });
    const [one, two] = [await WrappedAgent.in(project), await WrappedAgent.in(project, 'two')];
    const first = await one.turn('first', { 'a.txt': '1\n' });
    await two.turn('of another session', { 'b.txt': '1\n' });
    await one.prompt('second');
    await one.change({ 'a.txt': '2\n', 'new/c.txt': 'c\n' });
    await one.step('half way');
    const { id } = project.cli('checkpoint', '-m', 'here').json;
    project.write('b.txt', 'mine\n');
    // A turn and a call that never end belong to it, too.
    await two.prompt('open');
    for (const words of [['fork', first], ['undo'], ['rewind', id, '--on-conflict', 'skip'], ['undo'], ['redo']]) {
      assert.ok([0, 1].includes(project.cli(...words).exitCode ?? 9), words.join(' '));
      const { store } = await WrappedAgent.in(project, 'one');
      assert.deepEqual(standing(store), standing(one.store), words.join(' '));
      store.dispose();
    }
    assert.equal(one.store.timeline.seq, recordsIn(project.storeDirectory).length);
  });

  it('names that try to leave their place name nothing outside of it', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const evil = '../../../escaped';
    const agent = new PlayedAgent(project, evil);
    const around = (): unknown => [readdirSync(dirname(project.folder)).sort(), readdirSync(dirname(dirname(project.folder))).sort(), project.tree(project.home)];
    const before = around();
    agent.send('SessionStart', { transcript_path: `${evil}/x.jsonl`, agent_id: evil });
    const turn = agent.turn(evil, [['a.txt', '1\n']]);
    const { id, session } = project.turns()[0];
    assert.deepEqual([id, /^s-[a-z0-9]{16}$/.test(session)], [turn, true]);
    for (const words of [['show', evil], ['rewind', evil], ['switch', '/etc'], ['fork', '..'], ['undo', evil]]) assert.equal(project.cli(...words).exitCode, 4, words.join(' '));
    assert.equal(project.cli('rewind', turn).exitCode, 0);
    assert.deepEqual(around(), before);
  });

  it('an operation whose name was made to leave its place is refused, and finished by nobody', () => {
    const project = new Project({ 'a.txt': '0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', '1\n']]);
    const cut = project.cli('rewind', turn).json.id;
    project.write('a.txt', '1\n');
    // As if it had been cut short by a crash, under a name that is no name.
    rewriteJournal(project.storeDirectory, record => {
      if (record.operation !== cut) return record;
      return record.type === 'restore.done' ? { type: 'never written' } : { ...record, operation: '/../../escaped/o', owner: { ...record.owner, pid: 2 ** 22 + 1 } };
    });
    project.write('../escaped/keep.txt', 'keep\n');
    const around = project.tree(dirname(project.folder));
    const { exitCode, json } = project.cli('undo');
    assert.deepEqual([exitCode, json.error.code], [5, 'damaged']);
    assert.deepEqual(project.tree(dirname(project.folder)), around);
  });

  it('stores each content once, whatever it is and however many files hold it', async () => {
    const five = ['small\n', '', Buffer.from([0, 255, 0]), randomBytes(10_240), 'large\n'.repeat(2000)];
    const names = Array.from({ length: 10 }, (_, index) => `files/${index} 点.bin`);
    const project = new Project(Object.fromEntries(names.map((name, index) => [name, five[index % 5] ?? null])));
    const before = project.tree();
    const [one, two] = [await WrappedAgent.in(project), await WrappedAgent.in(project, 'two')];
    const first = await one.turn('all of them', Object.fromEntries(names.map((name, index) => [name, `${index % 5}`])));
    // Other sessions and other turns bring the same contents, in other files.
    await two.turn('others', Object.fromEntries(names.map((name, index) => [`copies/${name}`, five[(index + 1) % 5] ?? null])));
    await one.turn('again', Object.fromEntries(names.map((name, index) => [name, five[(index + 2) % 5] ?? null])));
    assert.equal(project.cli('rewind', first).exitCode, 0);
    const { copies: _, ...now } = Object.fromEntries(Object.entries(project.tree()).map(([path, state]) => [path.startsWith('copies') ? 'copies' : path, state]));
    assert.deepEqual(now, before);
    const stored = storedContents(project.storeDirectory);
    assert.equal(new Set(stored).size, stored.length);
    // Nothing is there to store of an empty one.
    for (const content of five) assert.equal(stored.filter(hash => hash === hashOf(content ?? '')).length, content === '' ? 0 : 1);
  });

  // What two places hold is worked out from the fold here; `reconstruct` of generations is tested where it is.
  it('many looks at once tell each its own place, and one that fails takes nothing from the others', async () => {
    const project = new Project({ 'a.txt': '0\n' });
    const agent = await WrappedAgent.in(project);
    const turns: string[] = [];
    for (let turn = 1; turn <= 5; turn += 1) turns.push(await agent.turn(`turn ${turn}`, { 'a.txt': `${turn}\n`.repeat(turn * 100) }));
    const before = project.tree(project.storage);
    const [first, , third, , fifth] = turns as [string, string, string, string, string];
    const places = [[first, third], [third, fifth], [fifth, first]] as const;
    const looks = places.map(([from, to]) => project.start(['diff', from, to]));
    const failing = [project.start(['diff', first, third, '--path', 'none.txt']), project.start(['show', 't-none'])];
    const counts = (await Promise.all(looks)).map(({ exitCode, json }) => [exitCode, json.files[0].added, json.files[0].removed]);
    // A place is before its turn: the third turn's holds what the second left.
    assert.deepEqual(counts, [[0, 200, 1], [0, 400, 200], [0, 1, 400]]);
    assert.deepEqual((await Promise.all(failing)).map(({ exitCode }) => exitCode), [4, 4]);
    assert.deepEqual(project.tree(project.storage), before);
    assert.equal(project.cli('rewind', third).exitCode, 0);
  });

  it('a content that can\'t be read any more fails where it is needed, and only there', async () => {
    const project = new Project({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' });
    const agent = await WrappedAgent.in(project);
    const turns = [await agent.turn('a', { 'a.txt': 'a1\n' }), await agent.turn('b', { 'b.txt': 'b1\n' })] as const;
    const pack = join(project.storeDirectory, 'blobs', readdirSync(join(project.storeDirectory, 'blobs')).find(name => name.endsWith('.pack')) ?? '');
    const bytes = readFileSync(pack);
    bytes.write('A0\n', bytes.indexOf('a0\n'));
    writeFileSync(pack, bytes);
    const [spoilt, sound] = await Promise.all(turns.map(turn => project.start(['rewind', turn])));
    assert.deepEqual([project.text('a.txt'), project.text('b.txt')], ['a1\n', 'b0\n']);
    const item = spoilt?.json.plan.find(({ path }: { path: string }) => path === 'a.txt');
    assert.deepEqual([spoilt?.exitCode, item.action, item.reason, sound?.exitCode], [1, 'unavailable', 'its content is not in the store any more', 0]);
    assert.deepEqual(Object.keys(project.tree(project.storeDirectory)).filter(name => /^(lock|restore)|tmp$/.test(name)), []);
  });
});
