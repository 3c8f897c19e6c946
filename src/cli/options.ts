import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { userHome } from '../agents/userHome.ts';
import { TurnstoneError, messageOf } from '../core/base/errors.ts';
import type { OnConflict } from '../core/rewind/plan.ts';
import { commandRules } from './commandRules.ts';

const onConflictValues: readonly OnConflict[] = ['stop', 'skip', 'merge', 'overwrite'];

/** The command line, read and checked. */
export interface Options {
  readonly storage: string;
  readonly root: string | undefined;
  readonly json: boolean;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly path: string | undefined;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly onConflict: OnConflict;
  readonly scope: string | undefined;
  readonly reach: 'session' | 'workspace' | undefined;
  readonly message: string | undefined;
  readonly readOnly: boolean;
  readonly help: boolean;
}

/** Where histories are kept when neither an option nor the environment says: the user's own data folder. */
export function defaultStorage(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = userHome(environment);
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Turnstone');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Turnstone');
  return join(environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'turnstone');
}

function usage(message: string): TurnstoneError {
  return new TurnstoneError('usage', `${message} Nothing was touched. See turnstone --help.`);
}

function notYet(what: string): TurnstoneError {
  return new TurnstoneError('usage', `${what} is not there yet. Nothing was touched.`);
}

function parse(argv: readonly string[]): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        store: { type: 'string' },
        root: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        all: { type: 'boolean' },
        path: { type: 'string' },
        hunk: { type: 'string' },
        scope: { type: 'string' },
        reach: { type: 'string' },
        'dry-run': { type: 'boolean' },
        'on-conflict': { type: 'string' },
        'read-only': { type: 'boolean' },
        message: { type: 'string', short: 'm' },
      },
    });
  } catch (error) {
    throw usage(`${messageOf(error).replaceAll('\n', ' ').replace(/\.?$/, '.')}`);
  }
}

/** Refuses what a command does not take, before anything is looked up: it may be what was to keep a file from being touched. */
function check(command: string, words: readonly string[], values: Readonly<Record<string, unknown>>): void {
  const rule = commandRules.get(command);
  if (rule === undefined && command !== '') throw usage(`There is no command ${command}.`);
  const taken: readonly string[] = ['store', 'root', 'json', 'help', ...(rule?.options ?? [])];
  const other = Object.keys(values).find(name => !taken.includes(name));
  if (other !== undefined) throw usage(`${command === '' ? 'turnstone' : command} takes no --${other}.`);
  if (rule === undefined) return;
  const [least, most] = rule.words;
  const isOther = rule.wordValues?.some((known, index) => !known.includes(words[index] ?? '')) === true;
  if (words.length < least || words.length > most || isOther) throw usage(`${command} takes ${rule.takes}.`);
  for (const [name, known] of Object.entries(rule.values ?? {})) {
    const value = values[name];
    if (typeof value === 'string' && !known.includes(value)) throw usage(`--${name} takes ${known.join(' or ')}.`);
  }
  if (command === 'rewind' && (values['scope'] ?? 'code') !== 'code') throw notYet(`This version rewinds code; --scope ${String(values['scope'])}`);
  if (command === 'rollback' && values['hunk'] !== undefined) throw notYet('This version rolls back files, calls and turns; --hunk');
}

/** Whether the words are for a hook, whatever else is wrong with them. */
export function isHookCall(argv: readonly string[]): boolean {
  const { positionals } = parseArgs({ args: [...argv], allowPositionals: true, strict: false, options: { store: { type: 'string' }, root: { type: 'string' } } });
  return positionals[0] === 'hook';
}

/** Reads the command line; throws `usage` for what can't be understood. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): Options {
  const { values, positionals } = parse(argv);
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
  const [command = '', ...words] = positionals;
  if (values['help'] !== true) check(command, words, values);
  const onConflict = onConflictValues.find(value => value === (text('on-conflict') ?? 'stop'));
  if (onConflict === undefined) throw usage(`--on-conflict takes ${onConflictValues.join(', ')}.`);
  return {
    storage: text('store') ?? environment['TURNSTONE_STORE'] ?? defaultStorage(environment, platform),
    root: text('root'),
    json: values['json'] === true,
    command,
    arguments: words,
    path: text('path'),
    all: values['all'] === true,
    dryRun: values['dry-run'] === true,
    onConflict,
    scope: text('scope'),
    reach: text('reach') as Options['reach'],
    message: text('message'),
    readOnly: values['read-only'] === true,
    help: values['help'] === true,
  };
}
