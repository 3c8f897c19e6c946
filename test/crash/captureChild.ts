// A process that captures, for captureKill.test.ts: turns and calls without end, and each commit that returned is told
// on standard output at once, with the number of its last record.
//
//   node test/crash/captureChild.ts STORAGE FOLDER LIFE SEGMENT_LIMIT [TURNS] [DIES_AFTER]
import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles, type Files, type OpenFile } from '../../src/core/base/files.ts';
import { Recorder } from '../../src/core/capture/recorder.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { RootStore } from '../../src/core/timeline/store.ts';

const [storage = '', folder = '', life = '', segmentLimit = '', turns = '', diesAfter = ''] = process.argv.slice(2);

/** Dies by its own hand, as suddenly as by anybody else's, after a step of making a new segment. */
function dying(files: Files): Files {
  const die = (step: string): void => void (step === diesAfter && process.kill(process.pid, 'SIGKILL'));
  const isNew = (path: string): boolean => /\d{6}\.log$/.test(path) && !path.endsWith('000001.log') && files.stat(path) === undefined;
  const spied = (file: OpenFile): OpenFile => ({
    write: (bytes, position) => {
      file.write(bytes.subarray(0, bytes.length / 2), position);
      die('half of the write');
      file.write(bytes.subarray(bytes.length / 2), position + Math.floor(bytes.length / 2));
      die('write');
    },
    syncData: () => {
      file.syncData();
      die('syncData');
    },
    truncate: size => file.truncate(size),
    setMode: mode => file.setMode(mode),
    size: () => file.size(),
    sync: () => file.sync(),
    close: () => file.close(),
  });
  return {
    ...files,
    open(path, flag, mode) {
      const made = isNew(path);
      const file = files.open(path, flag, mode);
      if (!made) return file;
      die('create');
      return spied(file);
    },
  };
}

const files = diesAfter === '' ? nodeFiles : dying(nodeFiles);
const roots = new Roots(files, systemClock, storage);
const root = await roots.add(folder);
const store = new RootStore(files, systemClock, roots.directoryOf(root), roots.identityOf(root), Number(segmentLimit));
const commit = store.commit.bind(store);
store.commit = async (contents, records, mustFollow) => {
  const written = await commit(contents, records, mustFollow);
  store.refresh();
  if (written) writeSync(1, `${JSON.stringify({ seq: store.timeline.seq, records })}\n`);
  return written;
};
const recorder = new Recorder(files, store);

for (let turn = 1; turns === '' || turn <= Number(turns); turn += 1) {
  const id = `t-${life}-${turn}`;
  await recorder.openTurn({ session: 's-1', turn: id, prompt: `turn ${turn} of life ${life}` });
  for (let call = 1; call <= 3; call += 1) {
    // Contents of a few bytes and of many, so that frames of every kind are being written when the end comes.
    const texts = [`${id} ${call}\n`, `${id} ${call}\n`.repeat(1 + ((turn * 977) % 5000))];
    const paths = texts.map((_, index) => join(folder, index === 0 ? 'small.txt' : `folder/${turn % 4}.txt`));
    await recorder.run({ session: 's-1', turn: id, call: `c-${id}-${call}`, tool: 'Write', paths }, async () => {
      for (const [index, path] of paths.entries()) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, texts[index] as string);
      }
    });
  }
  await recorder.closeTurn('s-1', id);
}
