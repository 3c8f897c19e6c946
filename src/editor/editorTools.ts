import * as vscode from 'vscode';
import { nodeFiles } from '../core/base/files.ts';
import type { Workspace } from '../core/base/workspace.ts';
import { whyNotRecording } from '../core/capture/whyNot.ts';
import type { ToolFolder, ToolHost } from '../tools/toolHost.ts';
import type { Recordings } from './recordings.ts';

/** Tools for the recorded folders of this window. */
export function editorTools(recordings: Recordings, workspace: Workspace): ToolHost {
  return {
    files: nodeFiles,
    workspace,
    folders: (): readonly ToolFolder[] => (vscode.workspace.isTrusted ? recordings.folders.map(({ root, store }) => ({ key: root.key, store })) : []),
    whyNotIn: root => whyNotRecording(nodeFiles, recordings.roots.storage, root, 'tools'),
    get whyNone(): string {
      return vscode.workspace.isTrusted
        ? 'no folder of this window is recorded. The user can begin it with the command "Turnstone: Install Recording Hooks…".'
        : 'this workspace is in Restricted Mode. The user has to trust it first.';
    },
  };
}
