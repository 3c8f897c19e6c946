import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { BlobFileSystem } from '../../src/editor/blobFileSystem.ts';
import { createCheckpoint } from '../../src/editor/checkpointCommand.ts';
import { EditorWorkspace } from '../../src/editor/editorWorkspace.ts';
import { commandIds } from '../../src/editor/ids.ts';
import { Log } from '../../src/editor/log.ts';
import { operationWords } from '../../src/editor/operationWords.ts';
import { pauseRecording, resumeRecording } from '../../src/editor/pauseCommands.ts';
import { PlanContexts } from '../../src/editor/planContexts.ts';
import { Recordings } from '../../src/editor/recordings.ts';
import { recordingState } from '../../src/editor/recordingState.ts';
import { RestoreFlow } from '../../src/editor/restoreFlow.ts';
import { RestorePreview } from '../../src/editor/restorePreview.ts';
import { rewindTarget } from '../../src/editor/restoreTarget.ts';
import { pickTarget, type PickedTarget } from '../../src/editor/targetPicker.ts';
import type { AgentPlay } from '../ui/agentPlay.ts';
import { answering } from './dialogs.ts';
import type { Example } from './exampleExtension/extension.ts';
import { recordedAgent, storageDirectory, turnstone, workspaceFolder } from './place.ts';

describe('the user of the window', () => {
  let recordings: Recordings;
  let agent: AgentPlay;
  let name: string;
  const places = { storage: storageDirectory(), runtime: { executable: process.execPath, bundle: '' }, looker: '', platform: process.platform };
  const path = (file: string): string => join(workspaceFolder(), file);
  const log = (): readonly any[] => JSON.parse(turnstone(workspaceFolder(), 'log', '--json', '--all')).turns;
  const paused = (): readonly string[] => recordingState(places, recordings).paused;

  before(async () => {
    agent = await recordedAgent();
    recordings = new Recordings(storageDirectory());
    name = recordings.folders[0]?.name ?? '';
  });

  after(() => recordings.dispose());

  function turn(prompt: string, file: string, text: string): void {
    agent.prompt(prompt);
    agent.write(file, text);
    agent.stop();
    recordings.refresh();
  }

  it('pauses recording in a folder: hooks, tools and other extensions obey', async () => {
    writeFileSync(path('a.txt'), '0\n');
    turn('Recorded', 'a.txt', '1\n');
    const example = (await vscode.extensions.getExtension<Example>('turnstone-test.example-agent')?.activate()) as Example;
    const other = example.newAgent('example');
    const shown = await answering([undefined], () => pauseRecording(recordings));
    assert.deepEqual([shown.map(({ text, choices }) => [text, choices]), paused()], [[['Pause Recording', [name, 'All Folders']]], []]);
    await answering([name], () => pauseRecording(recordings));
    assert.deepEqual(paused(), [name]);
    turn('Not recorded', 'a.txt', 'secret\n');
    assert.deepEqual(log()[0].files, []);
    assert.match(JSON.stringify(log()[0]), /recording was paused/);
    assert.doesNotMatch(JSON.stringify(log()), /Not recorded"/);
    assert.equal(other.api.isRecording(vscode.Uri.file(path('a.txt'))), false);
    await assert.rejects(other.writeFile(other.ask('x'), vscode.Uri.file(path('b.txt')), 'x'), (error: any) => error.code === 'notRecording');
  });

  it('resumes where it is paused, at once where that is one folder', async () => {
    await answering([], () => resumeRecording(recordings));
    assert.deepEqual(paused(), []);
    turn('Recorded again', 'b.txt', 'b\n');
    assert.deepEqual([log()[0].prompt, log()[0].files.length], ['Recorded again', 1]);
    const told = await answering([], () => resumeRecording(recordings));
    assert.equal(told.length, 1);
  });

  it('pauses all folders, and hears of it from the command line', async () => {
    await answering(['All Folders'], () => pauseRecording(recordings));
    assert.equal(turnstone(workspaceFolder(), 'resume', '--all').includes('recorded again'), true);
    recordings.refresh();
    assert.deepEqual(paused(), []);
    turnstone(workspaceFolder(), 'pause', '--all');
    recordings.refresh();
    assert.deepEqual(paused(), [name]);
    await answering([], () => resumeRecording(recordings));
    assert.deepEqual(paused(), []);
  });

  it('creates a checkpoint with what is theirs, and goes back to it', async () => {
    writeFileSync(path('b.txt'), 'b\nmine\n');
    let made: string | undefined;
    const shown = await answering(['before the agent'], async () => void (made = await createCheckpoint(recordings)));
    assert.match(shown[1]?.text ?? '', /^Checkpoint “before the agent” created: 2 files as they are now\. Go back to it with Rewind to Here…\.$/);
    turn('Break it', 'b.txt', 'broken\n');
    const flow = new RestoreFlow(recordings, new PlanContexts(recordings, new EditorWorkspace(storageDirectory())), new RestorePreview(new BlobFileSystem(recordings)), new Log());
    let picked: PickedTarget | undefined;
    await answering(['before the agent'], async () => void (picked = await pickTarget(recordings.folders)));
    assert.equal(picked?.target, made);
    const asked = await answering(['Rewind'], () => flow.run(rewindTarget(picked?.folder as PickedTarget['folder'], picked?.target ?? '')));
    assert.equal(asked[0]?.text, 'Rewind code to “before the agent”?');
    assert.equal(readFileSync(path('b.txt'), 'utf8'), 'b\nmine\n');
    const folder = picked?.folder as PickedTarget['folder'];
    const operation = [...folder.store.timeline.operations.values()].at(-1);
    assert.equal(operation === undefined ? '' : operationWords(folder, operation).done, 'Rewound to “before the agent”');
  });

  it('makes none where the name is not given', async () => {
    const count = recordings.folders[0]?.store.timeline.points.size;
    await answering([undefined], async () => assert.equal(await createCheckpoint(recordings), undefined));
    assert.equal(recordings.folders[0]?.store.timeline.points.size, count);
    const commands = await vscode.commands.getCommands(true);
    for (const id of [commandIds.createCheckpoint, commandIds.pauseRecording, commandIds.resumeRecording]) assert.ok(commands.includes(id));
  });
});
