// folders: app library
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { BlobFileSystem } from '../../src/editor/blobFileSystem.ts';
import { reportUri } from '../../src/editor/blobUris.ts';
import { EditorWorkspace } from '../../src/editor/editorWorkspace.ts';
import { Log } from '../../src/editor/log.ts';
import { PlanContexts } from '../../src/editor/planContexts.ts';
import type { RecordedFolder } from '../../src/editor/recordedFolder.ts';
import { Recordings } from '../../src/editor/recordings.ts';
import { RestoreFlow } from '../../src/editor/restoreFlow.ts';
import { RestorePreview } from '../../src/editor/restorePreview.ts';
import { backTarget, lastBack, rewindTarget, rollbackTarget } from '../../src/editor/restoreTarget.ts';
import { itemOf } from '../../src/editor/timelineItems.ts';
import { TimelineNodes } from '../../src/editor/timelineNodes.ts';
import { pickTarget } from '../../src/editor/targetPicker.ts';
import type { AgentPlay } from '../ui/agentPlay.ts';
import { answering, type Shown } from './dialogs.ts';
import { makeKnown, recordedAgent, storageDirectory, workspaceFolder } from './place.ts';

const nothingElse = 'No other file is touched. You can undo this.';

describe('a turn that works in two folders of the window', () => {
  let recordings: Recordings;
  let app: RecordedFolder;
  let library: RecordedFolder;
  let agent: AgentPlay;
  let flow: RestoreFlow;

  before(async () => {
    write({ 'app.txt': 'app 0\n', 'same.txt': 'app 0\n', '../library/lib.txt': 'lib 0\n', '../library/same.txt': 'lib 0\n' });
    agent = await recordedAgent();
    makeKnown(workspaceFolder(1));
    recordings = new Recordings(storageDirectory());
    [app, library] = recordings.folders as [RecordedFolder, RecordedFolder];
    const contexts = new PlanContexts(recordings, new EditorWorkspace(storageDirectory()));
    flow = new RestoreFlow(recordings, contexts, new RestorePreview(new BlobFileSystem(recordings)), new Log());
  });

  after(() => recordings.dispose());

  function write(texts: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(texts)) writeFileSync(join(workspaceFolder(), path), text);
  }

  function text(path: string): string | undefined {
    const absolute = join(workspaceFolder(), path);
    return existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined;
  }

  function texts(): readonly (string | undefined)[] {
    return ['app.txt', '../library/lib.txt', '../library/new/made.txt'].map(text);
  }

  /** A turn of the agent; returns its id. */
  function turn(prompt: string, changes: Readonly<Record<string, string>>): string {
    agent.prompt(prompt);
    for (const [path, content] of Object.entries(changes)) agent.write(path, content);
    agent.stop();
    recordings.refresh();
    return [...app.store.timeline.turns.keys()].at(-1) as string;
  }

  function told(folder: RecordedFolder): readonly string[] {
    const nodes = new TimelineNodes();
    const top = nodes.roots(recordings.folders).find(node => node.folder === folder);
    assert.equal(top?.kind, 'folder');
    return nodes.children(top).map(itemOf).map(({ label, description }) => `${String(label)} | ${String(description)}`.replace(/\d\d:\d\d/, 'TIME'));
  }

  function lastOperation(folder: RecordedFolder): string {
    return [...folder.store.timeline.operations.keys()].at(-1) as string;
  }

  async function undo(folder: RecordedFolder): Promise<readonly Shown[]> {
    return answering([], () => flow.run(backTarget('undo', folder, lastBack('undo', folder)?.id as string), 'conflicts'));
  }

  const both = { 'app.txt': 'app 1\n', '../library/lib.txt': 'lib 1\n', '../library/new/made.txt': 'made\n' };
  const after1 = ['app 1\n', 'lib 1\n', 'made\n'];

  it('has its title and its end in both, although its prompt was given in one, and is one choice', async () => {
    turn('Change both', both);
    assert.deepEqual(told(app), ['Change both | Claude Code · TIME · 1 file · you are here']);
    assert.deepEqual(told(library), ['Change both | Claude Code · TIME · 2 files · you are here']);
    const picked = await answering([undefined], async () => assert.equal(await pickTarget(recordings.folders), undefined));
    // The other folder became known by a checkpoint.
    assert.deepEqual(picked.map(({ choices }) => choices.map(choice => choice.replace(/\d\d:\d\d/, 'TIME'))), [['Change both', '$(bookmark) TIME']]);
  });

  it('is one question, one restore and one report, and its undo brings both back', async () => {
    const [id] = [...app.store.timeline.turns.keys()];
    const asked = await answering([undefined], () => flow.run(rewindTarget(app, id as string)));
    assert.deepEqual(asked.map(({ text, detail }) => [text, detail]), [
      ['Rewind code to before “Change both”?', `2 restored, 1 deleted. ${nothingElse}\napp: 1 restored\nlibrary: 1 restored, 1 deleted`],
    ]);
    assert.deepEqual(texts(), after1, 'closing the dialog means no');
    const shown = await answering(['Rewind'], () => flow.run(rewindTarget(app, id as string)));
    assert.equal(shown[1]?.text, 'Rewound to before “Change both”: 3 files in 2 folders changed.');
    assert.deepEqual(texts(), ['app 0\n', 'lib 0\n', undefined]);
    assert.equal(lastOperation(app), lastOperation(library));
    assert.equal(told(app)[0], 'Rewound to before “Change both” | TIME · 1 file · 2 folders');
    assert.equal(told(library)[0], 'Rewound to before “Change both” | TIME · 2 files · 2 folders');
    const report = await vscode.workspace.fs.readFile(reportUri(library.root.key, lastOperation(library), 'any'));
    assert.deepEqual(Buffer.from(report).toString().split('\n').slice(3), [
      library.root.path, '', 'restored       lib.txt', 'deleted        new/made.txt', 'folder removed new', '',
      app.root.path, '', 'restored       app.txt', '',
    ]);
    const undone = await undo(library);
    assert.deepEqual(undone.map(({ text: sentence }) => sentence), ['Undid the rewind to before “Change both”: 3 files in 2 folders changed.']);
    assert.deepEqual(texts(), after1);
    assert.equal(told(app)[0], 'Undid the rewind to before “Change both” | TIME · 1 file · 2 folders');
  });

  it('is rolled back in both, from the folder that it came to last, and previewed with all files', async () => {
    const [id] = [...library.store.timeline.turns.keys()];
    const shown = await answering(['Preview', 'Roll Back'], () => flow.run(rollbackTarget(library, id as string, undefined)));
    assert.equal(shown[0]?.detail, `2 restored, 1 deleted. ${nothingElse}\nlibrary: 1 restored, 1 deleted\napp: 1 restored`);
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label.includes('Roll back “Change both”'), true);
    assert.deepEqual(texts(), ['app 0\n', 'lib 0\n', undefined]);
    await undo(app);
    assert.deepEqual(texts(), after1);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('rolls back one file of it in its own folder only', async () => {
    const [id] = [...library.store.timeline.turns.keys()];
    const shown = await answering(['Roll Back'], () => flow.run(rollbackTarget(library, id as string, 'lib.txt')));
    assert.equal(shown[0]?.detail, `1 restored. ${nothingElse}`);
    assert.deepEqual(texts(), ['app 1\n', 'lib 0\n', 'made\n']);
    await undo(library);
    assert.deepEqual(texts(), after1);
  });

  it('stops in both at work of the user in one, and says in which folder it is', async () => {
    const [id] = [...app.store.timeline.turns.keys()];
    write({ '../library/lib.txt': 'lib 1\nmine\n' });
    const before = texts();
    const asked = await answering([undefined], () => flow.run(rewindTarget(app, id as string)));
    assert.equal(asked[0]?.text, 'library · lib.txt changed after the agent\'s last recorded edit.');
    assert.equal(asked[0]?.detail, 'Nothing has been written. 2 other files can be rewound.\napp: 1 restored\nlibrary: 1 deleted');
    assert.deepEqual(texts(), before);
    const shown = await answering(['Rewind Other 2 Files'], () => flow.run(rewindTarget(app, id as string)));
    assert.equal(shown[1]?.text, 'Rewound to before “Change both”: 2 files in 2 folders changed, 1 left as yours.');
    assert.deepEqual(texts(), ['app 0\n', 'lib 1\nmine\n', undefined]);
    await undo(app);
    assert.deepEqual(texts(), before);
  });

  it('has the same path in both decided apart', async () => {
    const id = turn('The same name', { 'same.txt': 'app 1\n', '../library/same.txt': 'lib 1\n' });
    write({ 'same.txt': 'mine here\n', '../library/same.txt': 'mine there\n' });
    const answers = ['Review Conflicts', 'Leave Mine', 'Take the Checkpoint', 'Rewind'];
    const shown = await answering(answers, () => flow.run(rewindTarget(app, id)));
    assert.deepEqual(shown.map(({ text: sentence }) => sentence), [
      '2 files hold changes that are not the agent\'s.',
      'same.txt (1/2)',
      'library · same.txt (2/2)',
      'Rewind code to before “The same name”?',
      'Rewound to before “The same name”: 1 file changed, 1 left as yours.',
    ]);
    assert.equal(shown[3]?.detail, `1 restored, 1 left as yours. ${nothingElse}\napp: 1 left as yours\nlibrary: 1 restored`);
    assert.deepEqual([text('same.txt'), text('../library/same.txt')], ['mine here\n', 'lib 0\n']);
    await undo(app);
    assert.deepEqual([text('same.txt'), text('../library/same.txt')], ['mine here\n', 'mine there\n']);
  });

  it('is asked about again when the agent goes on in the other folder while the question is open', async () => {
    const id = turn('Go on', { 'app.txt': 'app 2\n' });
    const goOn = (): string => {
      agent.write('../library/lib.txt', 'lib 2\n');
      return 'Rewind';
    };
    const shown = await answering([goOn, undefined], () => flow.run(rewindTarget(app, id)));
    assert.deepEqual(shown.map(({ detail }) => detail), [
      `1 restored. ${nothingElse}`,
      `2 restored. ${nothingElse}\napp: 1 restored\nlibrary: 1 restored`,
    ]);
    assert.deepEqual([text('app.txt'), text('../library/lib.txt')], ['app 2\n', 'lib 2\n']);
  });

  it('is taken back in a known folder that is not open here too, and one that can\'t be read is named', async () => {
    const closed = join(workspaceFolder(), '../closed');
    mkdirSync(closed, { recursive: true });
    write({ '../closed/far.txt': 'far 0\n' });
    makeKnown(closed);
    const id = turn('Far away', { 'app.txt': 'app 3\n', '../closed/far.txt': 'far 1\n' });
    const root = recordings.roots.at(closed);
    assert.ok(root);
    const identity = join(storageDirectory(), 'roots', root.key, 'root.json');
    const sound = readFileSync(identity);
    writeFileSync(identity, 'rubbish');
    const warned = await answering([undefined], () => flow.run(rewindTarget(app, id)));
    writeFileSync(identity, sound);
    assert.equal(warned[0]?.detail, `The history of ${closed} can't be read. What was done there is left as it is.\n1 restored. ${nothingElse}`);
    const shown = await answering(['Rewind'], () => flow.run(rewindTarget(app, id)));
    assert.equal(shown[0]?.detail, `2 restored. ${nothingElse}\napp: 1 restored\n${closed} (not open in this window): 1 restored`);
    assert.deepEqual([text('app.txt'), text('../closed/far.txt')], ['app 2\n', 'far 0\n']);
    await undo(app);
    assert.deepEqual([text('app.txt'), text('../closed/far.txt')], ['app 3\n', 'far 1\n']);
  });
});
