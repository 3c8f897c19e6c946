import { nodeFiles } from '../core/base/files.ts';
import { randomId } from '../core/base/ids.ts';
import { readCaptureSettings } from '../core/capture/captureSettings.ts';
import { Recorder } from '../core/capture/recorder.ts';
import { folderOf, openStore, rootsOf } from './context.ts';
import type { Options } from './options.ts';
import { exitCodes, type Output } from './output.ts';
import { plainLines } from './plainText.ts';

/** `checkpoint`: a point to come back to. A folder that nothing was recorded in yet becomes a known one. */
export async function makeCheckpoint(options: Options, directory: string): Promise<Output> {
  const folder = folderOf(options, directory);
  const store = openStore(options, await rootsOf(options).add(folder));
  const id = randomId('checkpoint');
  await new Recorder(nodeFiles, store, readCaptureSettings(nodeFiles, store.directory).maxFileSize).addCheckpoint(id, options.message);
  store.refresh();
  const point = store.timeline.points.get(id);
  const files = [...store.timeline.paths.values()].filter(({ kind }) => kind !== 'absent').length;
  const count = files === 1 ? '1 recorded file' : `${files} recorded files`;
  return { json: { id, seq: point?.seq ?? null, label: options.message ?? null, files }, text: plainLines([`Checkpoint ${id}: ${count}. Go back to it with: turnstone rewind ${id}`]), exitCode: exitCodes.done };
}
