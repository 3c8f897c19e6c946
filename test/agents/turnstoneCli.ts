import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { runNpm } from '../support/command.ts';
import { repositoryRoot } from '../support/paths.ts';
import type { ClaudeEvent } from './recordedEvents.ts';
import type { Scratch } from './scratch.ts';

export interface LoggedFile {
  readonly path: string;
  readonly status: string;
  readonly state: string;
}

export interface LoggedTurn {
  readonly coverage: { readonly state: 'full' | 'partly'; readonly reasons: readonly string[] };
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly prompt: string;
  readonly state: 'open' | 'closed' | 'interrupted';
  readonly files: readonly LoggedFile[];
}

export interface Answer {
  readonly exitCode: number | null;
  readonly json: unknown;
  /** Everything it printed, to be shown when an assertion fails. */
  readonly output: string;
}

export interface Turnstone {
  run(...parameters: string[]): Answer;
  /** Hands one event of Claude Code on as an installed hook would. */
  hook(event: ClaudeEvent): Answer;
  /** The same for any agent: the event's name is the hook's own, and the payload whatever that agent sends. */
  hookOf(agent: string, event: string, payload: unknown): Answer;
  /** The turns of the log, oldest first. */
  turns(): readonly LoggedTurn[];
}

export async function buildCli(): Promise<void> {
  await runNpm(['run', '--silent', 'build:cli'], repositoryRoot);
}

/** The built command line over a store of its own, with the scratch home as its user's. */
export function turnstoneFor(place: Scratch): Turnstone {
  const store = join(dirname(place.home), 'store');
  const cli = join(repositoryRoot, 'dist', 'cli.js');
  const start = (parameters: readonly string[], input = ''): Answer => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, '--store', store, ...parameters], {
      cwd: place.project,
      env: { PATH: process.env['PATH'], HOME: place.home },
      encoding: 'utf8',
      input,
    });
    return { exitCode: status, json: parseOrNothing(stdout), output: `${stdout}${stderr}` };
  };
  const run = (...parameters: string[]): Answer => start(['--json', ...parameters]);
  const hookOf = (agent: string, event: string, payload: unknown): Answer => start(['hook', agent, event], JSON.stringify(payload));
  return {
    run,
    hook: (event) => hookOf('claude-code', event.hook_event_name, event),
    hookOf,
    turns() {
      const { json, output } = run('log');
      const turns = (json as { turns?: readonly LoggedTurn[] } | undefined)?.turns;
      if (turns === undefined) throw new Error(`The log is no list of turns: ${output}`);
      return turns.toReversed();
    },
  };
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
