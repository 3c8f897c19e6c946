// folders: app plain
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TurnstoneErrorCode, TurnstoneExports } from '../../src/api/turnstone.d.ts';
import { Recordings } from '../../src/editor/recordings.ts';
import { itemOf } from '../../src/editor/timelineItems.ts';
import { TimelineNodes } from '../../src/editor/timelineNodes.ts';
import { until } from '../support/until.ts';
import type { Example, ExampleAgent } from './exampleExtension/extension.ts';
import { recordedAgent, storageDirectory, turnstone, workspaceFolder } from './place.ts';

const code = (expected: TurnstoneErrorCode) => (error: any): boolean => error.code === expected;

describe('the API, used by another extension', () => {
  let example: Example;
  let agent: ExampleAgent;

  before(async () => {
    await recordedAgent();
    example = (await vscode.extensions.getExtension<Example>('turnstone-test.example-agent')?.activate()) as Example;
    agent = example.newAgent('example');
  });

  const uri = (path: string, folder = 0): vscode.Uri => vscode.Uri.file(join(workspaceFolder(folder), path));
  const text = (path: string): string | undefined => (existsSync(uri(path).fsPath) ? readFileSync(uri(path).fsPath, 'utf8') : undefined);
  const log = (...words: readonly string[]): readonly any[] => JSON.parse(turnstone(workspaceFolder(), 'log', '--json', ...words)).turns;

  it('comes with its types in the installed extension, in one version', () => {
    const extension = vscode.extensions.getExtension<TurnstoneExports>('turnstone.turnstone');
    const types = readFileSync(join(extension?.extensionPath ?? '', 'src', 'api', 'turnstone.d.ts'), 'utf8');
    const api = extension?.exports.getApi(1);
    for (const name of Object.keys(api ?? {})) assert.match(types, new RegExp(`\\b${name}\\b`));
    assert.equal(Object.keys(api ?? {}).length, 6);
    assert.throws(() => extension?.exports.getApi(2 as 1), code('unsupported'));
  });

  it('records a turn that writes, and one rewind gives every byte back', async () => {
    writeFileSync(uri('a.txt').fsPath, '\uFEFFone\r\n');
    const turn = agent.ask('Change a file');
    await agent.writeFile(turn, uri('a.txt'), 'two\n');
    await agent.writeFile(turn, uri('new/b.txt'), 'b\n');
    await turn.close();
    const [logged] = log();
    assert.deepEqual([logged.agent, logged.prompt, logged.state, ...logged.files.map((file: any) => `${file.status} ${file.path}`)], ['example', 'Change a file', 'closed', 'modified a.txt', 'added new/b.txt']);
    assert.equal((await agent.api.rewind(turn.id)).kind, 'done');
    assert.deepEqual([text('a.txt'), existsSync(uri('new').fsPath)], ['\uFEFFone\r\n', false]);
    assert.deepEqual(agent.rewinds.map(({ kind, prompt, paths }) => [kind, prompt, [...paths].sort()]), [['rewind', 'Change a file', [uri('a.txt').fsPath, uri('new/b.txt').fsPath]]]);
  });

  it('records what a script does that says nothing of it, and rewinds to a step', async () => {
    const turn = agent.ask('Run scripts');
    const write = (content: string): string => `require('fs').writeFileSync('made.txt', '${content}')`;
    assert.equal(await agent.runScript(turn, workspaceFolder(), write('1')), 0);
    const step = await turn.step('made it');
    assert.equal(await agent.runScript(turn, workspaceFolder(), `${write('2')}; require('fs').rmSync('a.txt')`), 0);
    assert.deepEqual([text('made.txt'), text('a.txt')], ['2', undefined]);
    assert.deepEqual(agent.api.checkpoints().map(({ kind, label, rewound }) => [kind, label, rewound]), [['turn', 'Change a file', true], ['turn', 'Run scripts', false], ['step', 'made it', false]]);
    assert.equal((await agent.api.rewind(step)).kind, 'done');
    assert.deepEqual([text('made.txt'), text('a.txt')], ['1', '\uFEFFone\r\n']);
    await assert.rejects(agent.writeFile(turn, uri('a.txt'), 'x'), code('superseded'));
  });

  /** A tool that has begun and runs on, in a turn that has written a file. */
  async function running(prompt: string): Promise<{ readonly turn: string; readonly again: () => Promise<void>; readonly ended: Promise<unknown>; readonly order: string[] }> {
    const turn = agent.ask(prompt);
    await agent.writeFile(turn, uri('slow.txt'), 'before\n');
    const order: string[] = [];
    let ended: Promise<unknown> = Promise.resolve();
    await new Promise<void>(resolve => {
      ended = assert.rejects(agent.writeSlowly(turn, uri('slow.txt'), resolve, () => order.push('stopped')), code('superseded'));
    });
    return { turn: turn.id, again: () => agent.writeFile(turn, uri('slow.txt'), 'x'), ended, order };
  }

  it('stops a tool that runs when its turn is rewound, and waits for it before a byte is written', async () => {
    const { turn, again, ended, order } = await running('Take your time');
    const { kind } = await agent.api.rewind(turn);
    order.push('rewound');
    await ended;
    assert.deepEqual([kind, order, text('slow.txt')], ['done', ['stopped', 'rewound'], undefined]);
    await assert.rejects(again(), code('superseded'));
  });

  it('stops one when the user rewinds from a terminal, too', async () => {
    const { turn, again, ended, order } = await running('Take your time again');
    const told = agent.rewinds.length;
    turnstone(workspaceFolder(), 'rewind', turn, '--on-conflict', 'overwrite');
    await ended;
    assert.deepEqual([order, text('slow.txt')], [['stopped'], undefined]);
    await assert.rejects(again(), code('superseded'));
    await until('the extension is told', () => agent.rewinds.length === told + 1);
  });

  it('knows an extension\'s own sessions only', async () => {
    const other = example.newAgent('another');
    const secret = other.ask('A secret');
    await other.writeFile(secret, uri('secret.txt'), 'secret\n');
    await assert.rejects(agent.api.rewind(secret.id), code('notFound'));
    await assert.rejects(agent.api.rollback(secret.id), code('notFound'));
    assert.deepEqual([agent.api.checkpoints().some(({ label }) => label === 'A secret'), other.api.checkpoints().map(({ label }) => label)], [false, ['A secret']]);
    const told = agent.rewinds.length;
    assert.equal((await other.api.rollback(secret.id)).kind, 'done');
    await until('the other one is told', () => other.rewinds.length === 1);
    assert.equal(agent.rewinds.length, told);
  });

  it('is shown in the timeline by the names that it gives', () => {
    const recordings = new Recordings(storageDirectory());
    try {
      const nodes = new TimelineNodes();
      const shown = nodes.roots(recordings.folders).map(itemOf).map(({ label, description }) => `${String(label)} | ${String(description).split(' · ')[0]}`);
      assert.deepEqual(shown, ['A talk with another | another', 'A talk with example | example']);
    } finally {
      recordings.dispose();
    }
  });

  it('leaves work of the user alone, and says where it is', async () => {
    const turn = agent.ask('Write');
    await agent.writeFile(turn, uri('mine.txt'), 'agent\n');
    writeFileSync(uri('mine.txt').fsPath, 'agent\nmine\n');
    const { kind, files } = await agent.api.rewind(turn.id);
    assert.deepEqual([kind, files.map(({ path, action }) => [path, action]), text('mine.txt')], ['conflict', [[uri('mine.txt').fsPath, 'conflict']], 'agent\nmine\n']);
  });

  it('runs nothing in a folder that is not recorded', async () => {
    assert.deepEqual([uri('a.txt'), uri('a.txt', 1), vscode.Uri.parse('untitled:a.txt')].map(one => agent.api.isRecording(one)), [true, false, false]);
    const turn = agent.ask('Elsewhere');
    await assert.rejects(agent.writeFile(turn, uri('x.txt', 1), 'x'), code('outside'));
    assert.deepEqual(readdirSync(workspaceFolder(1)), []);
  });

  // The last one: what is in a history's place is no history.
  it('runs nothing that can\'t be captured', async () => {
    const turn = agent.ask('Write');
    await agent.writeFile(turn, uri('kept.txt'), '1\n');
    const [key = ''] = readdirSync(join(storageDirectory(), 'roots'));
    const journal = join(storageDirectory(), 'roots', key, 'journal');
    renameSync(journal, `${journal}.away`);
    writeFileSync(journal, '');
    try {
      await assert.rejects(agent.writeFile(turn, uri('kept.txt'), '2\n'), code('notRecording'));
      assert.equal(await agent.runScript(turn, workspaceFolder(), `require('fs').writeFileSync('kept.txt', '3')`).catch((error: any) => error.code), 'notRecording');
      assert.equal(text('kept.txt'), '1\n');
    } finally {
      rmSync(journal);
      renameSync(`${journal}.away`, journal);
    }
  });
});
