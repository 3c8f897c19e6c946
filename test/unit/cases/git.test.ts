import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { buildCliOnce, cliBundle } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];

function git(folder: string, ...parameters: string[]): void {
  const { status, stderr } = spawnSync('git', parameters, { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } });
  assert.equal(status, 0, stderr);
}

function repository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'tracked.txt'), 'tracked\n');
  git(folder, 'add', '.');
  git(folder, ...identity, 'commit', '-qm', 'start');
}

/** Everything below every `.git`, folders and pointer files. */
function gitTrees(project: Project): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(project.tree()).filter(([path]) => /(^|[\\/])\.git($|[\\/])/.test(path)));
}

describe('git repositories', function () {
  this.timeout(120_000);
  before(buildCliOnce);

  it('R1: twenty turns, five rewinds and two killed hooks leave every .git as it was, and git never complains', async () => {
    const project = new Project();
    repository(project.folder);
    repository(project.path('nested'));
    mkdirSync(project.path('.git/modules/sub'), { recursive: true });
    project.write('.git/modules/sub/HEAD', 'ref: refs/heads/main\n');
    project.write('sub/.git', 'gitdir: ../.git/modules/sub\n');
    project.install();
    const before = gitTrees(project);
    const stop = join(project.home, 'stop');
    const failures = join(project.home, 'failures');
    // Without its optional locks git only looks; with them its own looking would change the index.
    const loop = spawn('sh', ['-c', `while [ ! -e "${stop}" ]; do for d in . nested; do git --no-optional-locks -C $d status >/dev/null 2>>"${failures}" || echo failed >>"${failures}"; done; done`], {
      cwd: project.folder,
      env: { PATH: process.env['PATH'], HOME: project.home },
      stdio: 'ignore',
    });
    const ended = once(loop, 'exit');
    try {
      const agent = new PlayedAgent(project);
      // Half-written files of the tool itself would be the tool's own matter.
      agent.apply = (path, content) => {
        writeFileSync(join(project.home, 'next'), content as string);
        renameSync(join(project.home, 'next'), project.path(path));
      };
      for (let turn = 1; turn <= 20; turn += 1) {
        agent.prompt(`turn ${turn}`);
        agent.change(turn % 2 === 0 ? 'tracked.txt' : 'nested/tracked.txt', `turn ${turn}\n`);
        agent.stop();
        if (turn % 4 === 0) {
          assert.equal(project.cli('rewind', project.turns().at(-1).id).exitCode, 0);
          assert.deepEqual(gitTrees(project), before, `after turn ${turn}`);
        }
        if (turn % 10 === 0) await killHookInTheMiddle(project, agent, turn);
      }
      assert.deepEqual(gitTrees(project), before);
    } finally {
      writeFileSync(stop, '');
      await ended;
    }
    assert.equal(existsSync(failures) ? readFileSync(failures, 'utf8') : '', '');
  });

  it('R1: an edit inside .git is never recorded, and the turn says so', () => {
    const project = new Project();
    repository(project.folder);
    project.install();
    new PlayedAgent(project).turn('edit the settings', [['.git/config', '[core]\n']]);
    const [turn] = project.turns();
    assert.deepEqual([turn.files, turn.coverage.state], [[], 'partly']);
    assert.match(turn.coverage.reasons.join(), /in \.git/);
  });

  it('a checkpoint and a rewind leave staged, unstaged and mixed files of the user as they were', () => {
    const project = new Project();
    repository(project.folder);
    for (const name of ['staged.txt', 'unstaged.txt', 'mixed.txt']) project.write(name, '0\n');
    git(project.folder, 'add', '.');
    git(project.folder, ...identity, 'commit', '-qm', 'files');
    project.install();
    for (const name of ['staged.txt', 'mixed.txt']) project.write(name, 'staged\n');
    git(project.folder, 'add', 'staged.txt', 'mixed.txt');
    for (const name of ['unstaged.txt', 'mixed.txt', 'untracked.txt']) project.write(name, 'mine\n');
    const before = project.tree();
    const { id } = project.cli('checkpoint').json;
    assert.deepEqual(project.tree(), before);
    new PlayedAgent(project).turn('edit', [['tracked.txt', 'agent\n']]);
    assert.equal(project.cli('rewind', id).exitCode, 0);
    assert.deepEqual(project.tree(), before);
  });

  it('R3: variables that point git elsewhere change nothing', () => {
    const victim = new Project();
    repository(victim.folder);
    const before = victim.tree();
    const environment = { GIT_DIR: victim.path('.git'), GIT_WORK_TREE: victim.folder, GIT_INDEX_FILE: victim.path('.git/index') };
    const project = new Project({ 'a.txt': '0\n' });
    repository(project.folder);
    assert.equal(project.run(['hooks', 'install', 'claude-code'], { environment, directory: project.path('.') }).exitCode, 0);
    const agent = new PlayedAgent(project, 'session-1', { environment });
    for (const text of ['1\n', '2\n', '3\n']) agent.turn('edit', [['a.txt', text]]);
    const [first] = project.turns();
    assert.equal(project.run(['--json', 'diff', first.id], { environment }).exitCode, 0);
    assert.equal(project.run(['--json', 'rewind', first.id], { environment }).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), victim.tree()], ['0\n', before]);
  });
});

async function killHookInTheMiddle(project: Project, agent: PlayedAgent, turn: number): Promise<void> {
  const hook = spawn(process.execPath, [cliBundle, 'hook', 'claude-code', 'PreToolUse'], {
    cwd: project.folder,
    env: { PATH: process.env['PATH'], HOME: project.home, TURNSTONE_STORE: project.storage },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  hook.stdin.on('error', () => undefined);
  hook.stdin.end(JSON.stringify(agent.payload('PreToolUse', agent.tool('tracked.txt', 'never\n'))));
  const lock = join(project.storeDirectory, 'lock');
  // The moment that hurts is while it holds the lock; a hook that is faster than we look is killed after it.
  const ended = once(hook, 'exit');
  await Promise.race([until('the hook is at it', () => existsSync(lock), 300).catch(() => undefined), ended, pause(20 + turn)]);
  hook.kill('SIGKILL');
  await ended;
}
