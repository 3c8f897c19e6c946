import { execFile } from 'node:child_process';
import { shimPath } from '../agents/shim.ts';
import { messageOf } from '../core/base/errors.ts';
import type { Places } from './places.ts';

const limit = 15_000;

/** Runs the command that hooks run, in a way that records nothing. Returns why it can't be run; undefined when it can. */
export function testShim({ storage, platform }: Places): Promise<string | undefined> {
  const shim = shimPath(storage, platform);
  return new Promise(resolve => {
    // A batch file can't be started without a shell.
    execFile(platform === 'win32' ? `"${shim}"` : shim, ['--help'], { timeout: limit, shell: platform === 'win32' }, (error, output) => {
      if (error !== null) resolve(messageOf(error));
      else resolve(output.startsWith('turnstone') ? undefined : output.slice(0, 200) || 'it said nothing');
    });
  });
}
