import * as vscode from 'vscode';
import { RunningCalls } from './api/runningCalls.ts';
import type { TurnstoneExports } from './api/turnstone.d.ts';
import { BlobFileSystem } from './editor/blobFileSystem.ts';
import { CaptureMirror } from './editor/captureMirror.ts';
import { registerCommands } from './editor/commands.ts';
import { Consent } from './editor/consent.ts';
import { editorTools } from './editor/editorTools.ts';
import { EditorWorkspace } from './editor/editorWorkspace.ts';
import { blobScheme } from './editor/ids.ts';
import { ExportedApi } from './editor/exportedApi.ts';
import { LanguageModelTools } from './editor/languageModelTools.ts';
import { Log } from './editor/log.ts';
import { LookThread } from './editor/lookThread.ts';
import { McpServers } from './editor/mcpServers.ts';
import { placesOf } from './editor/places.ts';
import { PlanContexts } from './editor/planContexts.ts';
import { Recordings } from './editor/recordings.ts';
import { RestoreFlow } from './editor/restoreFlow.ts';
import { RestorePreview } from './editor/restorePreview.ts';
import { ReviewPanel } from './editor/reviewPanel.ts';
import { recoverFolder, renewShim } from './editor/startUp.ts';
import { StateKeeper } from './editor/stateKeeper.ts';
import { TextDocuments } from './editor/textDocuments.ts';
import { TimelineTree } from './editor/timelineTree.ts';
import { UnsavedPublisher } from './editor/unsavedPublisher.ts';

let exported: ExportedApi | undefined;

/**
 * The composition root: makes every part once and hands it what it needs. Nothing is written here before
 * the user has agreed to be recorded; what follows then is the shim, and restores that a crash cut short.
 */
export function activate(context: vscode.ExtensionContext): TurnstoneExports {
  const own = <T extends { dispose(): unknown }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const places = placesOf(context);
  const log = own(new Log());
  const recordings = own(new Recordings(places.storage));
  const blobs = new BlobFileSystem(recordings);
  own(vscode.workspace.registerFileSystemProvider(blobScheme, blobs, { isReadonly: true, isCaseSensitive: true }));
  const running = new RunningCalls();
  const workspace = new EditorWorkspace(places.storage);
  const looks = own(new LookThread(places.looker, places.storage));
  const contexts = new PlanContexts(recordings, workspace, looks, running);
  const flow = new RestoreFlow(recordings, contexts, new RestorePreview(blobs), log);
  const consent = new Consent(places, recordings, own(new TextDocuments()), log);
  const tree = own(new TimelineTree(recordings));
  own(new ReviewPanel(recordings, context.extensionUri));
  own(new StateKeeper(places, recordings, tree));
  own(registerCommands({ recordings, consent, flow, log }));
  const tools = editorTools(recordings, workspace);
  own(new LanguageModelTools(tools));
  exported = own(new ExportedApi(recordings, contexts, looks, tools, running, log));
  own(new CaptureMirror(recordings, log));
  own(new McpServers(places, recordings, String(context.extension.packageJSON.version)));
  const publisher = own(new UnsavedPublisher(recordings.roots, log));
  // A document may be unsaved already when its folder becomes known.
  own(recordings.onDidChange(() => publisher.publish()));

  renewShim(places, log);
  const whenTrusted = (): void => {
    publisher.publish();
    for (const folder of recordings.folders) void recoverFolder(folder, contexts, log);
  };
  whenTrusted();
  own(vscode.workspace.onDidGrantWorkspaceTrust(() => {
    whenTrusted();
    recordings.refresh();
  }));
  return exported.exports;
}

/** What other extensions were recording is closed as interrupted, as far as the editor waits for it. */
export async function deactivate(): Promise<void> {
  await exported?.end();
}
