import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { quietWorkspace, type Workspace } from '../../src/core/base/workspace.ts';
import { carryOut } from '../../src/core/rewind/request.ts';
import { BlobFileSystem } from '../../src/editor/blobFileSystem.ts';
import { blobUri } from '../../src/editor/blobUris.ts';
import { EditorWorkspace } from '../../src/editor/editorWorkspace.ts';
import { commandIds } from '../../src/editor/ids.ts';
import { Log } from '../../src/editor/log.ts';
import { LookThread } from '../../src/editor/lookThread.ts';
import { PlanContexts } from '../../src/editor/planContexts.ts';
import { Recordings } from '../../src/editor/recordings.ts';
import type { RecordedFolder } from '../../src/editor/recordedFolder.ts';
import { RestoreFlow } from '../../src/editor/restoreFlow.ts';
import { RestorePreview } from '../../src/editor/restorePreview.ts';
import { backTarget, lastBack, rewindTarget, type RestoreTarget } from '../../src/editor/restoreTarget.ts';
import { itemOf, tooltipOf } from '../../src/editor/timelineItems.ts';
import { TimelineNodes, type TimelineNode } from '../../src/editor/timelineNodes.ts';
import { AgentPlay } from '../ui/agentPlay.ts';
import { answering } from './dialogs.ts';
import { bundleOf, recordedAgent, storageDirectory, workspaceFolder } from './place.ts';

