import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchDirectory } from '../../support/scratch.ts';
import { cliBundle } from './builtCli.ts';

export interface Answer {
  readonly exitCode: number | null;
  /** The one document on standard output; undefined where there is none. */
  readonly json: any;
  readonly output: string;
}

export interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly directory?: string;
  readonly user?: number;
  readonly input?: string;
}

/** What a file holds in a test: text, bytes, or null for a file that is to go. */
export type Content = string | Uint8Array | null;

let places: string | undefined;
let count = 0;

/** As the shim sets it: compiled code is kept, which saves a third of every start. */
function baseEnvironment(home: string): NodeJS.ProcessEnv {
  // What can't be told in a store waits in the folder for temporary files: never in the machine's own.
  return { PATH: process.env['PATH'], HOME: home, TMPDIR: join(home, 'tmp'), NODE_COMPILE_CACHE: join(places as string, 'cache') };
}

/** A folder with a history of its own, driven through the built command line only. */
export class Project {
  readonly folder: string;
  readonly home: string;
  readonly storage: string;

  constructor(contents: Readonly<Record<string, Content>> = {}, where?: { readonly storage: string; readonly folder: string }) {
    places ??= scratchDirectory('cases');
    count += 1;
    const place = join(places, String(count));
    this.folder = where?.folder ?? join(place, 'project');
    this.home = join(place, 'home');
    this.storage = where?.storage ?? join(place, 'store');
    mkdirSync(this.folder, { recursive: true });
    mkdirSync(this.home, { recursive: true });
    for (const [path, content] of Object.entries(contents)) this.write(path, content);
  }

  /** As installing the hooks does it: the folder becomes known. */
  install(): this {
    const { exitCode, output } = this.run(['hooks', 'install', 'claude-code']);
    if (exitCode !== 0) throw new Error(output);
    return this;
  }

  path(path: string): string {
    return join(this.folder, path);
  }

  write(path: string, content: Content, mode?: number): void {
    const absolute = this.path(path);
    if (content === null) return rmSync(absolute);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
    if (mode !== undefined) chmodSync(absolute, mode);
  }

  text(path: string): string | undefined {
    return existsSync(this.path(path)) ? readFileSync(this.path(path), 'utf8') : undefined;
  }

  mode(path: string): number {
    return lstatSync(this.path(path)).mode & 0o7777;
  }

  /** Every path below the project (or another folder), with kind, mode and hash. */
  tree(top: string = this.folder): Readonly<Record<string, string>> {
    const tree: Record<string, string> = {};
    if (!existsSync(top)) return tree;
    for (const name of readdirSync(top, { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(top, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      tree[name] = stat.isDirectory() ? `folder ${mode}` : stat.isSymbolicLink() ? `link ${readlinkSync(path)}` : `file ${mode} ${hashOf(readFileSync(path))}`;
    }
    return tree;
  }

  /** Runs a command with `--json`. */
  cli(...parameters: string[]): Answer {
    return this.run(['--json', ...parameters]);
  }

  run(parameters: readonly string[], { environment = {}, directory = this.folder, user, input = '' }: RunOptions = {}): Answer {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cliBundle, '--store', this.storage, ...parameters], {
      cwd: directory,
      env: { ...baseEnvironment(this.home), ...environment },
      encoding: 'utf8',
      input,
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    return { exitCode: status, json: parsed(stdout), output: `${stdout}${stderr}` };
  }

  /** Begins a command with `--json`, and does not wait for it. */
  start(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Answer> {
    const child = spawn(process.execPath, [cliBundle, '--store', this.storage, '--json', ...parameters], { cwd: this.folder, env: { ...baseEnvironment(this.home), ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    const pieces: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', piece => pieces[name].push(piece));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', exitCode => {
        const [stdout, stderr] = [Buffer.concat(pieces.stdout).toString('utf8'), Buffer.concat(pieces.stderr).toString('utf8')];
        resolve({ exitCode, json: parsed(stdout), output: `${stdout}${stderr}` });
      });
    });
  }

  /** One event as an installed hook hands it on; it must never be noticed by the agent. */
  hook(event: string, payload: unknown, options: RunOptions = {}): void {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cliBundle, 'hook', 'claude-code', event], {
      cwd: this.folder,
      env: { ...baseEnvironment(this.home), TURNSTONE_STORE: this.storage, ...options.environment },
      encoding: 'utf8',
      input: typeof payload === 'string' ? payload : JSON.stringify(payload),
      ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
    });
    if (status !== 0 || stdout !== '' || stderr !== '') throw new Error(`The hook was noticed: exit ${status}, ${stdout}${stderr}`);
  }

  /** The turns of the log, oldest first. */
  turns(...parameters: string[]): readonly any[] {
    const { json, output } = this.cli('log', ...parameters);
    if (json?.turns === undefined) throw new Error(`No log: ${output}`);
    return json.turns.toReversed();
  }

  /** Where this project's history is. */
  get storeDirectory(): string {
    const roots = join(this.storage, 'roots');
    const [only, ...more] = readdirSync(roots);
    if (only === undefined || more.length > 0) throw new Error('not exactly one root');
    return join(roots, only);
  }
}

export function hashOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Makes a folder and all that is in it another user's. Only the superuser can. */
export function giveTo(user: number, folder: string): void {
  const { status, stderr } = spawnSync('chown', ['-R', `${user}:${user}`, folder], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  // A scratch directory is its owner's only.
  for (let at = dirname(folder); at.includes('turnstone-cases'); at = dirname(at)) chmodSync(at, 0o755);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
