import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Only for `.cmd` files, which Windows cannot start without one. */
  readonly shell?: boolean;
}

/** Runs a program to its end and returns its standard output; a failure carries everything the program printed. */
export function runCommand(program: string, parameters: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd: options.cwd,
      env: options.environment ?? process.env,
      shell: options.shell ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let everything = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      everything += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (everything += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ${parameters.join(' ')} ended with ${signal ?? code}:\n${everything.trim()}`));
    });
  });
}

export function runNpm(parameters: readonly string[], cwd: string): Promise<string> {
  return runCommand('npm', parameters, { cwd, shell: process.platform === 'win32' });
}
