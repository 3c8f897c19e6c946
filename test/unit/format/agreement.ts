import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/paths.ts';
import { scratchDirectory } from '../../support/scratch.ts';
import { cliBundle } from '../cases/builtCli.ts';
import { Project, type RunOptions } from '../cases/project.ts';

const reader = join(repositoryRoot, 'test', 'format', 'reader.py');

const scratch = scratchDirectory('reader');

/** Takes zstd out of Node.js, as versions before 22.15 are: contents are deflated then, which every Python can read. */
const withoutZstd = join(scratch, 'withoutZstd.cjs');
writeFileSync(withoutZstd, 'const zlib = require("node:zlib"); for (const name of Object.keys(zlib)) if (/zstd/i.test(name)) delete zlib[name];');
const noZstd = { NODE_OPTIONS: `--require ${JSON.stringify(withoutZstd)}` };

/** A project whose history a Python without zstd can read. */
export class ReadableProject extends Project {
  override run(parameters: readonly string[], options: RunOptions = {}): ReturnType<Project['run']> {
    return super.run(parameters, { ...options, environment: { ...noZstd, ...options.environment } });
  }

  override hook(event: string, payload: unknown, options: RunOptions = {}): void {
    super.hook(event, payload, { ...options, environment: { ...noZstd, ...options.environment } });
  }
}

interface Told {
  readonly exitCode: number | null;
  readonly json: any;
  readonly errors: string;
}

/** What was compared so far; the suite says it at its end. */
export const compared = { histories: 0, documents: 0, turns: 0, files: 0 };

/** Whether this machine's Python reads zstd. Without Python there is no test, and that is a failure. */
export function pythonReadsZstd(): boolean {
  const { error, status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9), sys.version_info >= (3, 14))'], { encoding: 'utf8' });
  if (error !== undefined || status !== 0 || !stdout.startsWith('True')) {
    throw new Error('python3 (3.9 or newer) is needed for this test: test/format/reader.py reads the history with it. Install it, or put it on the path.');
  }
  return stdout.trim().endsWith('True');
}

async function told(program: string, parameters: readonly string[], project: Project): Promise<Told> {
  const child = spawn(program, parameters, { cwd: project.folder, env: { PATH: process.env['PATH'], HOME: project.home, NODE_COMPILE_CACHE: join(scratch, 'cache'), PYTHONDONTWRITEBYTECODE: '1' } });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exitCode = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { exitCode, json: output === '' ? undefined : JSON.parse(output), errors };
}

/** The reader is given the project's folder of the store: the one whose `root.json` has its path. */
export function readWithPython(project: Project, ...parameters: string[]): Promise<Told> {
  const roots = join(project.storage, 'roots');
  const key = readdirSync(roots).find(name => JSON.parse(readFileSync(join(roots, name, 'root.json'), 'utf8')).path === project.folder);
  return told('python3', [reader, join(roots, key ?? 'none'), ...parameters], project);
}

interface Expected {
  readonly exitCode?: number;
  /** At least so many of them. */
  readonly turns?: number;
  readonly modes?: readonly ('log' | 'log --all')[];
}

/** The reader and the command line say the same of a history, with the same exit code; returns what the reader said last. */
export async function agree(project: Project, { exitCode = 0, turns = 1, modes = ['log', 'log --all'] }: Expected = {}): Promise<Told> {
  const both = await Promise.all(modes.map(mode => {
    const command = [cliBundle, '--store', project.storage, '--root', project.folder, '--json', ...mode.split(' ')];
    return Promise.all([told(process.execPath, command, project), readWithPython(project, ...mode.split(' ').slice(1))]);
  }));
  for (const [index, [ours, theirs]] of both.entries()) {
    // Why a history is not whole each says in its own words: the reader on standard error, the command line beside what it shows.
    const { error, ...shown } = ours.json;
    assert.equal(error?.code, exitCode === 5 ? 'damaged' : undefined, modes[index]);
    if (exitCode === 5) assert.notEqual(theirs.errors, '', modes[index]);
    assert.deepEqual(theirs.json, shown, `${modes[index]}: the reader (actual) and the command line (expected) differ. ${theirs.errors}`);
    assert.deepEqual([ours.exitCode, theirs.exitCode], [exitCode, exitCode], `${modes[index]}: ${ours.errors}${theirs.errors}`);
  }
  const [, last] = both.at(-1) as readonly [Told, Told];
  assert.ok(last.json.turns.length >= turns, `only ${last.json.turns.length} turns`);
  compared.histories += 1;
  compared.documents += both.length;
  compared.turns += last.json.turns.length;
  compared.files += last.json.turns.flatMap((turn: { files: readonly unknown[] }) => turn.files).length;
  return last;
}
