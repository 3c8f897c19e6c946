import assert from 'node:assert/strict';
import { recordEvent } from '../../../../src/agents/recordEvent.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { history } from '../../../../src/core/capture/history.ts';
import { Recorders } from '../../../../src/core/capture/recorders.ts';
import { Policy, policyPath } from '../../../../src/core/timeline/policy.ts';
import { RootRegistry } from '../../../../src/core/timeline/rootRegistry.ts';
import { Roots } from '../../../../src/core/timeline/roots.ts';
import { faultyFiles } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';
import { neighbour, project, storage, World } from '../../../twins/world.ts';
import { ApiGround } from '../../api/ground.ts';
import { ToolGround } from '../../tools/ground.ts';

const path = policyPath();

function policy(text: string): Policy {
  const files = new MemoryFiles();
  files.put(path, text);
  return Policy.read(files);
}

function forbid(world: World, forbidden: unknown): void {
  world.memory.put(path, JSON.stringify({ format: 1, forbid: forbidden }));
}

describe('the policy of a machine', () => {
  it('forbids folders with all that is in them, agents and matters, and nothing else', () => {
    const some = policy(JSON.stringify({ format: 1, forbid: { folders: ['/srv/secret'], agents: ['codex'], tools: true, install: false } }));
    assert.match(some.whyNotIn('/srv/secret') ?? '', /policy\.json, does not allow recording in \/srv\/secret\.$/);
    assert.deepEqual(['/srv/secret/a/b', '/srv/secrets', '/srv', '/srv/..secret'].map(folder => some.whyNotIn(folder) !== undefined), [true, false, false, false]);
    assert.deepEqual([some.whyNotAgent('codex'), some.whyNotAgent('claude-code')].map(why => why !== undefined), [true, false]);
    assert.deepEqual((['tools', 'install', 'extensions'] as const).map(matter => some.whyNot(matter) !== undefined), [true, false, false]);
  });

  it('forbids nothing where there is none', () => {
    const none = Policy.read(new MemoryFiles());
    assert.deepEqual([none.whyNotIn('/'), none.whyNotAgent('x'), none.whyNot('install')], [undefined, undefined, undefined]);
  });

  for (const text of ['', '{', 'null', '[]', '{"format":2,"forbid":{}}', '{"format":1}', '{"format":1,"forbid":{"folder":["/srv"]}}', '{"format":1,"forbid":{"folders":"/srv"}}', '{"format":1,"forbid":{"agents":[1]}}', '{"format":1,"forbid":{"tools":"yes"}}']) {
    it(`forbids everything where it is ${JSON.stringify(text)}`, () => {
      const unclear = policy(text);
      for (const why of [unclear.whyNotIn('/anywhere'), unclear.whyNotAgent('x'), unclear.whyNot('tools')]) assert.match(why ?? '', /can't be understood/);
    });
  }

  it('forbids everything where it can\'t be read', () => {
    const files = faultyFiles(new MemoryFiles(), ({ path: read }) => (read === path ? { kind: 'error', code: 'EACCES' } : undefined));
    assert.match(Policy.read(files).whyNot('install') ?? '', /can't be understood/);
  });

  it('is obeyed by hooks: a folder that was recorded before gets no record more, and another one does', async () => {
    const world = await World.make();
    await world.addNeighbour();
    forbid(world, { folders: [project], agents: ['codex'] });
    for (const directory of [project, neighbour]) {
      const recorders = new Recorders(faultyFiles(world.memory), world.clock, new RootRegistry(world.memory, world.clock, storage), async () => history);
      for (const agent of ['claude-code', 'codex']) await recordEvent(agent, { session: 's', directory, turn: 't' } as Parameters<typeof recordEvent>[1], { kind: 'prompt', text: 'secret' } as Parameters<typeof recordEvent>[2], recorders);
    }
    const turns = [project, neighbour].map(folder => {
      const { store } = world.open(undefined, undefined, folder);
      store.refresh();
      return store.timeline.turns.size;
    });
    assert.deepEqual(turns, [0, 1]);
  });

  it('is obeyed where folders are made known, and nothing is written', async () => {
    const world = new World();
    world.memory.folder(project);
    forbid(world, { folders: ['/'] });
    await assert.rejects(new Roots(world.memory, world.clock, storage).add(project), (error: unknown) => TurnstoneError.is(error, 'readOnly') && /Nothing was changed/.test(error.message));
    assert.equal(world.memory.stat(storage), undefined);
  });

  it('is obeyed by tools and by other extensions, each for itself', async () => {
    const tools = await ToolGround.make();
    forbid(tools.world, { tools: true });
    assert.match(await tools.refused('notRecording', 'write_file', { path: 'a.txt', content: 'x' }), /policy.*does not allow tools that write/);
    const ground = await ApiGround.make();
    const turn = ground.openTurn();
    forbid(ground.world, { tools: true });
    await ground.write(turn, { 'a.txt': '1' });
    forbid(ground.world, { extensions: true });
    await assert.rejects(ground.write(turn, { 'a.txt': '2' }), /policy.*recording other extensions/);
    forbid(ground.world, { folders: [project] });
    await assert.rejects(ground.write(turn, { 'a.txt': '2' }), /policy.*recording in \/project/);
    assert.equal(ground.text('a.txt'), '1');
  });
});
