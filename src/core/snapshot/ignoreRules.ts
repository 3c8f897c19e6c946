import { basename, dirname, join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { readIfThere } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { excludesFileOf } from './gitConfig.ts';
import { isUnknown, repositoryAt, unknownBecause, type GitRepository, type RulesUnknown } from './gitRepository.ts';
import { byteText, IgnorePatterns } from './ignorePatterns.ts';

export interface IgnoreOptions {
  /** The user's ignore file for every repository (`globalExcludesFile`); it need not be there. */
  readonly globalExcludes?: string | undefined;
  /** Patterns of `turnstone.exclude`, relative to the root: no ignore file brings back what they hide. */
  readonly exclude?: readonly string[] | undefined;
  /** For `~` in a repository's own `core.excludesFile`. */
  readonly home?: string | undefined;
}

/** The rules for what is in one folder that is not hidden itself. */
export interface FolderRules {
  ignores(name: string, isDirectory: boolean): boolean;
  /** The rules for a folder in it that they don't hide, given the names that are in there. */
  enter(name: string, names: readonly string[]): FolderRules | RulesUnknown;
}

/**
 * What git would ignore below a root, found without git. Nothing is remembered from one look to the next: the files that say it are read anew.
 * Git's index is not looked at, so a file that is ignored is so also where git tracks it.
 */
export interface IgnoreRules {
  begin(files: Files, root: string, names: readonly string[]): FolderRules | RulesUnknown;
}

/** Patterns, and how a path below the root reads from where they count: some letters less, or some more. */
interface Level {
  readonly patterns: IgnorePatterns;
  readonly cut: number;
  readonly prefix: string;
}

interface Look {
  readonly files: Files;
  readonly home: string;
  readonly globalExcludes: string | undefined;
  readonly extra: IgnorePatterns;
}

function readPatterns(files: Files, path: string, ignoreCase: boolean): IgnorePatterns | RulesUnknown {
  try {
    return new IgnorePatterns(Buffer.from(readIfThere(files, path) ?? []).toString('utf8'), ignoreCase);
  } catch (error) {
    return unknownBecause(basename(path) === 'exclude' ? '.git/info/exclude' : path, error);
  }
}

/** What counts in a whole work tree: the deeper says more, so `info/exclude` is before the user's own file. */
function baseLevels({ files, home, globalExcludes }: Look, repository: GitRepository | undefined, at: Omit<Level, 'patterns'>): readonly Level[] | RulesUnknown {
  const ignoreCase = ignoresCase(repository);
  const settings = repository?.settings;
  const everywhere = settings?.has('core.excludesfile') === true ? excludesFileOf(settings, home) : globalExcludes;
  const sources = [repository === undefined ? undefined : join(repository.common, 'info', 'exclude'), everywhere];
  const levels: Level[] = [];
  for (const source of sources) {
    const patterns = source === undefined ? undefined : readPatterns(files, source, ignoreCase);
    if (isUnknown(patterns)) return patterns;
    if (patterns !== undefined && !patterns.isEmpty) levels.push({ ...at, patterns });
  }
  return levels;
}

function ignoresCase(repository: GitRepository | undefined): boolean {
  return /^(true|yes|on|1)$/i.test(repository?.settings.get('core.ignorecase') ?? '');
}

/** A folder's own `.gitignore`. What it would have said must be known: else what is hidden might be copied. */
function ownPatterns(files: Files, folder: string, ignoreCase: boolean): IgnorePatterns | RulesUnknown | undefined {
  const path = join(folder, '.gitignore');
  try {
    const stat = files.stat(path);
    if (stat === undefined) return undefined;
    // Git follows no link here either.
    if (stat.kind !== 'file') return { reason: 'its .gitignore is no regular file' };
    return new IgnorePatterns(Buffer.from(files.read(path)).toString('utf8'), ignoreCase);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : unknownBecause('its .gitignore', error);
  }
}

class Folder implements FolderRules {
  private readonly look: Look;
  private readonly absolute: string;
  /** Relative to the root, as a byte text: empty, or with a `/` at its end. */
  private readonly path: string;
  private readonly ignoreCase: boolean;
  /** The innermost first: the first that says something counts. */
  private readonly levels: readonly Level[];

  constructor(look: Look, absolute: string, path: string, ignoreCase: boolean, levels: readonly Level[]) {
    this.look = look;
    this.absolute = absolute;
    this.path = path;
    this.ignoreCase = ignoreCase;
    this.levels = levels;
  }

  ignores(name: string, isDirectory: boolean): boolean {
    const path = `${this.path}${byteText(name)}${isDirectory ? '/' : ''}`;
    if (this.look.extra.verdict(path) === true) return true;
    for (const { patterns, cut, prefix } of this.levels) {
      const verdict = patterns.verdict(prefix + path.slice(cut));
      if (verdict !== undefined) return verdict;
    }
    return false;
  }

  enter(name: string, names: readonly string[]): FolderRules | RulesUnknown {
    const absolute = join(this.absolute, name);
    const path = `${this.path}${byteText(name)}/`;
    const repository = names.includes('.git') ? repositoryAt(this.look.files, absolute, this.look.home) : undefined;
    if (isUnknown(repository)) return repository;
    if (repository === undefined) return new Folder(this.look, absolute, path, this.ignoreCase, this.levels).withOwn(names);
    const levels = baseLevels(this.look, repository, { cut: path.length, prefix: '' });
    return isUnknown(levels) ? levels : new Folder(this.look, absolute, path, ignoresCase(repository), levels).withOwn(names);
  }

  withOwn(names: readonly string[]): Folder | RulesUnknown {
    const own = names.includes('.gitignore') ? ownPatterns(this.look.files, this.absolute, this.ignoreCase) : undefined;
    if (isUnknown(own)) return own;
    if (own === undefined || own.isEmpty) return this;
    return new Folder(this.look, this.absolute, this.path, this.ignoreCase, [{ patterns: own, cut: this.path.length, prefix: '' }, ...this.levels]);
  }
}

/** The folder itself, or the nearest above it, where a repository's work tree begins. */
function nearestRepository(look: Look, folder: string): { readonly top: string; readonly repository: GitRepository } | RulesUnknown | undefined {
  const repository = repositoryAt(look.files, folder, look.home);
  if (isUnknown(repository)) return repository;
  if (repository !== undefined) return { top: folder, repository };
  return dirname(folder) === folder ? undefined : nearestRepository(look, dirname(folder));
}

/** What the folders between a repository's top and the root say about what is below; undefined where they hide the root itself. */
function levelsAbove(look: Look, top: string, root: string, repository: GitRepository): readonly Level[] | RulesUnknown | undefined {
  const ignoreCase = ignoresCase(repository);
  const parts = byteText(root.slice(top.length)).split(/[\\/]/).filter(part => part !== '');
  const below = (depth: number): string => parts.slice(depth).map(part => `${part}/`).join('');
  const base = baseLevels(look, repository, { cut: 0, prefix: below(0) });
  if (isUnknown(base)) return base;
  let levels = base;
  let folder = root;
  const folders = parts.map(() => (folder = dirname(folder))).reverse();
  for (const [depth, above] of folders.entries()) {
    const own = ownPatterns(look.files, above, ignoreCase);
    if (isUnknown(own)) return { reason: own.reason.replace('its .gitignore', `the .gitignore of ${basename(above)}`) };
    if (own !== undefined) levels = [{ patterns: own, cut: 0, prefix: below(depth) }, ...levels];
    const next = `${parts[depth] as string}/`;
    const verdicts = levels.map(({ patterns, prefix }) => patterns.verdict(prefix.slice(0, prefix.length - below(depth).length) + next));
    if (verdicts.find(verdict => verdict !== undefined) === true) return undefined;
  }
  return levels;
}

function begin(look: Look, root: string, names: readonly string[]): FolderRules | RulesUnknown {
  const nearest = nearestRepository(look, root);
  if (isUnknown(nearest)) return nearest;
  const above = nearest === undefined ? undefined : levelsAbove(look, nearest.top, root, nearest.repository);
  // Somebody who opens a folder that is hidden in the repository around it wants it looked at: then it stands for itself.
  const levels = above ?? baseLevels(look, undefined, { cut: 0, prefix: '' });
  if (isUnknown(levels)) return levels;
  return new Folder(look, root, '', above !== undefined && nearest !== undefined && ignoresCase(nearest.repository), levels).withOwn(names);
}

export function ignoreRules({ globalExcludes, exclude = [], home = '/' }: IgnoreOptions): IgnoreRules {
  return { begin: (files, root, names) => begin({ files, home, globalExcludes, extra: new IgnorePatterns(exclude.join('\n'), false) }, root, names) };
}
