import { TurnstoneError } from '../core/base/errors.ts';

/**
 * The command that an agent runs at an event. It never changes for the same shim, because one agent trusts
 * a hook by the hash of its command.
 *
 * It guards itself: some agents block every tool when a hook's file is missing, so without the shim it does
 * nothing and succeeds. It names agent and event, because payloads alone can't tell them apart.
 *
 * On Windows it is for Git Bash, which Claude Code uses for hooks where it is installed. That is an
 * assumption from reports about it (anthropics/claude-code issues 54640 and 21878, in which bash eats the
 * backslashes of hook commands), hence forward slashes, and `-f` because the executable bit of a `.cmd`
 * is a guess there. Without Git Bash the agent falls back to PowerShell, which can't run it: test it first.
 */
export function hookCommand(shim: string, agent: string, event: string, platform: NodeJS.Platform): string {
  const windows = platform === 'win32';
  const path = windows ? shim.replaceAll('\\', '/') : shim;
  if (!isShimPath(path, windows)) {
    const rule = 'it must be an absolute path to "turnstone" without control characters';
    throw new TurnstoneError('invalidPath', `No hook command can be made for ${JSON.stringify(shim)}: ${rule}. Nothing was written.`);
  }
  if (!word.test(agent) || !word.test(event)) {
    const names = `agent ${JSON.stringify(agent)} and event ${JSON.stringify(event)}`;
    throw new TurnstoneError('usage', `No hook command can be made for ${names}: both must be single words. Nothing was written.`);
  }
  return compose(path, agent, event, windows);
}

/** Whether `hookCommand` could have made this, for whatever shim, agent, event and platform. */
export function isTurnstoneCommand(command: string): boolean {
  return partsOfCommand(command) !== undefined;
}

/** What `hookCommand` made this of; undefined where it is somebody else's, or was changed. */
export function partsOfCommand(command: string): { readonly shim: string; readonly agent: string; readonly event: string } | undefined {
  const [, test, quoted, agent, event] = pattern.exec(command) ?? [];
  if (test === undefined || quoted === undefined || agent === undefined || event === undefined) return undefined;
  const path = quoted.slice(1, -1).replaceAll(quoteInQuotes, "'");
  const windows = test === '-f';
  const isOurs = isShimPath(path, windows) && word.test(agent) && word.test(event) && command === compose(path, agent, event, windows);
  return isOurs ? { shim: path, agent, event } : undefined;
}

function compose(path: string, agent: string, event: string, windows: boolean): string {
  const quoted = `'${path.replaceAll("'", quoteInQuotes)}'`;
  return `[ ${windows ? '-f' : '-x'} ${quoted} ] || exit 0; exec ${quoted} hook ${agent} ${event}`;
}

// Line breaks would end the command, and shells disagree about other control characters.
function isShimPath(path: string, windows: boolean): boolean {
  const absolute = windows ? /^(?:[A-Za-z]:\/|\/\/)[^\\]*$/ : /^\//;
  return absolute.test(path) && /\/turnstone(?:\.cmd)?$/.test(path) && !/[\u0000-\u001f\u007f]/.test(path);
}

// A single quote can't be escaped between single quotes: close them, escape it, open them again.
const quoteInQuotes = String.raw`'\''`;
const word = /^[A-Za-z][A-Za-z0-9-]*$/;
const pattern = /^\[ (-[xf]) ('.*') \] \|\| exit 0; exec \2 hook (\S+) (\S+)$/s;
