import type { Scenario } from './scenario.ts';
import { edit, read, say, write } from './scriptedSteps.ts';

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
