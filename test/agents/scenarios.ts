import type { ModelScript } from './modelScript.ts';
import { startFiles } from './scratch.ts';
import type { Files } from './scratch.ts';

/** How a turn is cut off, and what must have happened before. */
export interface Interruption {
  readonly signal: 'SIGINT' | 'SIGKILL';
  /** A project file that a running shell command writes, or the main-lane turn where the model hangs. */
  readonly once: { readonly file: string } | { readonly reached: number };
}

export interface ScenarioPrompt {
  readonly text: string;
  readonly interruption?: Interruption;
  /** What exact tools (Write, Edit, NotebookEdit) did to each path in this turn. */
  readonly exact: Readonly<Record<string, 'added' | 'modified'>>;
  /** What shell commands created, changed or deleted in this turn, exact edits of the same path included. */
  readonly shell?: readonly string[];
}

/** One session with the real program, and what it must leave behind. */
export interface Scenario {
  readonly name: string;
  readonly before: Files;
  readonly prompts: readonly ScenarioPrompt[];
  readonly script: ModelScript;
  /** Every file that is there after the last prompt. */
  readonly after: Files;
}

const write = (path: string, content: string) => ({
  tool: 'Write',
  input: { file_path: `\${PROJECT}/${path}`, content },
});
const edit = (path: string, old_string: string, new_string: string) => ({
  tool: 'Edit',
  input: { file_path: `\${PROJECT}/${path}`, old_string, new_string },
});
const read = (path: string) => ({ tool: 'Read', input: { file_path: `\${PROJECT}/${path}` } });
const shell = (command: string) => ({ tool: 'Bash', input: { command, description: 'scripted command' } });
const delegate = (prompt: string) => ({
  tool: 'Agent',
  input: { description: prompt.toLowerCase(), subagent_type: 'general-purpose', prompt, run_in_background: false },
});
const say = (text: string) => ({ text });

/**
 * Runs until the test releases it, so that it can be interrupted while it surely runs; it gives up
 * by itself when its project is gone, because a shell outlives a killed agent.
 */
const blockedShell = shell(
  'echo start > started.txt; while [ -e started.txt ] && [ ! -e release.txt ]; do sleep 0.05; done; echo end > ended.txt',
);

const notebookBefore =
  '{"cells":[{"cell_type":"code","id":"c1","metadata":{},"source":["1"],"outputs":[],"execution_count":null}],' +
  '"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}';
const notebookAfter = `${JSON.stringify(
  {
    cells: [{ cell_type: 'code', id: 'c1', metadata: {}, source: 'print(2)', outputs: [], execution_count: null }],
    metadata: { language_info: { name: 'python' } },
    nbformat: 4,
    nbformat_minor: 5,
  },
  null,
  1,
)}`;

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

export const bytes: Scenario = {
  name: 'line ends, byte order mark, notebook',
  before: { 'windows.txt': 'eins\r\nzwei\r\n', 'mark.txt': '\uFEFFerste\nzweite\n', 'nb.ipynb': notebookBefore },
  prompts: [
    { text: 'first prompt', exact: { 'umlaut.txt': 'added' } },
    {
      text: 'second prompt',
      exact: { 'windows.txt': 'modified', 'mark.txt': 'modified', 'nb.ipynb': 'modified' },
    },
  ],
  script: {
    turns: [
      [write('umlaut.txt', 'Grüße, 世界 🪨\n')],
      [say('First done.')],
      [read('windows.txt'), read('mark.txt'), read('nb.ipynb')],
      [edit('windows.txt', 'zwei', 'ZWEI')],
      [edit('mark.txt', 'zweite', 'ZWEITE')],
      [
        {
          tool: 'NotebookEdit',
          input: { notebook_path: '${PROJECT}/nb.ipynb', cell_id: 'c1', new_source: 'print(2)' },
        },
      ],
      [say('Second done.')],
    ],
  },
  after: {
    'umlaut.txt': 'Grüße, 世界 🪨\n',
    'windows.txt': 'eins\r\nZWEI\r\n',
    'mark.txt': '\uFEFFerste\nZWEITE\n',
    'nb.ipynb': notebookAfter,
  },
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

export const claudeCodeScenarios: readonly Scenario[] = [
  edits,
  twoTurns,
  bytes,
  shellWork,
  subagent,
  parallelSubagents,
  interruptedShell,
  interruptedStream,
  killed,
];
