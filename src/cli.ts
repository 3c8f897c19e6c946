import { runHook } from './cli/hook.ts';

/**
 * The command line's entry. A hook is a process per event and the agent waits for it, so its way is kept
 * apart and loads nothing that it does not need: the shim calls `turnstone hook AGENT EVENT` with the store
 * in the environment. Everything else is in a bundle of its own beside this one.
 */
const [command, agent, event] = process.argv.slice(2);
const storage = process.env['TURNSTONE_STORE'];
if (command === 'hook' && storage !== undefined && agent !== undefined && !agent.startsWith('-')) {
  void runHook(storage, agent, event, async () => (await import('./commands.js')).history);
} else void import('./commands.js').then(({ main }) => main(process.argv.slice(2), process.argv[1] ?? ''));
