import { rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { derivedId } from '../../../src/core/base/ids.ts';
import type { Content, Project, RunOptions } from './project.ts';

/** Sends the events that Claude Code sends, and changes the files in between as its tools do. */
export class PlayedAgent {
  readonly session: string;
  /** Where the agent is; a `cd` of it moves on. */
  directory: string;
  /** Older versions of the program give their prompts no ids. */
  givesPromptIds = true;
  private readonly project: Project;
  private readonly options: RunOptions;
  private prompts = 0;
  private uses = 0;

  constructor(project: Project, session = 'session-1', options: RunOptions = {}) {
    this.project = project;
    this.session = session;
    this.directory = project.folder;
    this.options = options;
  }

  /** An event's payload as the recordings have it. */
  payload(event: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
    return {
      session_id: this.session,
      transcript_path: `${this.project.home}/.claude/projects/p/${this.session}.jsonl`,
      cwd: this.directory,
      permission_mode: 'default',
      hook_event_name: event,
      ...(this.givesPromptIds ? { prompt_id: `${this.session}-prompt-${this.prompts}` } : {}),
      ...more,
    };
  }

  send(event: string, more?: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv = {}): void {
    this.project.hook(event, this.payload(event, more), { ...this.options, environment: { ...this.options.environment, ...environment } });
  }

  prompt(text: string): void {
    this.prompts += 1;
    this.send('UserPromptSubmit', { prompt: text });
  }

  tool(path: string, content: Content): Readonly<Record<string, unknown>> {
    this.uses += 1;
    const input = { file_path: this.project.path(path), content: typeof content === 'string' ? content : 'bytes' };
    return { tool_name: 'Write', tool_use_id: `toolu_${this.session}_${this.uses}`, tool_input: input };
  }

  /** Pre event, change of the file, Post event; null lets the file go. */
  change(path: string, content: Content): void {
    const tool = this.tool(path, content);
    this.send('PreToolUse', tool);
    this.apply(path, content);
    this.send('PostToolUse', { ...tool, tool_response: { filePath: this.project.path(path) } });
  }

  /** A shell command: what it does is only seen on the disk. */
  shell(work: () => void, event: 'PostToolUse' | 'PostToolUseFailure' | undefined = 'PostToolUse', tool = 'Bash', response: Readonly<Record<string, unknown>> = {}): void {
    this.uses += 1;
    const use = { tool_name: tool, tool_use_id: `toolu_${this.session}_${this.uses}`, tool_input: { command: 'a command' } };
    this.send('PreToolUse', use);
    work();
    if (event !== undefined) this.send(event, { ...use, tool_response: response });
  }

  apply(path: string, content: Content): void {
    const absolute = this.project.path(path);
    if (content === null) return rmSync(absolute);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
  }

  stop(): void {
    this.send('Stop', { stop_hook_active: false });
  }

  /** A whole turn that changes files one after the other; returns its id. */
  turn(prompt: string, changes: readonly (readonly [path: string, content: Content])[]): string {
    this.prompt(prompt);
    for (const [path, content] of changes) this.change(path, content);
    this.stop();
    // As recordClaudeEvent derives it; asking the log would cost a process.
    return derivedId('turn', 'claude-code', this.session, `${this.session}-prompt-${this.prompts}`);
  }
}
