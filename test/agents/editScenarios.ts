import type { Scenario } from './scenario.ts';
import { startFiles } from './scratch.ts';
import { edit, read, say, shell, write } from './scriptedSteps.ts';

export const edits: Scenario = {
  name: 'write, edit, failed edit, overwrite',
  before: startFiles,
  prompts: [{ text: 'first prompt', exact: { 'new.txt': 'added', 'old.txt': 'modified' } }],
  script: {
    turns: [
      [write('new.txt', 'one\ntwo\n')],
      [read('old.txt')],
      [edit('old.txt', 'beta', 'BETA')],
      [edit('old.txt', 'no such text', 'x')],
      [write('old.txt', 'overwritten\n')],
      [say('All done.')],
    ],
  },
  after: { ...startFiles, 'new.txt': 'one\ntwo\n', 'old.txt': 'overwritten\n' },
};

export const twoTurns: Scenario = {
  name: 'two turns in one session',
  before: startFiles,
  prompts: [
    { text: 'first prompt', exact: { 'new.txt': 'added', 'old.txt': 'modified' } },
    { text: 'second prompt', exact: { 'new.txt': 'modified', 'deep/er/third.txt': 'added' } },
  ],
  script: {
    turns: [
      [write('new.txt', 'one\ntwo\n')],
      [read('old.txt')],
      [edit('old.txt', 'beta', 'BETA')],
      [say('First done.')],
      [read('new.txt')],
      [edit('new.txt', 'two', 'TWO'), write('deep/er/third.txt', 'no newline at the end')],
      [say('Second done.')],
    ],
  },
  after: {
    ...startFiles,
    'old.txt': 'alpha\nBETA\ngamma\n',
    'new.txt': 'one\nTWO\n',
    'deep/er/third.txt': 'no newline at the end',
  },
};

export const denied: Scenario = {
  name: 'a write that nobody allowed',
  before: startFiles,
  // Inside the project edits are accepted even so.
  allowedTools: ['Read'],
  prompts: [{ text: 'first prompt', exact: { 'new.txt': 'added' } }],
  script: {
    turns: [
      [{ tool: 'Write', input: { file_path: '${PROJECT}-outside.txt', content: 'x\n' } }],
      [write('new.txt', 'allowed\n')],
      [say('All done.')],
    ],
  },
  after: { ...startFiles, 'new.txt': 'allowed\n' },
};

export const shellWork: Scenario = {
  name: 'shell commands between exact edits',
  before: startFiles,
  prompts: [
    {
      text: 'first prompt',
      exact: { 'p1.txt': 'added', 'old.txt': 'modified' },
      shell: ['shell.txt', 'gone.txt', 'mv.txt', 'moved.txt', 'd/q.txt', 'half.txt', 'p3.txt'],
    },
  ],
  script: {
    turns: [
      [shell('echo z > shell.txt && rm -f gone.txt && mv mv.txt moved.txt && mkdir -p d && echo q > d/q.txt')],
      [shell('echo half > half.txt; exit 3')],
      [read('old.txt')],
      [
        say('Two at once.'),
        write('p1.txt', 'p1\n'),
        edit('old.txt', 'beta', 'parallel'),
        edit('old.txt', 'parallel', 'parallel2'),
        shell('echo b > p3.txt'),
      ],
      [say('All done.')],
    ],
  },
  after: {
    'old.txt': 'alpha\nparallel2\ngamma\n',
    'shell.txt': 'z\n',
    'moved.txt': 'to be moved\n',
    'd/q.txt': 'q\n',
    'half.txt': 'half\n',
    'p1.txt': 'p1\n',
    'p3.txt': 'b\n',
  },
};
