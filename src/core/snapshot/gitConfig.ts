import { dirname, isAbsolute, join } from 'node:path';
import { readIfThere } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';

/** Where a user's own settings of git are. */
export interface GitHome {
  readonly home: string;
  /** `$XDG_CONFIG_HOME`, where it is set. */
  readonly configHome?: string | undefined;
}

/** As deep as git follows includes. */
const includeDepth = 10;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' };

/** A value without its quotes, escapes and comment. */
function valueOf(text: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '\\') {
      index += 1;
      value += escapes[text[index] ?? ''] ?? '';
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) break;
    else value += character;
    // Blanks at the end count only in quotes.
    if (isQuoted || !/\s/.test(character)) kept = value.length;
  }
  return value.slice(0, kept);
}

function textIfReadable(files: Files, path: string): string {
  try {
    return Buffer.from(readIfThere(files, path) ?? []).toString('utf8');
  } catch {
    // As little as git we can do with settings that can't be read, and none of them uncovers anything.
    return '';
  }
}

/** A path of a setting, as git reads it; undefined for one that only git could resolve. */
function pathOf(value: string, folder: string, home: string): string | undefined {
  if (value === '~' || value.startsWith('~/')) return join(home, value.slice(1));
  if (value.startsWith('~') || value.startsWith('%(')) return undefined;
  return isAbsolute(value) ? value : join(folder, value);
}

/** The settings of a file of git's format, the names in small letters (`core.excludesfile`); the last of a name counts. Conditional includes are passed over. */
export function readGitConfig(files: Files, path: string, home: string, depth = 0): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  const text = textIfReadable(files, path).replace(/^\ufeff/, '').replace(/\\\r?\n/g, '');
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([-.\w]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/.exec(line);
    if (header !== null) section = (header[1] as string).toLowerCase() + (header[2] === undefined ? '' : `.${header[2]}`);
    const setting = /^\s*([A-Za-z][-\w]*)\s*(?:=\s*(.*))?$/.exec(header === null ? line : line.slice(header[0].length));
    if (setting === null) continue;
    const name = `${section}.${(setting[1] as string).toLowerCase()}`;
    const value = setting[2] === undefined ? 'true' : valueOf(setting[2]);
    settings.set(name, value);
    const included = name === 'include.path' && depth < includeDepth ? pathOf(value, dirname(path), home) : undefined;
    if (included !== undefined) for (const [other, its] of readGitConfig(files, included, home, depth + 1)) settings.set(other, its);
  }
  return settings;
}

/** The file that a `core.excludesFile` names; undefined where it names none. */
export function excludesFileOf(settings: ReadonlyMap<string, string>, home: string): string | undefined {
  const value = settings.get('core.excludesfile');
  return value === undefined || value === '' ? undefined : pathOf(value, home, home);
}

/** The file of ignore rules that the user has for every repository: what `core.excludesFile` says, else the usual one. It need not be there. */
export function globalExcludesFile(files: Files, { home, configHome }: GitHome): string | undefined {
  const folder = join(configHome === undefined || configHome === '' ? join(home, '.config') : configHome, 'git');
  const settings = new Map([...readGitConfig(files, join(folder, 'config'), home), ...readGitConfig(files, join(home, '.gitconfig'), home)]);
  return settings.has('core.excludesfile') ? excludesFileOf(settings, home) : join(folder, 'ignore');
}