describe('the timeline of a recorded folder', () => {
  let recordings: Recordings;
  let folder: RecordedFolder;
  let agent: AgentPlay;
  const nodes = new TimelineNodes();

  before(async () => {
    writeFileSync(join(workspaceFolder(), 'a.txt'), 'one\ntwo\n');
    agent = await recordedAgent();
    recordings = new Recordings(storageDirectory());
    folder = recordings.folders[0] as RecordedFolder;
  });

  after(() => recordings.dispose());

  function top(): readonly TimelineNode[] {
    return nodes.roots(recordings.folders);
  }

  function told(node: TimelineNode): string {
    const { label, description } = itemOf(node);
    return `${String(label)} | ${String(description)}`.replace(/\d\d:\d\d/, 'TIME');
  }

  function change(cause: () => void): Promise<void> {
    return new Promise(resolve => {
      const registration = recordings.onDidChange(() => {
        registration.dispose();
        resolve();
      });
      cause();
    });
  }

  it('is empty before the first prompt', () => {
    assert.deepEqual(top(), []);
  });

  it('hears of a turn from the hooks alone', async () => {
    await change(() => agent.prompt('Add a line\nand more words'));
    assert.deepEqual(top().map(told), ['Add a line | Claude Code · TIME · 0 files · working · you are here']);
    await change(() => agent.write('a.txt', 'one\ntwo\nthree\n'));
    recordings.refresh();
    const [turn] = top();
    assert.ok(turn);
    assert.deepEqual(nodes.children(turn).map(told), ['a.txt | +1 −0 · modified']);
    assert.equal(itemOf(turn).id, itemOf(top()[0] as TimelineNode).id);
    assert.equal(top()[0], turn, 'a turn stays the same node');
  });

  it('says what is not tracked, in words', () => {
    agent.shell('echo more >> other.txt; mkfifo pipe');
    agent.stop();
    recordings.refresh();
    const [turn] = top();
    assert.ok(turn);
    assert.equal(told(turn), 'Add a line | Claude Code · TIME · 2 files · partly tracked · you are here');
    const tooltip = tooltipOf(turn)?.value ?? '';
    assert.match(tooltip, /Add a line/);
    assert.match(tooltip, /Bash pipe\\: not tracked, it is neither a file, a folder nor a link/);
    assert.match(tooltip, /2 lines added, 0 removed/);
  });

  it('does not take a prompt for Markdown', () => {
    agent.prompt('**Bold** <b>tag</b> [link](command:evil)');
    agent.stop();
    recordings.refresh();
    const tooltip = tooltipOf(top()[0] as TimelineNode);
    assert.notEqual(tooltip?.isTrusted, true);
    assert.match(tooltip?.value ?? '', /^\\\*\\\*Bold\\\*\\\* &lt;b\\>tag&lt;\/b\\> \\\[link\\\]\\\(command\\:evil\\\)/);
  });

  it('groups turns when there is more than one session', () => {
    const second = new AgentPlay(homedir(), workspaceFolder());
    second.prompt('From another session');
    second.write('b.txt', 'b\n');
    second.stop();
    recordings.refresh();
    assert.deepEqual(top().map(told), ['Claude Code | TIME · 1 turn', 'Claude Code | TIME · 2 turns']);
    assert.deepEqual(nodes.children(top()[0] as TimelineNode).map(told), ['From another session | Claude Code · TIME · 1 file · you are here']);
  });

  it('shows a rewind, what it took back, and the way back', async () => {
    const contexts = new PlanContexts(recordings, new EditorWorkspace(storageDirectory()));
    const restore = ({ request }: RestoreTarget) => carryOut(contexts.of(folder), request, contexts.neighboursOf(folder), { decide: () => 'stop', dryRun: false });
    const session = top()[1] as TimelineNode;
    const first = nodes.children(session).at(-1);
    assert.ok(first?.kind === 'turn');
    const { result } = await restore(rewindTarget(folder, first.turn));
    assert.equal(result.kind, 'applied');
    recordings.refresh();
    const shown = top().flatMap(node => nodes.children(node));
    assert.deepEqual(shown.map(told), [
      'Rewound to before “Add a line” | TIME · 2 files',
      'Rewound turns | 2 turns',
      'From another session | Claude Code · TIME · 1 file · you are here',
    ]);
    assert.equal(itemOf(shown[0] as TimelineNode).contextValue, 'operation.undoable');
    const rewound = nodes.children(shown[1] as TimelineNode);
    assert.deepEqual(rewound.map(node => itemOf(node).contextValue), ['turn.rewound.empty', 'turn.rewound.files']);
    const last = lastBack('undo', folder);
    assert.ok(last);
    await restore(backTarget('undo', folder, last.id));
    recordings.refresh();
    const after = top().flatMap(node => nodes.children(node)).map(told);
    assert.equal(after[0], 'Undid the rewind to before “Add a line” | TIME · 2 files');
    assert.equal(after[1], 'Rewound to before “Add a line” | TIME · 2 files · undone');
  });

  it('takes back what a command that still runs has done so far, which another thread looks for', async () => {
    const looks = new LookThread(bundleOf('looker'), storageDirectory());
    const contexts = new PlanContexts(recordings, new EditorWorkspace(storageDirectory()), looks);
    const kept = join(folder.root.path, 'kept.txt');
    writeFileSync(kept, 'mine\n');
    agent.prompt('Generate');
    agent.shell('echo "so far" > generated.txt; echo over > kept.txt', 'runs');
    assert.equal(readFileSync(kept, 'utf8'), 'over\n');
    recordings.refresh();
    const turn = [...folder.store.timeline.turns.keys()].at(-1) as string;
    const { request } = rewindTarget(folder, turn);
    const { result } = await carryOut(contexts.of(folder), request, contexts.neighboursOf(folder), { decide: () => 'stop', dryRun: false });
    assert.equal(result.kind, 'applied');
    assert.equal(existsSync(join(folder.root.path, 'generated.txt')), false);
    assert.equal(readFileSync(kept, 'utf8'), 'mine\n');
    recordings.refresh();
    const back = lastBack('undo', folder);
    assert.ok(back);
    await carryOut(contexts.of(folder), backTarget('undo', folder, back.id).request, [], { decide: () => 'stop', dryRun: false });
    assert.equal(readFileSync(join(folder.root.path, 'generated.txt'), 'utf8'), 'so far\n');
    looks.dispose();
    recordings.refresh();
  });

  it('tries an undo again that could not write everything', async () => {
    const path = join(folder.root.path, 'c.txt');
    let stubborn = false;
    const workspace: Workspace = {
      ...quietWorkspace,
      unsaved: () => new Map(stubborn ? [[path, { owner: 'here' as const }]] : []),
      unsavedBytes: async () => Buffer.from('typed'),
      replaceUnsaved: async () => false,
    };
    const flow = new RestoreFlow(recordings, new PlanContexts(recordings, workspace), new RestorePreview(new BlobFileSystem(recordings)), new Log());
    agent.prompt('Write c');
    agent.write('c.txt', 'c\n');
    agent.stop();
    recordings.refresh();
    const turn = [...folder.store.timeline.turns.keys()].at(-1) as string;
    await answering(['Rewind'], () => flow.run(rewindTarget(folder, turn)));
    const rewind = lastBack('undo', folder)?.id as string;
    stubborn = true;
    const failed = await answering(['Review Conflict', 'Take the Checkpoint'], () => flow.run(backTarget('undo', folder, rewind), 'conflicts'));
    assert.equal(failed.at(-1)?.text, 'Undid the rewind to before “Write c”: 0 files changed, 1 failed.');
    stubborn = false;
    const again = await answering([], () => flow.run(backTarget('undo', folder, rewind), 'conflicts'));
    assert.deepEqual(again.map(({ text }) => text), ['Undid the rewind to before “Write c”: 1 file changed.']);
    assert.equal(readFileSync(path, 'utf8'), 'c\n');
    const late = await answering([], () => flow.run(backTarget('undo', folder, rewind), 'conflicts'));
    assert.deepEqual(late.map(({ text }) => text), ['That is not in force any more. Nothing was touched.']);
  });

  it('opens the changes of a file for whoever names it', async () => {
    const node = top().flatMap(session => nodes.children(session)).flatMap(turn => nodes.children(turn)).find(candidate => candidate.kind === 'file' && candidate.path === 'a.txt');
    await vscode.commands.executeCommand(commandIds.openChanges, node);
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal(input.original.path, input.modified.path);
    assert.equal((await vscode.workspace.openTextDocument(input.original)).getText(), 'one\ntwo\n');
    assert.equal((await vscode.workspace.openTextDocument(input.modified)).getText(), 'one\ntwo\nthree\n');
  });

  it('serves recorded bytes and nothing else', async () => {
    const file = folder.fileUri('a.txt');
    const [before] = folder.store.timeline.changes.get('a.txt') ?? [];
    assert.ok(before?.before.kind === 'content');
    const uri = blobUri(file, folder.root.key, before.before) as vscode.Uri;
    assert.equal(uri.path, file.path);
    assert.equal(Buffer.from(await vscode.workspace.fs.readFile(uri)).toString(), 'one\ntwo\n');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('turnstone'), false);
    const unknown = [
      uri.with({ query: '' }),
      uri.with({ query: `root=${folder.root.key}&hash=${'0'.repeat(64)}` }),
      uri.with({ query: `root=${folder.root.key}&hash=../../roots.json` }),
      uri.with({ query: `root=r-unknown&hash=${before.before.hash}` }),
      vscode.Uri.from({ scheme: 'turnstone', path: '/etc/hostname' }),
    ];
    for (const other of unknown) {
      await assert.rejects(async () => vscode.workspace.fs.readFile(other), (error: vscode.FileSystemError) => error.code === 'FileNotFound', other.toString());
    }
    await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, new Uint8Array(1)));
  });
});
