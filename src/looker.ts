import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from './core/base/clock.ts';
import { messageOf, TurnstoneError } from './core/base/errors.ts';
import { nodeFiles } from './core/base/files.ts';
import { looksAtStore } from './core/capture/rootLooks.ts';
import { Roots } from './core/timeline/roots.ts';
import type { LookAnswer, LookRequest } from './lookMessages.ts';

/**
 * The thread that looks at all files for the extension host, which must never wait for it: it reads every folder and every changed file,
 * synchronously. It is one more process to the store, with locks of its own.
 */
const roots = new Roots(nodeFiles, systemClock, workerData as string);

async function look({ root: key, ask }: LookRequest): Promise<void> {
  const root = roots.list().find(candidate => candidate.key === key);
  if (root === undefined) throw new TurnstoneError('notFound', 'The folder is not known any more.');
  const looks = looksAtStore(nodeFiles, systemClock, roots, roots.open(root));
  switch (ask.kind) {
    case 'begin':
      return looks.begin(...ask.words);
    case 'end':
      return looks.end(...ask.words);
    case 'between':
      return looks.between();
    case 'ahead':
      return looks.ahead(...ask.words);
  }
}

async function answerTo(request: LookRequest): Promise<LookAnswer> {
  try {
    await look(request);
    return { id: request.id };
  } catch (error) {
    return { id: request.id, failure: { code: TurnstoneError.is(error) ? error.code : undefined, message: messageOf(error) } };
  }
}

parentPort?.on('message', (request: LookRequest) => void answerTo(request).then(answer => parentPort?.postMessage(answer)));
