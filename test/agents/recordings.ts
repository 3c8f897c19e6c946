import { backgroundSubagent } from './delegationScenarios.ts';
import { denied, twoTurns } from './editScenarios.ts';
import { startFiles } from './scratch.ts';
import type { Files } from './scratch.ts';

/** A recorded session: the files it began with, and those it left behind besides the unchanged ones. */
export interface Recording {
  readonly file: string;
  readonly before: Files;
  readonly after: Files;
}

const notebook = `{
 "cells": [
  {
   "cell_type": "code",
   "id": "c1",
   "metadata": {},
   "source": "print(2)",
   "outputs": [],
   "execution_count": null
  }
 ],
 "metadata": {
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}`;

const interrupted: Files = { ...startFiles, 'before.txt': '1\n' };
const resumed: Files = { ...startFiles, 'a.txt': '1\n', 'b.txt': 'hi\n', 'tui.txt': '1\n', 'tui2.txt': '1\n' };

export const claudeCodeRecordings: readonly Recording[] = [
  {
    file: 'claude-code/all-tools.jsonl',
    before: startFiles,
    after: {
      'd/q.txt': 'q\n',
      'half.txt': 'half\n',
      'moved.txt': 'to be moved\n',
      'nb.ipynb': notebook,
      'new.txt': 'one\ntwo\n',
      'old.txt': 'parallel2\n',
      'p1.txt': 'p1\n',
      'p3.txt': 'b\n',
      'shell.txt': 'z\n',
      'sub.txt': 'by the subagent\ns\n',
    },
  },
  {
    file: 'claude-code/concurrent-subagents-background.jsonl',
    before: startFiles,
    after: { ...startFiles, 'late.txt': 'late\n', 's1.txt': '1\n', 's2.txt': '2\n', 'shared.txt': 'two\none\n' },
  },
  {
    file: 'claude-code/sigint-headless.jsonl',
    before: startFiles,
    after: { ...interrupted, 'started.txt': 'start\n' },
  },
  { file: 'claude-code/sigint-while-streaming.jsonl', before: startFiles, after: interrupted },
  { file: 'claude-code/sigkill.jsonl', before: startFiles, after: { ...interrupted, 'started.txt': 'start\n' } },
  {
    file: 'claude-code/tui-esc-interrupt.jsonl',
    before: { ...resumed, 'started.txt': 's\n' },
    after: { ...resumed, 'started.txt': 's\n' },
  },
  { file: 'claude-code/two-turns.jsonl', before: twoTurns.before, after: twoTurns.after },
  { file: 'claude-code/denied-write.jsonl', before: denied.before, after: denied.after },
  { file: 'claude-code/background-subagent.jsonl', before: backgroundSubagent.before, after: backgroundSubagent.after },
];
