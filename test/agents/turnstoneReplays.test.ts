// The recorded sessions through Turnstone's command line: what the real program once did, without the program.
import { deepEqual, equal } from 'node:assert/strict';
import type { ClaudeEvent } from './recordedEvents.ts';
import { claudeCodeRecordings } from './recordings.ts';
import { replayPayloads } from './replay.ts';
import { makeScratch, treeOf } from './scratch.ts';
import { buildCli, turnstoneFor } from './turnstoneCli.ts';

interface ExpectedTurn {
  readonly prompt: string;
  readonly state: 'open' | 'closed' | 'interrupted';
  /** What exact tools changed; a file that was overwritten with what it held is no change. */
  readonly files: Readonly<Record<string, 'added' | 'modified'>>;
}

const expected: Readonly<Record<string, readonly ExpectedTurn[]>> = {
  'all-tools': [
    {
      prompt: 'first prompt',
      state: 'closed',
      files: {
        'nb.ipynb': 'added',
        'new.txt': 'added',
        'old.txt': 'modified',
        'p1.txt': 'added',
        'sub.txt': 'added',
      },
    },
  ],
  'concurrent-subagents-background': [
    { prompt: 'first prompt', state: 'closed', files: { 's1.txt': 'added', 's2.txt': 'added' } },
  ],
  'sigint-headless': [{ prompt: 'the prompt', state: 'interrupted', files: { 'before.txt': 'added' } }],
  'sigint-while-streaming': [{ prompt: 'the prompt', state: 'interrupted', files: { 'before.txt': 'added' } }],
  sigkill: [{ prompt: 'the prompt', state: 'open', files: { 'before.txt': 'added' } }],
  'tui-esc-interrupt': [
    { prompt: 'typed prompt one', state: 'closed', files: {} },
    { prompt: 'typed prompt two', state: 'interrupted', files: {} },
    { prompt: 'typed prompt three', state: 'closed', files: {} },
  ],
  'two-turns': [
    { prompt: 'first prompt', state: 'closed', files: { 'new.txt': 'added', 'old.txt': 'modified' } },
    { prompt: 'second prompt', state: 'closed', files: { 'deep/er/third.txt': 'added', 'new.txt': 'modified' } },
  ],
  'denied-write': [{ prompt: 'first prompt', state: 'closed', files: { 'new.txt': 'added' } }],
  'background-subagent': [
    { prompt: 'first prompt', state: 'closed', files: { 'later.txt': 'added', 'sub.txt': 'added' } },
  ],
};

/** What only shell commands of the recordings touched; whether that is tracked is another test's matter. */
const byShell = new Set(
  ['d/q.txt', 'gone.txt', 'half.txt', 'late.txt', 'moved.txt', 'mv.txt', 'p3.txt', 'shared.txt', 'shell.txt', 'started.txt'],
);

/** Here a shell command appended to a file that a sub-agent wrote, which may count as work that is not the agent's. */
const sharedWithShell = new Set(['all-tools']);

describe('Turnstone records recorded sessions of Claude Code', function () {
  this.timeout(120_000);
  before(buildCli);

  for (const recording of claudeCodeRecordings) {
    const name = recording.file.replace(/^.*\/|\.jsonl$/g, '');
    it(name, async () => {
      const place = makeScratch(recording.before);
      const turnstone = turnstoneFor(place);
      equal(turnstone.run('hooks', 'install', 'claude-code').exitCode, 0);
      const before = exactOnly(treeOf(place.project));
      const onEvent = (event: ClaudeEvent): void => {
        const { exitCode, output } = turnstone.hook(event);
        deepEqual({ exitCode, output }, { exitCode: 0, output: '' });
      };
      await replayPayloads(recording.file, place, onEvent, { effects: true });
      const after = exactOnly(treeOf(place.project));

      const turns = turnstone.turns();
      const listed = turns.map(({ prompt, state, files }) => {
        const statuses = Object.fromEntries(files.map(({ path, status }) => [path, status]));
        return { prompt, state, files: exactOnly(statuses) };
      });
      deepEqual(listed, expected[name]);
      if (listed.every(({ files }) => Object.keys(files).length === 0)) return;

      const choice = sharedWithShell.has(name) ? ['--on-conflict', 'overwrite'] : [];
      const rewound = turnstone.run('rewind', turns[0]?.id ?? '', ...choice);
      equal(rewound.exitCode, 0, rewound.output);
      deepEqual(exactOnly(treeOf(place.project)), before);
      const undone = turnstone.run('undo');
      equal(undone.exitCode, 0, undone.output);
      deepEqual(exactOnly(treeOf(place.project)), after);
    });
  }
});

function exactOnly<Value>(byPath: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(byPath).filter(([path]) => !byShell.has(path)));
}
