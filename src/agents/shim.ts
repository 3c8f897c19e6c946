import { join } from 'node:path';
import type { Files } from '../core/base/files.ts';
import { makeDirectories, readIfThere, replaceFile } from '../core/base/fileTools.ts';

/** What runs the command line: the editor's own runtime, or the node that installs the hooks. */
export interface Runtime {
  readonly executable: string;
  /** The bundled command line, `dist/cli.js`. */
  readonly bundle: string;
}

/** The path that hook commands name: it stays the same over updates of the extension. */
export function shimPath(storage: string, platform: NodeJS.Platform): string {
  return join(storage, 'bin', platform === 'win32' ? 'turnstone.cmd' : 'turnstone');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The shim's text. Without its runtime or its bundle it does nothing and succeeds, so that no agent is stopped. */
export function shimText(storage: string, { executable, bundle }: Runtime, platform: NodeJS.Platform): string {
  if (platform === 'win32') {
    return [
      '@echo off',
      'setlocal',
      `if not exist "${executable}" exit /b 0`,
      `if not exist "${bundle}" exit /b 0`,
      'set ELECTRON_RUN_AS_NODE=1',
      `set "TURNSTONE_STORE=${storage}"`,
      `set "NODE_COMPILE_CACHE=${join(storage, 'bin', 'cache')}"`,
      `"${executable}" "${bundle}" %*`,
      '',
    ].join('\r\n');
  }
  return [
    '#!/bin/sh',
    '# Written by Turnstone, and written anew whenever it is updated.',
    `runtime=${quoted(executable)} bundle=${quoted(bundle)}`,
    '[ -x "$runtime" ] && [ -f "$bundle" ] || exit 0',
    `export ELECTRON_RUN_AS_NODE=1 TURNSTONE_STORE=${quoted(storage)} NODE_COMPILE_CACHE=${quoted(join(storage, 'bin', 'cache'))}`,
    'unset NODE_OPTIONS',
    'exec "$runtime" "$bundle" "$@"',
    '',
  ].join('\n');
}

/** What a shim that is there runs, and the storage that it tells of; undefined where that can't be read from it. */
export function shimTells(files: Files, path: string, platform: NodeJS.Platform): (Runtime & { readonly storage: string }) | undefined {
  const text = Buffer.from(readIfThere(files, path) ?? []).toString('utf8');
  const word = platform === 'win32' ? '(.+)' : String.raw`'((?:[^']|'\\'')+)'`;
  const unquoted = (found: RegExpExecArray | null, index: number): string => (found?.[index] ?? '').replaceAll(String.raw`'\''`, "'");
  const runs = new RegExp(platform === 'win32' ? '^"(.+)" "(.+)" %\\*\r?$' : `^runtime=${word} bundle=${word}$`, 'm').exec(text);
  const tells = new RegExp(platform === 'win32' ? '^set "TURNSTONE_STORE=(.+)"\r?$' : `TURNSTONE_STORE=${word} `, 'm').exec(text);
  return runs === null || tells === null ? undefined : { executable: unquoted(runs, 1), bundle: unquoted(runs, 2), storage: unquoted(tells, 1) };
}

/** Writes the shim where it is missing or runs something else. Returns its path. */
export function writeShim(files: Files, storage: string, runtime: Runtime, platform: NodeJS.Platform): string {
  const path = shimPath(storage, platform);
  const bytes = Buffer.from(shimText(storage, runtime, platform));
  const there = readIfThere(files, path);
  if (there !== undefined && Buffer.from(there).equals(bytes)) return path;
  makeDirectories(files, join(storage, 'bin'), 0o700);
  replaceFile(files, path, bytes, 0o700);
  return path;
}
