import type { Recording } from './recordings.ts';
import { startFiles, type Files } from './scratch.ts';

/** What a turn of a recording is to be shown as. */
export interface RecordedTurn {
  readonly prompt: string;
  readonly state: 'open' | 'closed' | 'interrupted';
  readonly files: readonly string[];
}

const before: Files = { 'old.txt': 'alpha\nbeta\ngamma\n', 'crlf.txt': 'a\r\nb\r\nc\r\n', 'gone.txt': 'to be deleted\n', 'sub/s.txt': 's\n' };
const patched = { 'old.txt': 'alpha\nBETA\ngamma\n', 'sub/moved.txt': 'was moved\n', 'shell.txt': 'z\n', 'p1.txt': 'p1\n', 'p2.txt': 'p2\n' };
const direct = {
  before: startFiles,
  after: { ...patched, 'half.txt': 'half\n', 'viashell.txt': 'v\n' },
  turns: [
    {
      prompt: 'first prompt',
      state: 'closed',
      files: ['added half.txt', 'added p1.txt', 'added p2.txt', 'added shell.txt', 'added sub/moved.txt', 'added viashell.txt', 'deleted gone.txt', 'deleted mv.txt', 'modified old.txt'],
    },
  ],
} as const;

export const codexRecordings: readonly (Recording & { readonly turns: readonly RecordedTurn[] })[] = [
  { file: 'codex/direct-tools.jsonl', ...direct },
  { file: 'codex/workspace-write-sandbox.jsonl', ...direct },
  {
    file: 'codex/code-mode.jsonl',
    before: startFiles,
    after: { ...patched, 'new.txt': 'one\n' },
    turns: [
      {
        prompt: 'first prompt',
        state: 'closed',
        files: ['added new.txt', 'added p1.txt', 'added p2.txt', 'added shell.txt', 'added sub/moved.txt', 'deleted gone.txt', 'deleted mv.txt', 'modified old.txt'],
      },
    ],
  },
  // A patch of several files, one of which fits nowhere; patches through the shell in other folders; a command that goes on and is never told to have ended.
  {
    file: 'codex/resumed-workdir.jsonl',
    before,
    after: { 'old.txt': 'alpha\nBETA\ngamma\n', 'crlf.txt': 'a\r\nB\r\nc\r\n', 'sub/s.txt': 'S\n', 'sub/in.txt': 'in\n', 'sub/wd.txt': 'wd\n', 'started.txt': 's\n', 'ended.txt': 'e\n', 'two.txt': 'two\n' },
    turns: [
      { prompt: 'first prompt', state: 'closed', files: ['added sub/in.txt', 'added sub/wd.txt', 'deleted gone.txt', 'modified crlf.txt', 'modified old.txt', 'modified sub/s.txt'] },
      { prompt: 'second prompt', state: 'closed', files: ['added ended.txt', 'added started.txt', 'added two.txt'] },
    ],
  },
  {
    file: 'codex/running-on.jsonl',
    before,
    after: { ...before, 'started.txt': 's\n', 'mid.txt': 'mid\n', 'ended.txt': 'e\n' },
    turns: [{ prompt: 'first prompt', state: 'closed', files: ['added ended.txt', 'added mid.txt', 'added started.txt'] }],
  },
  {
    file: 'codex/sub-agent.jsonl',
    before,
    after: { ...before, 'sub.txt': 'by the sub-agent\n', 'kid.txt': 'kid\n', 'main.txt': 'main\n' },
    turns: [{ prompt: 'first prompt', state: 'closed', files: ['added kid.txt', 'added main.txt', 'added sub.txt'] }],
  },
  { file: 'codex/exec-sigint.jsonl', before: startFiles, after: { ...startFiles, 'started.txt': 's\n' }, turns: [{ prompt: 'P', state: 'interrupted', files: ['added started.txt'] }] },
  // Its command lives on; in its middle an earlier session's end comes from a daemon, and another session has a prompt and no call.
  {
    file: 'codex/tui-esc-interrupt.jsonl',
    before: {},
    after: { 'started.txt': 's\n', 'ended.txt': 'e\n' },
    turns: [
      { prompt: 'run it', state: 'interrupted', files: ['added started.txt'] },
      { prompt: 'P', state: 'interrupted', files: [] },
    ],
  },
];
