import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { nodeFiles } from '../core/base/files.ts';
import { wantedInstallations } from './agentPicker.ts';
import { contextKeys } from './ids.ts';
import type { Places } from './places.ts';
import type { Recordings } from './recordings.ts';
import { recordingState } from './recordingState.ts';
import { lastBack } from './restoreTarget.ts';
import { StatusItem } from './statusItem.ts';
import type { TimelineTree } from './timelineTree.ts';

/**
 * Keeps the status bar item and the context keys of the menus in step with the recordings.
 *
 * Invariant: a key is set only when its value changes, because each setting makes the window look at its menus.
 */
export class StateKeeper implements Disposable {
  private readonly places: Places;
  private readonly recordings: Recordings;
  private readonly tree: TimelineTree;
  private readonly owned = new DisposableStore();
  private readonly status = this.owned.add(new StatusItem());
  private readonly keys = new Map<string, unknown>();
  private pending = false;
  private readonly watched = new Set<string>();

  constructor(places: Places, recordings: Recordings, tree: TimelineTree) {
    this.places = places;
    this.recordings = recordings;
    this.tree = tree;
    this.owned.add(recordings.onDidChange(() => this.updateSoon()));
    this.update();
  }

  // Hooks that go while the window is open are noticed as soon as the directory of the agent's settings changes.
  private watchSettings(): void {
    for (const installation of wantedInstallations(this.places)) {
      const directory = dirname(installation.settingsPath('user', '', process.env));
      if (this.watched.has(directory) || nodeFiles.stat(directory) === undefined) continue;
      try {
        this.owned.add(nodeFiles.watchDirectory(directory, () => this.updateSoon()));
        this.watched.add(directory);
      } catch {
        // The window's focus brings the news then.
      }
    }
  }

  private updateSoon(): void {
    if (this.pending) return;
    this.pending = true;
    setImmediate(() => {
      this.pending = false;
      this.update();
    });
  }

  private update(): void {
    this.watchSettings();
    const state = recordingState(this.places, this.recordings);
    this.status.show(state);
    this.tree.tellStopped(state.stopped);
    this.set(contextKeys.state, state.welcome);
    this.set(contextKeys.recorded, this.recordings.folders.length > 0);
    this.set(contextKeys.paused, state.paused.length > 0);
    this.set(contextKeys.canUndo, this.recordings.folders.some(folder => lastBack('undo', folder) !== undefined));
    this.set(contextKeys.canRedo, this.recordings.folders.some(folder => lastBack('redo', folder) !== undefined));
  }

  private set(key: string, value: unknown): void {
    if (this.keys.get(key) === value) return;
    this.keys.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }

  dispose(): void {
    this.owned.dispose();
  }
}
