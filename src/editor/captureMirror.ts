import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { nodeFiles } from '../core/base/files.ts';
import { soundCaptureSettings, writeCaptureSettings } from '../core/capture/captureSettings.ts';
import { excludePatterns } from './excludePatterns.ts';
import { captureSettingIds, settingSection } from './ids.ts';
import type { Log } from './log.ts';
import type { Recordings } from './recordings.ts';

const mebibyte = 1024 * 1024;

function inForce(uri: vscode.Uri): ReturnType<typeof soundCaptureSettings> {
  const settings = vscode.workspace.getConfiguration(settingSection, uri);
  const bytes = (name: string): number => Number(settings.get(name)) * mebibyte;
  return soundCaptureSettings({
    exclude: excludePatterns(settings.inspect(captureSettingIds.exclude) ?? {}),
    maxFileSize: bytes(captureSettingIds.maxFileSize),
    lookBudget: settings.get(captureSettingIds.lookBudget),
    copyLimit: bytes(captureSettingIds.copyLimit),
  });
}

/**
 * Writes beside each recorded folder's history which settings are in force for it, for hooks, which know nothing of editors.
 *
 * Invariants: nothing is written for a folder that is not known, or in an untrusted workspace.
 */
export class CaptureMirror implements Disposable {
  private readonly recordings: Recordings;
  private readonly log: Log;
  private readonly owned = new DisposableStore();
  private readonly written = new Map<string, string>();

  constructor(recordings: Recordings, log: Log) {
    this.recordings = recordings;
    this.log = log;
    this.owned.add(recordings.onDidChange(() => this.write()));
    this.owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.write()));
    this.owned.add(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(settingSection)) this.write();
      }),
    );
    this.write();
  }

  // Folders change with every record, and settings hardly ever.
  private write(): void {
    if (!vscode.workspace.isTrusted) return;
    for (const { folder, root } of this.recordings.folders) {
      try {
        const settings = inForce(folder.uri);
        const text = JSON.stringify(settings);
        if (this.written.get(root.key) === text) continue;
        writeCaptureSettings(nodeFiles, this.recordings.roots.directoryOf(root), settings);
        this.written.set(root.key, text);
      } catch (error) {
        this.log.error(error);
      }
    }
  }

  dispose(): void {
    this.owned.dispose();
  }
}
