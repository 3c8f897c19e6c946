import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TurnstoneError, messageOf } from '../core/base/errors.ts';
import type { OnConflict } from '../core/rewind/plan.ts';

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
  readonly reach: string | undefined;
  readonly hunk: string | undefined;
  readonly message: string | undefined;
  readonly help: boolean;
}

/** Where histories are kept when neither an option nor the environment says: the user's own data folder. */
export function defaultStorage(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = environment['HOME'] ?? homedir();
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Turnstone');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Turnstone');
  return join(environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'turnstone');
}

function usage(message: string): TurnstoneError {
  return new TurnstoneError('usage', `${message} Nothing was touched. See turnstone --help.`);
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
        message: { type: 'string', short: 'm' },
      },
    });
  } catch (error) {
    throw usage(`${messageOf(error).split('\n')[0] ?? 'The options are wrong'}.`);
  }
}

type OptionName = 'message' | 'all' | 'path' | 'hunk' | 'scope' | 'reach' | 'dry-run' | 'on-conflict';

/** What each command takes besides `--store`, `--root` and `--json`. */
const optionsOf: Readonly<Record<string, readonly OptionName[]>> = {
  log: ['all'],
  diff: ['path'],
  rewind: ['scope', 'reach', 'dry-run', 'on-conflict'],
  rollback: ['path', 'hunk', 'dry-run', 'on-conflict'],
  undo: ['dry-run', 'on-conflict'],
  redo: ['dry-run', 'on-conflict'],
  switch: ['dry-run', 'on-conflict'],
  fork: ['reach', 'dry-run', 'on-conflict'],
  checkpoint: ['message'],
  hooks: ['scope'],
};

// An option that is passed over in silence may be the one that was to keep a file from being touched.
function refuseOthers(command: string, values: Readonly<Record<string, unknown>>): void {
  const taken: readonly string[] = ['store', 'root', 'json', 'help', ...(optionsOf[command] ?? [])];
  const other = Object.keys(values).find(name => !taken.includes(name));
  if (command !== 'hook' && other !== undefined) throw usage(`${command === '' ? 'turnstone' : command} takes no --${other}.`);
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
  refuseOthers(positionals[0] ?? '', values);
  const onConflict = onConflictValues.find(value => value === (text('on-conflict') ?? 'stop'));
  if (onConflict === undefined) throw usage(`--on-conflict takes ${onConflictValues.join(', ')}.`);
  return {
    storage: text('store') ?? environment['TURNSTONE_STORE'] ?? defaultStorage(environment, platform),
    root: text('root'),
    json: values['json'] === true,
    command: positionals[0] ?? '',
    arguments: positionals.slice(1),
    path: text('path'),
    all: values['all'] === true,
    dryRun: values['dry-run'] === true,
    onConflict,
    scope: text('scope'),
    reach: text('reach'),
    hunk: text('hunk'),
    message: text('message'),
    help: values['help'] === true,
  };
}
