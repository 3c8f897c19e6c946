import { nodeFiles } from '../core/base/files.ts';
import { whyNotRecording } from '../core/capture/whyNot.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { ToolFolder, ToolHost } from '../tools/toolHost.ts';
import { commandLineWorkspace, folderOf, rootsOf } from './context.ts';
import type { Options } from './options.ts';

/** Tools for the one folder that a command is about. Nobody is asked here, so they write nothing in a folder that is not known. */
export function toolHostOf(options: Options, directory: string): ToolHost {
  const folder = folderOf(options, directory);
  let opened: RootStore | undefined;
  return {
    files: nodeFiles,
    workspace: commandLineWorkspace(options),
    folders(): readonly ToolFolder[] {
      const roots = rootsOf(options);
      const root = roots.at(folder);
      if (root === undefined) return [];
      // Its history may have been deleted and begun anew meanwhile.
      if (opened?.identity.store !== roots.identityOf(root).store) opened = roots.open(root);
      return [{ key: root.key, store: opened }];
    },
    whyNotIn: root => whyNotRecording(nodeFiles, rootsOf(options).storage, root, 'tools'),
    whyNone: `nothing is recorded for ${folder} yet. The user can begin it in the editor with "Install Recording Hooks…", or on the command line with: turnstone checkpoint.`,
  };
}
