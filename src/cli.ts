import { runHook } from './cli/hook.ts';
import { readOptions, type Options } from './cli/options.ts';
import type { Output } from './cli/output.ts';

// A hook is a process per event, so it loads nothing that it does not need; the rest is loaded on demand.
async function run(options: Options): Promise<Output> {
  const { runCommand } = await import('./cli/commands.ts');
  return runCommand(options, process.cwd(), { executable: process.execPath, bundle: process.argv[1] ?? '' });
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  let json = argv.includes('--json');
  try {
    const options = readOptions(argv, process.env, process.platform);
    json = options.json;
    if (options.command === 'hook') {
      await runHook(options.storage, options.arguments[0] ?? '', options.arguments[1]);
      return;
    }
    const output = await run(options);
    process.exitCode = output.exitCode;
    print(output, json);
  } catch (error) {
    // An agent must never notice its hook, whatever it was called with.
    if (argv.includes('hook')) return;
    const { outputOfError } = await import('./cli/output.ts');
    const output = outputOfError(error);
    process.exitCode = output.exitCode;
    print(output, json);
  }
}

function print(output: Output, json: boolean): void {
  const isError = output.exitCode !== 0 && typeof output.json === 'object' && output.json !== null && 'error' in output.json;
  if (json) process.stdout.write(`${JSON.stringify(output.json)}\n`);
  else (isError ? process.stderr : process.stdout).write(`${output.text}\n`);
}

void main();
