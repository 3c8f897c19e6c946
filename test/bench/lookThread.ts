// node test/bench/lookThread.ts [files]     how long a look in the thread keeps the extension host waiting, beside the same look in the host; 50000 files unless told
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { looksAtRoot } from '../../src/core/capture/rootLooks.ts';
import type { Looking } from '../../src/core/capture/treeLooks.ts';
import { Recorder } from '../../src/core/capture/recorder.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import { LookThread } from '../../src/editor/lookThread.ts';
import { repositoryRoot } from '../support/paths.ts';
import { scratchDirectory } from '../support/scratch.ts';

const count = Number(process.argv[2] ?? 50_000);
const scratch = scratchDirectory('look-thread');
const [project, storage] = [join(scratch, 'project'), join(scratch, 'store')];
for (let index = 0; index < count; index += 1) {
  const folder = join(project, `package${index % 50}`, `part${Math.floor(index / 50) % 100}`);
  if (index < 5000) mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `file${index}.ts`), `export const value${index} = ${index};\n`);
}
spawnSync('npm', ['run', '--silent', 'build:extension'], { cwd: repositoryRoot, stdio: 'inherit' });
const roots = new Roots(nodeFiles, systemClock, storage);
const root = await roots.add(project);
const store = roots.open(root);
const thread = new LookThread(join(repositoryRoot, 'dist', 'looker.js'), storage);
const inHost = looksAtRoot(nodeFiles, systemClock, store, [], async () => {
  store.refresh();
  return store.timeline;
});

/** One command around a changed file; how long the event loop was kept waiting meanwhile, in milliseconds. */
async function measure(title: string, looks: Looking): Promise<void> {
  const recorder = new Recorder(nodeFiles, store, undefined, async () => looks);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const blocked = createHistogram();
  let last = performance.now();
  const beat = setInterval(() => {
    const now = performance.now();
    blocked.record(Math.max(1, Math.round((now - last - 1) * 1000)));
    last = now;
  }, 1);
  delay.enable();
  const started = performance.now();
  for (let round = 0; round < 5; round += 1) {
    const call = { session: 's-bench', turn: 'current', call: `c-${title}-${round}`, tool: 'Bash' };
    await recorder.begin({ ...call, paths: undefined });
    writeFileSync(join(project, 'package0', 'part0', 'file0.ts'), `${title} ${round}\n`);
    await recorder.end({ ...call, outcome: 'done', paths: [], mayChangeAnything: true });
  }
  const took = performance.now() - started;
  await new Promise(resolve => setTimeout(resolve, 20));
  delay.disable();
  clearInterval(beat);
  const ms = (microseconds: number): string => (microseconds / 1000).toFixed(1);
  console.log(`${title}: 10 looks in ${Math.round(took)} ms; the host waited ms: median ${ms(blocked.percentile(50))}, 99% ${ms(blocked.percentile(99))}, at most ${ms(blocked.max)}`);
}

// The first looks take all contents in, and are limited in time.
for (let complete = 0; complete < 2; complete += 1) await measure('first', thread.at(root.key)).then(() => undefined);
await measure('thread', thread.at(root.key));
await measure('host', inHost);
thread.dispose();
