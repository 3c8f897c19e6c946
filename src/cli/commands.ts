import { TurnstoneError } from '../core/base/errors.ts';
import type { Runtime } from '../agents/shim.ts';
import { knownRoot, openStore, planContext } from './context.ts';
import { help } from './help.ts';
import { runHooks } from './hooks.ts';
import { diff, log, show } from './look.ts';
import type { Options } from './options.ts';
import { exitCodes, type Output } from './output.ts';
import { runRestore } from './restores.ts';

function one(options: Options): string {
  const [id, ...more] = options.arguments;
  if (id === undefined || more.length > 0) throw new TurnstoneError('usage', `${options.command} takes one id. See turnstone --help.`);
  return id;
}

/** Runs one command; throws what `outputOfError` turns into an exit code. */
export async function runCommand(options: Options, directory: string, runtime: Runtime): Promise<Output> {
  if (options.help || options.command === '') return { json: { help }, text: help.trimEnd(), exitCode: options.help ? exitCodes.done : exitCodes.usage };
  if (options.command === 'hooks') return runHooks(options, directory, runtime);
  const open = (): ReturnType<typeof openStore> => openStore(options, knownRoot(options, directory));
  switch (options.command) {
    case 'log':
      return log(open(), options.all);
    case 'show':
      return show(open(), one(options));
    case 'diff': {
      const [id, second, ...more] = options.arguments;
      if (id === undefined || more.length > 0) throw new TurnstoneError('usage', 'diff takes one id, or two. See turnstone --help.');
      return diff(open(), id, second, options.path);
    }
    case 'rewind':
    case 'rollback':
    case 'undo':
    case 'redo':
      return runRestore(planContext(options, open()), options);
    default:
      throw new TurnstoneError('usage', `There is no command ${options.command}. Nothing was touched. See turnstone --help.`);
  }
}
