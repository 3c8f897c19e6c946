import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../support/processTree.ts';
import { until } from '../support/until.ts';
import { claudeEnvironment } from './claudeEnvironment.ts';
import type { Scratch } from './scratch.ts';

export interface ClaudeTerminal {
  /** Types a prompt and sends it. */
  prompt(text: string): Promise<void>;
  /** Presses one key by its tmux name, such as Escape. */
  press(key: string): void;
  screen(): string;
  /** Closes the terminal and waits for the program, which still has a session to end and files to write. */
  stop(): Promise<void>;
}

export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs the interactive program in a tmux of its own, for what only a person at a terminal can do. */
export async function startClaudeTerminal(
  place: Scratch,
  options: { readonly command: string; readonly modelUrl: string; readonly sessionId: string },
): Promise<ClaudeTerminal> {
  const environment = claudeEnvironment(place.home, options.modelUrl);
  answerFirstQuestions(place, environment['ANTHROPIC_API_KEY'] ?? '');
  const socket = join(place.home, 'tmp', 'tmux');
  const tmux = (...parameters: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...parameters], { encoding: 'utf8', env: environment });
  const screen = (): string => tmux('capture-pane', '-p');

  const program = [
    ...[options.command, '--session-id', options.sessionId, '--permission-mode', 'acceptEdits'],
    ...['--allowedTools', 'Bash Write Edit Read NotebookEdit Agent'],
  ];
  tmux('new-session', '-d', '-x', '120', '-y', '40', '-c', place.project, ...program);
  const pid = Number(tmux('display-message', '-p', '#{pane_pid}'));
  const terminal: ClaudeTerminal = {
    async prompt(text) {
      tmux('send-keys', '-l', text);
      // Enter in the same burst as the text would be taken for a pasted line end.
      await until(`the prompt shows "${text}"`, () => screen().includes(text), 15_000);
      tmux('send-keys', 'Enter');
    },
    press: (key) => void tmux('send-keys', key),
    screen,
    async stop() {
      tmux('kill-server');
      await until('the program ends with its terminal', () => !isAlive(pid), 15_000);
    },
  };
  try {
    await until('the program is ready for a prompt', () => screen().includes('accept edits on'), 60_000);
  } catch (error) {
    const seen = screen();
    await terminal.stop();
    throw new Error(`The terminal shows:\n${seen}`, { cause: error });
  }
  return terminal;
}

/** The questions of a first start would stand in front of the prompt. */
function answerFirstQuestions(place: Scratch, key: string): void {
  const file = join(place.home, '.claude.json');
  const known: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const settings = {
    ...(known as object),
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [place.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(file, JSON.stringify(settings));
}
