import { TurnstoneError } from './core/base/errors.ts';
import type { RootStore } from './core/timeline/store.ts';
import type { Runtime } from './agents/shim.ts';
import { knownRoot, neighboursOf, openStore, planContext } from './cli/context.ts';
import { help } from './cli/help.ts';
import { runHooks } from './cli/hooks.ts';
import { branches } from './cli/branches.ts';
import { makeCheckpoint } from './cli/checkpoint.ts';
import { diff } from './cli/compare.ts';
import { log, show } from './cli/look.ts';
import { history } from './core/capture/history.ts';
import { runHook } from './cli/hook.ts';
import { isHookCall, readOptions, type Options } from './cli/options.ts';
import { exitCodes, incomplete, outputOfError, type Output } from './cli/output.ts';
import { runPause } from './cli/pause.ts';
import { plainText } from './cli/plainText.ts';
import { runRestore } from './cli/restores.ts';

/** Looks as far as the history, and what it names, can be read; what is not found may be in the part that can't, and what is may not be all. */
function look(store: RootStore, find: (store: RootStore) => Output): Output {
  const damage = store.damage ?? store.missingContents;
  if (damage === undefined) return find(store);
  try {
    return incomplete(new TurnstoneError('damaged', damage), find(store));
  } catch (error) {
    throw TurnstoneError.is(error, 'notFound') ? new TurnstoneError('damaged', damage, error) : error;
  }
}

/** Runs one command; throws what `outputOfError` turns into an exit code. */
async function runCommand(options: Options, directory: string, runtime: Runtime): Promise<Output> {
  if (options.help) return { json: { help }, text: help.trimEnd(), exitCode: exitCodes.done };
  if (options.command === '') return { ...outputOfError(new TurnstoneError('usage', 'No command was given. Nothing was touched. See turnstone --help.')), text: help.trimEnd() };
  if (options.command === 'hooks') return runHooks(options, directory, runtime);
  if (options.command === 'checkpoint') return makeCheckpoint(options, directory);
  if (options.command === 'pause' || options.command === 'resume') return runPause(options, directory);
  const open = (): ReturnType<typeof openStore> => openStore(options, knownRoot(options, directory));
  const [id = '', second] = options.arguments;
  switch (options.command) {
    case 'log':
      return look(open(), store => log(store, options.all));
    case 'show':
      return look(open(), store => show(store, id));
    case 'diff':
      return look(open(), store => diff(store, id, second, options.path));
    case 'branches':
      return look(open(), branches);
    case 'rewind':
    case 'rollback':
    case 'undo':
    case 'redo':
    case 'switch':
    case 'fork':
      return restoreIn(options, open());
    default:
      throw new TurnstoneError('usage', `There is no command ${options.command}. Nothing was touched. See turnstone --help.`);
  }
}

function restoreIn(options: Options, store: RootStore): Promise<Output> {
  return runRestore(planContext(options, store), neighboursOf(options, store), options);
}

function print(output: Output, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(output.json)}\n`);
  else (output.isRefusal === true ? process.stderr : process.stdout).write(`${plainText(output.text)}\n`);
}

/** The whole command line: reads it, runs it, prints, and sets the exit code. */
export async function main(argv: readonly string[], bundle: string): Promise<void> {
  let json = argv.includes('--json');
  try {
    const options = readOptions(argv, process.env, process.platform);
    json = options.json;
    // Standard output is the client's from here on. Most commands have no use for what it takes to speak its protocol.
    if (options.command === 'mcp' && !options.help) return await (await import('./mcp.js')).serve(options, process.cwd(), bundle);
    if (options.command === 'hook') return await runHook(options.storage, options.arguments[0] ?? '', options.arguments[1], async () => history);
    const output = await runCommand(options, process.cwd(), { executable: process.execPath, bundle });
    process.exitCode = output.exitCode;
    print(output, json);
  } catch (error) {
    // An agent must never notice its hook, whatever it was called with.
    if (isHookCall(argv)) return;
    const output = outputOfError(error);
    process.exitCode = output.exitCode;
    print(output, json);
  }
}

// The entry's other bundle has no schemas; what it needs of them it takes from here.
export { history };
