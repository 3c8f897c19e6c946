import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '../core/base/errors.ts';
import { readIfThere, removeQuietly, writeNewFile } from '../core/base/fileTools.ts';
import { timesOf, type Files } from '../core/base/files.ts';
import { randomId } from '../core/base/ids.ts';
import { canonicalPath } from '../core/snapshot/paths.ts';
import type { HookInstallation, InstalledHook } from './hookFiles.ts';
import { probeAnswer, probeFiles, probePath, probePayload } from './hookProbe.ts';
import { shimPath, shimTells } from './shim.ts';

/** Whether what an agent tells by its hooks comes to a storage. */
export type Arrival = { readonly arrives: true } | { readonly arrives: false; readonly reason: string };

export interface HookTest {
  readonly files: Files;
  readonly storage: string;
  /** Where the agent works. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** Milliseconds. */
  readonly limit?: number;
}

function no(reason: string): Arrival {
  return { arrives: false, reason };
}

/** What is wrong with the files that an event passes through on its way; undefined where nothing is to be seen. */
function brokenLink({ files, storage, platform }: HookTest, hook: InstalledHook): string | undefined {
  const canBeRun = (path: string): boolean => platform === 'win32' || ((files.stat(canonicalPath(files, path))?.mode ?? 0) & 0o111) !== 0;
  const shim = shimPath(storage, platform);
  if (canonicalPath(files, hook.shim) !== canonicalPath(files, shim)) return `They run ${hook.shim}, which is another installation's: its events don't come to ${storage}.`;
  if (hook.script !== undefined && !canBeRun(hook.script)) return `${hook.script} is not executable.`;
  if (files.stat(shim) === undefined) return `The command that they run is missing: ${shim}.`;
  if (!canBeRun(shim)) return `The command that they run is not executable: ${shim}.`;
  const told = shimTells(files, shim, platform);
  if (told === undefined) return undefined;
  if (told.storage !== storage && canonicalPath(files, told.storage) !== canonicalPath(files, storage)) return `The command that they run tells everything to ${told.storage}, not to ${storage}.`;
  const gone = [told.executable, told.bundle].find(path => files.stat(path) === undefined);
  if (gone !== undefined) return `What the command runs is gone: ${gone}.`;
  return canBeRun(told.executable) ? undefined : `What the command runs is not executable: ${told.executable}.`;
}

/** Runs a hook as its agent does. Returns what was to be noticed of it, which is to be nothing. */
function run({ directory, environment, limit = 15_000 }: HookTest, { program, parameters }: InstalledHook, input: string): Promise<string | undefined> {
  const { TURNSTONE_STORE: _, ...agentEnvironment } = environment;
  return new Promise(resolve => {
    const child = spawn(program, parameters, { cwd: directory, env: agentEnvironment, stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limit);
    const end = (outcome: string | undefined): void => {
      clearTimeout(timer);
      // What it has left running may hold these for ever.
      child.stderr.destroy();
      resolve(outcome);
    };
    child.stderr.on('data', piece => (said = `${said}${String(piece)}`.slice(0, 300)));
    child.stdin.on('error', () => undefined);
    child.once('error', error => end(`It could not be run: ${messageOf(error)}.`));
    child.once('exit', (code, signal) => {
      if (isLate) end(`It had not ended after ${limit / 1000} seconds.`);
      else if (code !== 0) end(`It ended with ${signal ?? code}${said === '' ? '' : `: ${said.trim()}`}.`);
      else end(undefined);
    });
    child.stdin.end(input);
  });
}

/** What a test that was killed has left behind; younger ones may be somebody's just now. */
function removeLeftovers(files: Files, storage: string, now: number): void {
  for (const name of files.readDirectory(storage)) {
    if (!name.startsWith(probeFiles)) continue;
    const path = join(storage, name);
    if ((timesOf(files.stat(path)?.stamp ?? '')?.changed ?? now) < now - 10 * 60_000) removeQuietly(files, path);
  }
}

async function ask(test: HookTest, agent: string, hook: InstalledHook): Promise<Arrival> {
  const { files, storage } = test;
  const name = randomId('call');
  const path = probePath(storage, name);
  try {
    removeLeftovers(files, storage, Date.now());
    writeNewFile(files, path, new Uint8Array(0), 0o600);
    const problem = await run(test, hook, probePayload(name));
    if (Buffer.from(readIfThere(files, path) ?? []).toString('utf8') === probeAnswer(agent, hook.told)) return problem === undefined ? { arrives: true } : no(`An event arrives, but its hook fails. ${problem}`);
    return no(`A test event was told by the hook for ${hook.event}, and did not arrive in ${storage}. ${problem ?? 'Its command ended as if all were well.'}`);
  } catch (error) {
    return no(`It could not be tried: ${messageOf(error)}`);
  } finally {
    removeQuietly(files, path);
  }
}

/**
 * Proves that events of an agent arrive: runs one of its installed hooks as the agent would, with an event that is answered and not recorded. Where none
 * arrives it says why. Nothing stays of it.
 */
export async function testHooks(test: HookTest, installation: HookInstallation, settings: string, isIdle: boolean): Promise<Arrival> {
  const hook = installation.installedHook(test.files, settings, test.platform);
  if (hook === undefined) return no(`There are no hooks of Turnstone in ${settings}, or they were changed.`);
  const broken = brokenLink(test, hook);
  if (broken !== undefined) return no(broken);
  if (isIdle) return no('No folder is recorded, so hooks do nothing.');
  const arrival = await ask(test, installation.agent, hook);
  const installed = installation.installedEvents(test.files, settings);
  const missing = installation.events.filter(event => !installed.includes(event));
  return arrival.arrives && missing.length > 0 ? no(`Hooks for ${missing.join(', ')} are missing in ${settings}, or were changed.`) : arrival;
}
