// kill -9 on a real process that restores, on a real disk, at moments that nobody chose. (captureKill.test.ts does the
// same to processes that capture.)
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { Recorder } from '../../src/core/capture/recorder.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { testOptions } from '../support/testOptions.ts';
import { SeededRandom } from '../twins/random.ts';
import { buildCliOnce, cliBundle } from '../unit/cases/builtCli.ts';
import { Project } from '../unit/cases/project.ts';

const kills = 20;
const names = Array.from({ length: 24 }, (_, index) => `${index % 3 === 0 ? 'folder/' : ''}${index}.txt`);

/** One turn that changes, creates and deletes files. */
async function recordTurn(project: Project): Promise<void> {
  const roots = new Roots(nodeFiles, systemClock, project.storage);
  const recorder = new Recorder(nodeFiles, roots.open(await roots.add(project.folder)));
  await recorder.openTurn({ session: 's-1', turn: 't-1', prompt: 'change everything' });
  const paths = [...names, 'made/one.txt'].map(name => project.path(name));
  await recorder.run({ session: 's-1', turn: 't-1', call: 'c-1', tool: 'Write', paths }, async () => {
    for (const [index, name] of names.entries()) project.write(name, index % 5 === 0 ? null : `after ${name}\n`.repeat(1 + index));
    project.write('made/one.txt', 'made\n');
  });
  await recorder.closeTurn('s-1', 't-1');
}

async function killed(project: Project, parameters: readonly string[], after: number): Promise<boolean> {
  const child = spawn(process.execPath, [cliBundle, '--store', project.storage, ...parameters], { cwd: project.folder, stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: project.home } });
  const ended = once(child, 'exit');
  await Promise.race([pause(after), ended]);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  return signal === 'SIGKILL';
}

describe('kill -9 in the middle of restores', function () {
  this.timeout(120_000);
  before(buildCliOnce);

  it('leaves every file as it was or as it was to be, and the next restore finishes', async () => {
    const { seed } = testOptions();
    console.log(`      seed ${seed} (--seed)`);
    const random = new SeededRandom(seed);
    const project = new Project(Object.fromEntries(names.map(name => [name, `before ${name}\n`]))).install();
    const before = project.tree();
    await recordTurn(project);
    const after = project.tree();

    const started = performance.now();
    assert.equal(project.cli('rewind', 't-1').exitCode, 0);
    const duration = performance.now() - started;
    assert.equal(project.cli('undo').exitCode, 0);

    const check = (where: string): void => {
      for (const [path, now] of Object.entries(project.tree())) {
        if (path.endsWith('.tmp')) continue;
        assert.ok([before[path], after[path]].includes(now), `${where}: ${path} is neither as before nor as after`);
      }
    };
    const leftovers = (): readonly string[] => [...Object.keys(project.tree()), ...readdirSync(project.storeDirectory)].filter(name => /\.tmp$|^(lock|restore)/.test(name));

    let hits = 0;
    for (let kill = 0; hits < kills && kill < 3 * kills; kill += 1) {
      if (await killed(project, ['rewind', 't-1'], duration * (0.3 + 0.7 * random.next()))) hits += 1;
      check(`rewind, kill ${kill}`);
      const finished = project.cli('rewind', 't-1');
      assert.equal(finished.exitCode, 0, finished.output);
      assert.deepEqual(project.tree(), before, `rewind finished after kill ${kill}`);
      // What the killed run did and what the second one did are two restores, or one where the first was finished.
      for (let steps = 0; steps < 2 && JSON.stringify(project.tree()) !== JSON.stringify(after); steps += 1) assert.equal(project.cli('undo').exitCode, 0);
      assert.deepEqual(project.tree(), after, `undone after kill ${kill}`);
      // A run that found everything done writes nothing, so the lock of one that died just after its last record goes with the next that does.
      assert.deepEqual(leftovers(), [], `kill ${kill}`);
    }
    assert.equal(hits, kills);
    assert.equal(project.cli('log').exitCode, 0);
  });
});
