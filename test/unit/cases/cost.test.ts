import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/base/clock.ts';
import { nodeFiles } from '../../../src/core/base/files.ts';
import { Roots } from '../../../src/core/timeline/roots.ts';
import { buildCliOnce, cliBundle } from './builtCli.ts';
import { faultIn } from './faultIn.ts';
import type { Fault } from './faultyProcess.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, hashOf } from './project.ts';
import { storedContents } from './storedContents.ts';
import { WrappedAgent } from './wrappedAgent.ts';

const gigabyte = 1024 ** 3;
const size = 10 * 1024;

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(name => statSync(join(directory, name))).filter(stat => stat.isFile()).reduce((sum, stat) => sum + stat.size, 0);
}

/** Names that only a process that died could have left, below a folder. */
function leftovers(project: Project, folder: string): readonly string[] {
  return Object.keys(project.tree(folder)).filter(name => /\.tmp$|(^|[\\/])(lock|restore)(\.|$)/.test(name));
}

/** Two gigabytes that nobody records, as holes, and a folder of dependencies. */
function bigProject(): Project {
  const project = new Project(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`node_modules/package-${index}/index.js`, `module.exports = ${index};\n`])));
  for (const name of ['data.bin', 'more.bin']) {
    closeSync(openSync(project.path(name), 'w'));
    truncateSync(project.path(name), gigabyte);
  }
  for (let session = 0; session < 5; session += 1) project.write(`src/${session}.bin`, randomBytes(size));
  return project;
}

describe('Z1: five sessions of forty turns beside two gigabytes of other files', function () {
  this.timeout(120_000);
  before(buildCliOnce);

  it('cost what they changed and no more, each content once, also when processes are killed while they write; and nothing of those is left', async () => {
    const project = bigProject();
    const agents = await Promise.all(Array.from({ length: 5 }, (_, session) => WrappedAgent.in(project, `session ${session}`)));
    // Half of the contents are new in every session, the others are the same in all of them.
    const shared = Array.from({ length: 20 }, () => randomBytes(size));
    const contents = new Map<string, Uint8Array>();
    const dies = killer(project);
    for (let turn = 0; turn < 40; turn += 1) {
      for (const [session, agent] of agents.entries()) {
        const content = turn % 2 === 0 ? (shared[turn / 2] as Buffer) : randomBytes(size);
        contents.set(hashOf(content), content);
        await agent.turn(`turn ${turn}`, { [`src/${session}.bin`]: content });
      }
      if (turn % 8 === 4) dies(turn >> 3);
    }
    const store = project.storeDirectory;
    // Else it would be no proof that they are cleared away.
    assert.ok(leftovers(project, store).length > 0 && leftovers(project, project.path('src')).length > 0, 'killed processes leave something');
    // A start, as the editor does it, and a restore, as the command line does.
    const roots = new Roots(nodeFiles, systemClock, project.storage);
    const root = roots.at(project.folder);
    assert.ok(root !== undefined);
    roots.open(root).tidy();
    assert.deepEqual(leftovers(project, store).filter(name => name !== 'restore'), []);
    const last = project.turns()[199].id;
    assert.equal(project.cli('rewind', last).exitCode, 0);
    assert.deepEqual([leftovers(project, store), leftovers(project, project.path('src'))], [[], []]);
    assert.equal(project.cli('undo').exitCode, 0);

    assert.ok(sizeOf(store) < 10_000_000, `${sizeOf(store)} bytes`);
    const stored = storedContents(store);
    assert.equal(new Set(stored).size, stored.length);
    for (const hash of contents.keys()) assert.ok(stored.includes(hash));
    // What nobody touched costs nothing: contents, five states of before, prompts, and records.
    const changed = contents.size * size + 5 * size;
    assert.ok(sizeOf(join(store, 'blobs')) < changed * 1.02 + 100_000, `${sizeOf(join(store, 'blobs'))} bytes for ${changed}`);
    assert.ok(sizeOf(join(store, 'journal')) < 200 * 4000, `${sizeOf(join(store, 'journal'))} bytes`);
  });
});

/** Five processes, each of which is killed in the middle of another kind of write. */
function killer(project: Project): (which: number) => void {
  const agent = new PlayedAgent(project, 'killed');
  const die = (parameters: readonly string[], fault: Omit<Fault, 'then'>, input = ''): void => {
    const { signal, stderr } = spawnSync(process.execPath, [cliBundle, ...parameters], {
      cwd: project.folder,
      env: { PATH: process.env['PATH'], HOME: project.home, TURNSTONE_STORE: project.storage, ...faultIn({ ...fault, then: 'die' }) },
      encoding: 'utf8',
      input,
    });
    assert.equal(signal, 'SIGKILL', stderr);
  };
  const hook = (fault: Omit<Fault, 'then'>): void => {
    const tool = agent.tool('src/killed.bin', randomBytes(size));
    project.write('src/killed.bin', randomBytes(size));
    die(['hook', 'claude-code', 'PreToolUse'], fault, JSON.stringify(agent.payload('PreToolUse', tool)));
  };
  const kills = [
    // Its lock, a content, what says where that is, and a record.
    () => hook({ call: 'writeSync', nth: 1 }),
    () => hook({ call: 'writeSync', nth: 2 }),
    () => hook({ call: 'writeSync', nth: 3 }),
    () => hook({ call: 'writeSync', nth: 4 }),
    // A file of the workspace that is just taking its place.
    () => die(['rewind', project.turns().findLast(({ files }) => files.length > 0).id], { call: 'renameSync', nth: 1 }),
  ];
  return which => kills[which]?.();
}
