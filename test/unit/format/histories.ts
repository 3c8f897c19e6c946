import { mkdirSync, symlinkSync } from 'node:fs';
import { PlayedAgent } from '../cases/playedAgent.ts';
import type { Content } from '../cases/project.ts';
import { ReadableProject } from './agreement.ts';

interface Played {
  readonly project: ReadableProject;
  readonly agent: PlayedAgent;
}

function begun(contents: Readonly<Record<string, Content>> = {}): Played {
  const project = new ReadableProject(contents).install();
  return { project, agent: new PlayedAgent(project) };
}

/** Three turns over three files, one created and one deleted; only the last is open still. */
function threeTurns(): Played & { readonly turns: readonly [string, string, string] } {
  const { project, agent } = begun({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b0\n' });
  const [first, second] = [
    agent.turn('turn 1', [['a.txt', '1\n2\n3\n4\n'], ['c/new.txt', 'c1\n']]),
    agent.turn('turn 2', [['a.txt', 'one\n2\n3\n4\n'], ['b.txt', null]]),
  ];
  return { project, agent, turns: [first, second, agent.turn('turn 3', [['c/new.txt', 'c3']])] };
}

function utf16(text: string): Buffer {
  return Buffer.from(`\ufeff${text}`, 'utf16le');
}

function lines(count: number, text: string): string {
  return Array.from({ length: count }, (_, index) => `${text} ${index}\n`).join('');
}

/** Histories that are played through the built command line only. */
export const histories: Readonly<Record<string, () => ReadableProject>> = {
  'turns that create, edit and delete, under names of every kind': () => {
    const { project, agent } = begun({ 'a.txt': 'a\n', 'run me.sh': '#!/bin/sh\n' });
    agent.turn('\ufeffFirst: "quotes", \\ and\nlines \u{1F600}', [['a.txt', 'a\nb'], ['a b/\u00e9 \u{1F600}.txt', 'x\r\ny\r\n'], ['\uffee', 'after the emoji in code points, before it in code units']]);
    agent.prompt('still open');
    agent.change('run me.sh', null);
    agent.change('a b/\u00e9 \u{1F600}.txt', 'x\ny\n');
    agent.change('\u{1F600}', '');
    agent.change('\uffee', 'a line\n');
    return project;
  },

  'calls that fail, are refused, are heard of late, twice, or never, and one without a prompt': () => {
    const { project, agent } = begun({ 'a.txt': 'v0\n', 'b.txt': 'b\n' });
    const early = agent.tool('early.txt', 'e\n');
    agent.send('PreToolUse', { ...early, prompt_id: undefined });
    agent.apply('early.txt', 'e\n');
    agent.send('PostToolUse', { ...early, prompt_id: undefined });
    agent.prompt('fails');
    const failed = agent.tool('a.txt', 'agent\n');
    agent.send('PreToolUse', failed);
    agent.apply('a.txt', 'v0\nmine\n');
    agent.send('PostToolUseFailure', { ...failed, error: 'no' });
    const refused = agent.tool('../outside.txt', 'x\n');
    agent.send('PreToolUse', refused);
    agent.send('PostToolBatch', { tool_calls: [{ ...refused, tool_response: 'not granted' }] });
    agent.send('PreToolUse', { tool_name: 'Bash', tool_use_id: 'bash', tool_input: { command: 'true' } });
    const [twice, late, lost] = [agent.tool('a.txt', 'twice\n'), agent.tool('b.txt', 'late\n'), agent.tool('lost.txt', 'lost\n')];
    agent.send('PreToolUse', twice);
    agent.send('PreToolUse', twice);
    agent.apply('a.txt', 'twice\n');
    agent.send('PostToolUse', twice);
    agent.apply('a.txt', 'twice\nmine\n');
    agent.send('PostToolUse', twice);
    agent.send('PreToolUse', late);
    agent.apply('b.txt', 'late\n');
    agent.stop();
    agent.apply('b.txt', 'late\nmine\n');
    agent.send('PostToolUse', late);
    agent.send('PostToolUse', agent.tool('unannounced.txt', 'x\n'));
    agent.prompt('is interrupted');
    agent.send('PreToolUse', lost);
    agent.apply('lost.txt', 'lost\n');
    agent.prompt('next');
    agent.stop();
    return project;
  },

  'the user in the agent\'s files, before, between and during its calls': () => {
    const { project, agent } = begun({ 'a.txt': 'v0\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    agent.prompt('work');
    agent.change('a.txt', 'v1\n');
    project.write('a.txt', 'v1\nmine\n');
    agent.change('a.txt', 'v2\nmine\n');
    const found = agent.tool('b.txt', 'agent\n');
    agent.send('PreToolUse', found);
    agent.apply('b.txt', 'user\'s\n');
    agent.apply('b.txt', 'agent\n');
    agent.send('PostToolUse', { ...found, tool_response: { originalFile: 'user\'s\n' } });
    const open = agent.tool('c.txt', 'agent\n');
    agent.send('PreToolUse', open);
    agent.apply('c.txt', 'neither\n');
    agent.stop();
    project.write('a.txt', null);
    agent.turn('again', [['a.txt', 'v3\n'], ['c.txt', 'c\n']]);
    return project;
  },

  'a background task whose end goes on with its turn': () => {
    const { project, agent } = begun({ 'a.txt': 'a\n' });
    agent.prompt('start it');
    const task = { tool_name: 'Agent', tool_use_id: 'toolu_task', tool_input: { description: 'd', prompt: 'p', run_in_background: true } };
    agent.send('PreToolUse', task);
    agent.send('PostToolUse', { ...task, tool_response: { isAsync: true, status: 'async_launched', agentId: 'a1' } });
    agent.stop();
    agent.prompt('<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>toolu_task</tool-use-id>\n<status>completed</status>\n</task-notification>');
    agent.change('a.txt', 'later\n');
    agent.stop();
    return project;
  },

  'two sessions, rewound one by one and both at once': () => {
    const { project, agent } = begun({ 'x.txt': 'x\n', 'y.txt': 'y\n' });
    const other = new PlayedAgent(project, 'session-2');
    const first = agent.turn('of the first', [['x.txt', 'x1\n']]);
    other.prompt('of the second');
    other.change('y.txt', 'y1\n');
    agent.turn('again', [['y.txt', 'y2\n']]);
    other.change('z.txt', 'z\n');
    project.cli('rewind', first, '--on-conflict', 'skip');
    const last = other.turn('third', [['z.txt', 'z3\n']]);
    project.cli('rewind', last, '--reach', 'workspace');
    project.cli('undo');
    project.cli('rewind', first, '--reach', 'workspace', '--on-conflict', 'overwrite');
    agent.prompt('fourth');
    return project;
  },

  'rewinds within rewinds, undone and redone': () => {
    const { project, agent, turns } = threeTurns();
    project.cli('rewind', turns[2]);
    project.cli('rewind', turns[0]);
    project.cli('undo');
    const turn = agent.turn('on another line', [['a.txt', 'other\n']]);
    project.cli('rewind', turns[1]);
    project.cli('undo');
    project.cli('redo');
    agent.turn('on a third line', []);
    project.cli('rewind', turn, '--on-conflict', 'overwrite');
    return project;
  },

  'turns and files rolled back, and conflicts skipped, merged and overwritten': () => {
    const { project, agent, turns } = threeTurns();
    project.cli('rollback', turns[1], '--path', 'b.txt');
    project.cli('rollback', turns[2]);
    project.cli('undo');
    project.write('a.txt', 'one\n2\n3\n4\nmine\n');
    project.cli('rollback', turns[1], '--on-conflict', 'merge');
    project.write('c/new.txt', 'mine\n');
    project.cli('rewind', turns[0], '--on-conflict', 'skip');
    agent.turn('on', [['c/new.txt', 'agent\n']]);
    project.write('a.txt', 'mine\n');
    project.cli('undo', '--on-conflict', 'overwrite');
    project.cli('undo');
    return project;
  },

  'branches that are forked, switched to and left again, and checkpoints': () => {
    const { project, agent, turns } = threeTurns();
    project.cli('fork', turns[1]);
    agent.turn('on the fork', [['a.txt', 'fork\n']]);
    const named = project.cli('checkpoint', '-m', 'three').json.id;
    agent.turn('more on the fork', [['d.txt', 'd\n']]);
    project.cli('rewind', named, '--reach', 'workspace');
    agent.turn('after the checkpoint', []);
    for (const _ of [1, 2]) {
      const branch = project.cli('branches').json.branches.find((one: { current: boolean }) => !one.current);
      project.cli('switch', branch.id, '--on-conflict', 'overwrite');
      agent.prompt('back there');
    }
    project.cli('undo');
    return project;
  },

  'contents of every kind: binary, large, marked, UTF-16, ISO 8859-1, many lines, modes and links': () => {
    const { project, agent } = begun({
      'binary': Buffer.from([0, 1, 2]), 'late zero': `${'a\n'.repeat(4000)}\0`, 'large': 'x\n'.repeat(131_073), 'just': 'x\n'.repeat(131_072), 'huge': Buffer.alloc(10 * 2 ** 20 + 1, 97),
      'mark': '\ufeffa\nb\n', 'broken mark': Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0, 0x0a]), 'utf16': utf16('a\nb\n'), 'latin': Buffer.from('\u00e9\nb\n', 'latin1'), 'empty': '',
      'many': 'kept\n', 'mode': 'm\n', 'target': 't\n',
    });
    symlinkSync('target', project.path('link'));
    mkdirSync(project.path('folder'));
    agent.prompt('all of them');
    const big = utf16('a\r\nb\nc').swap16();
    for (const [path, content] of [
      ['binary', 'text\n'], ['late zero', 'a\n'], ['large', 'x\n'], ['just', 'x\ny\n'], ['huge', 'small\n'], ['mark', 'a\nB\n'], ['broken mark', '\ufffd\0\nx\n'], ['utf16', big],
      ['latin', '\u00e9\nb\n'], ['empty', 'x'], ['many', `kept\n${lines(4000, 'new')}`], ['too many', lines(4001, 'new')], ['link', 't2\n'],
    ] as const) agent.change(path, content);
    const mode = agent.tool('mode', 'm\n');
    agent.send('PreToolUse', mode);
    project.write('mode', 'm\n', 0o755);
    agent.send('PostToolUse', mode);
    agent.send('PreToolUse', agent.tool('folder', 'x\n'));
    return project;
  },

  'a turn over two recorded folders': () => {
    const { project, agent } = begun({ 'a.txt': 'a\n' });
    const inner = new ReadableProject({ 'b.txt': 'b\n' }, { storage: project.storage, folder: `${project.folder}-2` }).install();
    agent.prompt('both');
    agent.change('a.txt', 'a1\n');
    agent.change('../project-2/b.txt', 'b1\n');
    agent.stop();
    inner.cli('undo');
    return project;
  },
};
