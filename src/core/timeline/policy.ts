import { isAbsolute, relative, sep } from 'node:path';
import type { Files } from '../base/files.ts';
import { readIfThere } from '../base/fileTools.ts';
import { isShape, listAt, type Shape } from '../base/shape.ts';

/** Where the machine's owner says what is not to be done. Not in the environment, and nowhere that a user may write: neither could forbid anything. */
export function policyPath(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\Turnstone\\policy.json';
  return platform === 'darwin' ? '/Library/Application Support/Turnstone/policy.json' : '/etc/turnstone/policy.json';
}

/** What can be forbidden as a whole: installing hooks, tools for models that write, the API for other extensions. */
export type PolicyMatter = 'install' | 'tools' | 'extensions';

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isIn(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

const names: ReadonlySet<string> = new Set(['folders', 'agents', 'install', 'tools', 'extensions']);

/** What a policy forbids; undefined where it is not one. What is misspelled would silently be allowed. */
function readForbidden(value: unknown): Shape | undefined {
  const forbid = isShape(value) && value['format'] === 1 ? value['forbid'] : undefined;
  if (!isShape(forbid) || !Object.keys(forbid).every(name => names.has(name))) return undefined;
  const areLists = ['folders', 'agents'].every(name => forbid[name] === undefined || listAt(forbid, name)?.every(isText) === true);
  const areSwitches = ['install', 'tools', 'extensions'].every(name => forbid[name] === undefined || typeof forbid[name] === 'boolean');
  return areLists && areSwitches ? forbid : undefined;
}

/**
 * The policy of the machine: a file in a directory of the system's.
 *
 * Invariant: one that is there and can't be understood forbids everything, and every refusal says where it is.
 */
export class Policy {
  private readonly path: string;
  private readonly forbidden: Shape | 'unreadable' | undefined;

  private constructor(path: string, forbidden: Shape | 'unreadable' | undefined) {
    this.path = path;
    this.forbidden = forbidden;
  }

  static read(files: Files, path: string = policyPath()): Policy {
    try {
      const bytes = readIfThere(files, path);
      return new Policy(path, bytes === undefined ? undefined : (readForbidden(JSON.parse(Buffer.from(bytes).toString('utf8'))) ?? 'unreadable'));
    } catch {
      return new Policy(path, 'unreadable');
    }
  }

  /** Why nothing may be recorded in a folder; undefined where it may. The path is canonical. */
  whyNotIn(folder: string): string | undefined {
    return this.why(forbid => (listAt(forbid, 'folders') ?? []).some(above => isText(above) && isIn(above, folder)), `recording in ${folder}`);
  }

  whyNotAgent(agent: string): string | undefined {
    return this.why(forbid => (listAt(forbid, 'agents') ?? []).includes(agent), `recording ${agent}`);
  }

  whyNot(matter: PolicyMatter): string | undefined {
    const what: Readonly<Record<PolicyMatter, string>> = { install: 'installing hooks', tools: 'tools that write', extensions: 'recording other extensions' };
    return this.why(forbid => forbid[matter] === true, what[matter]);
  }

  private why(isForbidden: (forbid: Shape) => boolean, what: string): string | undefined {
    const { forbidden, path } = this;
    if (forbidden === undefined) return undefined;
    if (forbidden === 'unreadable') return `The policy of this machine, ${path}, can't be understood, so ${what} is not allowed.`;
    return isForbidden(forbidden) ? `The policy of this machine, ${path}, does not allow ${what}.` : undefined;
  }
}
