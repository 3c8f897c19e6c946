import type { Scenario } from './scenario.ts';
import { startFiles } from './scratch.ts';
import { edit, read, say, shell, write } from './scriptedSteps.ts';

/**
 * Runs until the test releases it, so that it can be interrupted while it surely runs; it gives up
 * by itself when its project is gone, because a shell outlives a killed agent.
 */
const blockedShell = shell(
  'echo start > started.txt; while [ -e started.txt ] && [ ! -e release.txt ]; do sleep 0.05; done; echo end > ended.txt',
);

export const interruptedShell: Scenario = {
  name: 'interrupted while a shell command runs',
  before: startFiles,
  prompts: [
    {
      text: 'first prompt',
      interruption: { signal: 'SIGINT', once: { file: 'started.txt' } },
      exact: { 'before.txt': 'added' },
      shell: ['started.txt'],
    },
    { text: 'second prompt', exact: { 'next.txt': 'added', 'before.txt': 'modified' } },
  ],
  script: {
    turns: [
      [write('before.txt', '1\n')],
      [blockedShell],
      [write('next.txt', 'next\n'), read('before.txt')],
      [edit('before.txt', '1', '2')],
      [say('Second done.')],
    ],
  },
  after: { ...startFiles, 'before.txt': '2\n', 'started.txt': 'start\n', 'next.txt': 'next\n' },
};

export const interruptedStream: Scenario = {
  name: 'interrupted while the model speaks',
  before: startFiles,
  prompts: [
    {
      text: 'first prompt',
      interruption: { signal: 'SIGINT', once: { reached: 1 } },
      exact: { 'before.txt': 'added' },
    },
  ],
  script: { turns: [[write('before.txt', '1\n')], [say('I think that'), { hang: true }]] },
  after: { ...startFiles, 'before.txt': '1\n' },
};

export const killed: Scenario = {
  name: 'killed while a shell command runs',
  before: startFiles,
  prompts: [
    {
      text: 'first prompt',
      interruption: { signal: 'SIGKILL', once: { file: 'started.txt' } },
      exact: { 'before.txt': 'added' },
      shell: ['started.txt'],
    },
  ],
  script: { turns: [[write('before.txt', '1\n')], [blockedShell]] },
  after: { ...startFiles, 'before.txt': '1\n', 'started.txt': 'start\n' },
};
