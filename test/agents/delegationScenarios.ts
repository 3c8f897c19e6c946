import type { Scenario } from './scenario.ts';
import { startFiles } from './scratch.ts';
import { delegate, edit, read, say, shell, write } from './scriptedSteps.ts';

export const subagent: Scenario = {
  name: 'a sub-agent edits',
  before: startFiles,
  prompts: [
    { text: 'first prompt', exact: { 'main.txt': 'added' } },
    { text: 'second prompt', exact: { 'sub.txt': 'added', 'old.txt': 'modified' } },
  ],
  script: {
    turns: [
      [write('main.txt', 'by the main agent\n')],
      [say('First done.')],
      [delegate('SUBAGENT-MARK write a file')],
      [say('Second done.')],
    ],
    lanes: [
      {
        when: 'SUBAGENT-MARK',
        turns: [
          [write('sub.txt', 'by the subagent\n')],
          [read('old.txt')],
          [edit('old.txt', 'gamma', 'GAMMA')],
          [say('subagent finished')],
        ],
      },
    ],
  },
  after: {
    ...startFiles,
    'main.txt': 'by the main agent\n',
    'sub.txt': 'by the subagent\n',
    'old.txt': 'alpha\nbeta\nGAMMA\n',
  },
};

export const parallelSubagents: Scenario = {
  name: 'two sub-agents at once',
  before: startFiles,
  prompts: [{ text: 'first prompt', exact: { 's1.txt': 'added', 's2.txt': 'added' } }],
  script: {
    turns: [[delegate('SUB-ONE write'), delegate('SUB-TWO write')], [say('All done.')]],
    lanes: [
      { when: 'SUB-ONE', turns: [[write('s1.txt', '1\n')], [say('one finished')]] },
      { when: 'SUB-TWO', turns: [[write('s2.txt', '2\n')], [say('two finished')]] },
    ],
  },
  after: { ...startFiles, 's1.txt': '1\n', 's2.txt': '2\n' },
};

export const backgroundShell: Scenario = {
  name: 'a background command finishes within the turn',
  before: startFiles,
  prompts: [{ text: 'first prompt', exact: { 'go.txt': 'added' }, background: ['late.txt'] }],
  script: {
    turns: [
      [
        {
          tool: 'Bash',
          input: {
            command: 'while [ -e old.txt ] && [ ! -e go.txt ]; do sleep 0.05; done; echo late > late.txt',
            description: 'waits for go.txt',
            run_in_background: true,
          },
        },
      ],
      [write('go.txt', 'go\n')],
      [shell('while [ -e old.txt ] && [ ! -e late.txt ]; do sleep 0.05; done')],
      [say('All done.')],
    ],
  },
  after: { ...startFiles, 'go.txt': 'go\n', 'late.txt': 'late\n' },
};

export const backgroundSubagent: Scenario = {
  name: 'a background sub-agent outlives its turn',
  before: startFiles,
  prompts: [{ text: 'first prompt', exact: { 'sub.txt': 'added', 'later.txt': 'added' } }],
  script: {
    turns: [
      [delegate('SUB-LATE write', true)],
      [say('It is on its way.')],
      [write('later.txt', 'after the notification\n')],
      [say('All done.')],
    ],
    // Two harmless calls lie between the main agent's last word and the write, so that it has surely stopped by then.
    lanes: [
      {
        when: 'SUB-LATE',
        turns: [
          [{ afterTurn: 1 }, read('old.txt')],
          [read('mv.txt')],
          [write('sub.txt', 'late\n')],
          [say('finished')],
        ],
      },
    ],
  },
  after: { ...startFiles, 'sub.txt': 'late\n', 'later.txt': 'after the notification\n' },
};
