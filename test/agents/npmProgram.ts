import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { cached } from '../support/cacheDirectory.ts';
import { runCommand } from '../support/command.ts';

export interface NpmProgram {
  readonly package: string;
  readonly version: string;
  readonly binary: string;
}

export type Availability =
  | { readonly available: true; readonly command: string }
  | { readonly available: false; readonly reason: string };

/**
 * Installs one exact version of a program by npm, outside the clone, so that it is fetched once per
 * machine and is never a dependency of the extension.
 */
export async function ensureNpmProgram(program: NpmProgram): Promise<Availability> {
  const name = `${program.package.replace(/[^\w.-]+/g, '-').replace(/^-/, '')}-${program.version}`;
  try {
    const directory = await cached(name, (target) => install(program, target));
    const command = join(directory, 'node_modules', '.bin', program.binary);
    // Asking for the version proves that the program for this platform is really there.
    const answer = await runCommand(command, ['--version']);
    if (answer.includes(program.version)) return { available: true, command };
    return { available: false, reason: `${program.binary} says that it is ${answer.trim()}` };
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function install(program: NpmProgram, target: string): Promise<void> {
  await writeFile(join(target, 'package.json'), '{ "private": true }\n');
  const settings = ['--prefix', target, '--no-audit', '--no-fund', '--loglevel=error'];
  // npm must run under this Node: an older one on the PATH may be too old for the program's installer.
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  await runCommand('npm', ['install', ...settings, `${program.package}@${program.version}`], {
    cwd: target,
    environment: { ...process.env, PATH: path },
    shell: process.platform === 'win32',
  });
}
