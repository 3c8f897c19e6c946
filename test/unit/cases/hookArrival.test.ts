import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probePayload } from '../../../src/agents/hookProbe.ts';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

interface Status {
  readonly exitCode: number | null;
  readonly arrives: boolean;
  readonly reason: string | null;
}

function statusOf(project: Project, agent: string): Status {
  const { exitCode, json, output } = project.cli('hooks', 'status', agent);
  assert.equal(typeof json?.arrives, 'boolean', output);
  assert.deepEqual(readdirSync(project.storage).filter(name => name.startsWith('probe')), []);
  return { exitCode, arrives: json.arrives, reason: json.reason };
}

function mustFail(project: Project, agent: string, why: RegExp): void {
  const { exitCode, arrives, reason } = statusOf(project, agent);
  assert.deepEqual([exitCode, arrives], [5, false], `${agent} ${reason}`);
  assert.match(reason ?? '', why);
}

/** All of the storage but the runtime's compiled code. */
function storageOf(project: Project): unknown {
  return Object.entries(project.tree(project.storage)).filter(([name]) => !name.startsWith(join('bin', 'cache')));
}

const settings = { 'claude-code': '.claude/settings.json', codex: '.codex/hooks.json', opencode: '.config/opencode/plugin/turnstone.js', cline: 'Documents/Cline/Hooks/TaskStart' } as const;

describe('the status of hooks', function () {
  this.timeout(60_000);
  before(function () {
    if (process.platform === 'win32') this.skip();
    return buildCliOnce();
  });

  for (const [agent, path] of Object.entries(settings)) {
    it(`proves for ${agent} that an event arrives, leaves no trace, and says why none does`, () => {
      const project = new Project({ 'a.txt': 'a' });
      assert.deepEqual([project.cli('hooks', 'status', agent).json.arrives, existsSync(project.storage)], [false, false]);
      assert.equal(project.run(['hooks', 'install', agent]).exitCode, 0);
      const before = storageOf(project);
      assert.deepEqual(statusOf(project, agent), { exitCode: 0, arrives: true, reason: null });
      assert.deepEqual([storageOf(project), project.turns('--all')], [before, []]);

      const shim = join(project.storage, 'bin', 'turnstone');
      const text = readFileSync(shim, 'utf8');
      const withShim = (changed: string, why: RegExp): void => {
        writeFileSync(shim, changed);
        mustFail(project, agent, why);
        writeFileSync(shim, text);
      };
      renameSync(shim, `${shim}.away`);
      mustFail(project, agent, /is missing: /);
      renameSync(`${shim}.away`, shim);
      chmodSync(shim, 0o600);
      mustFail(project, agent, /not executable: /);
      chmodSync(shim, 0o700);
      withShim(text.replace(/runtime='[^']*'/, "runtime='/nowhere/node'"), /^What the command runs is gone: \/nowhere\/node\.$/);
      withShim(text.replace(/bundle='[^']*'/, "bundle='/nowhere/cli.js'"), /^What the command runs is gone: \/nowhere\/cli\.js\.$/);
      withShim(text.replace(/TURNSTONE_STORE='[^']*'/, `TURNSTONE_STORE='${project.home}'`), /tells everything to .*home, not to /);
      withShim('#!/bin/sh\nexit 0\n', /did not arrive in .*ended as if all were well/);
      withShim('#!/bin/sh\necho oh no >&2\nexit 7\n', /ended with 7: oh no/);
      assert.deepEqual(statusOf(project, agent), { exitCode: 0, arrives: true, reason: null });

      const file = join(project.home, path);
      const installed = readFileSync(file, 'utf8');
      writeFileSync(file, installed.replaceAll('turnstone', 'turnstile'));
      const changed = project.cli('hooks', 'status', agent);
      assert.deepEqual([changed.json.arrives, changed.json.installed], [false, false]);
      assert.match(changed.json.reason, /were changed/);
      writeFileSync(file, installed);
      assert.equal(statusOf(project, agent).arrives, true);
    });
  }

  it('tells hooks of another installation from its own', () => {
    const project = new Project().install();
    const other = new Project({}, { storage: join(project.home, 'other'), folder: project.folder });
    const { exitCode, json } = other.run(['hooks', 'status', 'claude-code', '--json'], { environment: { HOME: project.home } });
    assert.deepEqual([exitCode, json.arrives], [5, false]);
    assert.match(json.reason, /another installation's: its events don't come to .*other/);
    assert.equal(existsSync(other.storage), false);
  });

  it('says that a script of Cline\'s is not executable', () => {
    const project = new Project();
    assert.equal(project.run(['hooks', 'install', 'cline']).exitCode, 0);
    chmodSync(join(project.home, settings.cline), 0o644);
    mustFail(project, 'cline', /TaskStart is not executable/);
  });

  it('is not all well where only some hooks are there, though these arrive', () => {
    const project = new Project();
    assert.equal(project.run(['hooks', 'install', 'cline']).exitCode, 0);
    rmSync(join(project.home, 'Documents/Cline/Hooks/PostToolUse'));
    mustFail(project, 'cline', /Hooks for PostToolUse are missing/);
  });

  it('a probe that nobody asked for makes no file, and is no event', () => {
    const project = new Project({ 'a.txt': 'a' }).install();
    const agent = new PlayedAgent(project);
    agent.turn('edit', [['a.txt', 'b']]);
    const before = [storageOf(project), project.turns().length];
    for (const name of ['c-0123456789abcdef', 'roots-json']) project.hook('PreToolUse', probePayload(name));
    assert.deepEqual([storageOf(project), project.turns().length], before);
    // What is like one, and is none, is an event that could not be read.
    project.hook('PreToolUse', probePayload('../roots.json'));
    assert.deepEqual(readdirSync(join(project.storage, 'logs')).filter(name => name.startsWith('unread-')).length, 1);
  });
});
