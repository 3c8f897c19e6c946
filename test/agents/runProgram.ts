import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import type { Scratch } from './scratch.ts';

export interface ProgramResult {
  readonly exitCode: number | null;
  /** Everything it printed. */
  readonly output: string;
}

/** Nothing of this machine's settings, keys or sessions reaches the program under test. */
export function programEnvironment({ home }: Pick<Scratch, 'home'>, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ...more,
  };
}

/** Runs an agent program in a scratch project to its end. */
export function runProgram(command: string, parameters: readonly string[], place: Scratch, environment: Readonly<Record<string, string>> = {}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { cwd: place.project, env: programEnvironment(place, environment), stdio: ['ignore', 'pipe', 'pipe'] });
    const printed: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output: Buffer.concat(printed).toString('utf8') }));
  });
}
