import { nodeFiles } from '../core/base/files.ts';
import { Pause } from '../core/capture/pause.ts';
import { knownRoot, rootsOf } from './context.ts';
import type { Options } from './options.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLine } from './plainText.ts';

function paused(root: string | null, isPaused: boolean, text: string, exitCode: number = exitCodes.done): Output {
  return { json: { root, paused: isPaused }, text: plainLine(text), exitCode };
}

/** `pause` and `resume`: a folder that is known, or with `--all` every folder, also those that become known later. */
export function runPause(options: Options, directory: string): Output {
  const roots = rootsOf(options);
  const pause = new Pause(nodeFiles, roots.storage);
  if (options.all) {
    if (options.command === 'pause') {
      pause.begin();
      return paused(null, true, 'Recording is paused in all folders. Agents work on, and nothing of it is recorded. Go on with: turnstone resume --all');
    }
    pause.endAll(roots.list());
    return paused(null, false, 'All known folders are recorded again.');
  }
  const root = knownRoot(options, directory);
  if (options.command === 'pause') {
    pause.begin(root);
    return paused(root.path, true, `Recording is paused in ${root.path}. Agents work on, and nothing of it is recorded. Go on with: turnstone resume`);
  }
  pause.end(root);
  if (pause.isEverywhere) return paused(root.path, true, `Recording is paused in all folders, so it is in ${root.path}. Go on with: turnstone resume --all`, exitCodes.leftovers);
  return paused(root.path, false, `${root.path} is recorded again.`);
}
