import { join, resolve } from 'node:path';
import { systemCode, messageOf } from '../base/errors.ts';
import { readIfThere } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { readGitConfig } from './gitConfig.ts';

/** What a repository says about its own work tree; its files are looked at and never written. */
export interface GitRepository {
  /** The folder that all its work trees share: `info/exclude` and `config` are there. */
  readonly common: string;
  readonly settings: ReadonlyMap<string, string>;
}

/** Something that has to be known before a folder may be looked at, and can't be. */
export interface RulesUnknown {
  readonly reason: string;
}

export function isUnknown(value: unknown): value is RulesUnknown {
  return typeof (value as Partial<RulesUnknown> | undefined)?.reason === 'string';
}

export function unknownBecause(what: string, error: unknown): RulesUnknown {
  return { reason: `${what} can't be read (${systemCode(error) ?? messageOf(error)})` };
}

function firstLine(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').split(/\r?\n/, 1)[0] as string;
}

/** The folder that a `.git` stands for; undefined where it is none of git's. */
function gitFolder(files: Files, folder: string): string | undefined {
  const path = join(folder, '.git');
  const kind = files.stat(path)?.kind;
  if (kind === undefined || kind === 'other') return undefined;
  if (kind === 'file') {
    const target = /^gitdir: *(.+)$/.exec(firstLine(readIfThere(files, path) ?? new Uint8Array()))?.[1];
    return target === undefined ? undefined : resolve(folder, target);
  }
  return path;
}

/** The repository whose work tree begins at a folder. */
export function repositoryAt(files: Files, folder: string, home: string): GitRepository | RulesUnknown | undefined {
  try {
    const own = gitFolder(files, folder);
    if (own === undefined || files.stat(join(own, 'HEAD')) === undefined) return undefined;
    const shared = readIfThere(files, join(own, 'commondir'));
    const common = shared === undefined ? own : resolve(own, firstLine(shared));
    return { common, settings: readGitConfig(files, join(common, 'config'), home) };
  } catch (error) {
    return unknownBecause('.git', error);
  }
}
