import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { claudeEnvironment } from './claudeEnvironment.ts';
import { ensureNpmProgram } from './npmProgram.ts';
import type { Availability } from './npmProgram.ts';

/** The version that all recorded payloads and all facts in the tests come from. */
export function ensureClaudeCode(): Promise<Availability> {
  return ensureNpmProgram({ package: '@anthropic-ai/claude-code', version: '2.1.332', binary: 'claude' });
}

export interface ClaudeOptions {
  readonly command: string;
  readonly project: string;
  readonly home: string;
  readonly prompt: string;
  /** The scripted model's address. */
  readonly modelUrl: string;
  /** An earlier session to go on with; `continue` is the newest one in this project. */
  readonly resume?: string | 'continue';
  readonly allowedTools?: readonly string[];
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ClaudeResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Unknown only with `continue`, where the program chooses. */
  readonly sessionId: string | undefined;
}

export interface ClaudeRun {
  readonly sessionId: string | undefined;
  readonly finished: Promise<ClaudeResult>;
  interrupt(signal: 'SIGINT' | 'SIGKILL'): void;
}

/** Starts one headless turn; the caller may interrupt it. */
export function startClaude(options: ClaudeOptions): ClaudeRun {
  const { sessionId, selection } = selectSession(options.resume);
  const tools = options.allowedTools ?? ['Bash', 'Write', 'Edit', 'Read', 'NotebookEdit', 'Agent'];
  const child = spawn(
    options.command,
    [
      ...['-p', options.prompt, ...selection],
      ...['--permission-mode', 'acceptEdits', '--allowedTools', tools.join(' ')],
      ...(options.arguments ?? []),
    ],
    {
      cwd: options.project,
      env: { ...claudeEnvironment(options.home, options.modelUrl), ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const finished = new Promise<ClaudeResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
      resolve({ exitCode, signal, stdout: text(stdout), stderr: text(stderr), sessionId });
    });
  });
  return { sessionId, finished, interrupt: (signal) => child.kill(signal) };
}

/** Runs one headless turn to its end. */
export function runClaude(options: ClaudeOptions): Promise<ClaudeResult> {
  return startClaude(options).finished;
}

/** A new session gets its id from us, because an interrupted run never prints the one it chose. */
function selectSession(resume: string | undefined): { sessionId: string | undefined; selection: string[] } {
  if (resume === 'continue') return { sessionId: undefined, selection: ['--continue'] };
  if (resume !== undefined) return { sessionId: resume, selection: ['--resume', resume] };
  const sessionId = randomUUID();
  return { sessionId, selection: ['--session-id', sessionId] };
}
