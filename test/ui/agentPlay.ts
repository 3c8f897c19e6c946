// Plays Claude Code towards the hooks that are really installed: each event goes, as JSON on standard input, to the very
// command line in settings.json, and the tools' work is really done in between. Events have the shape of the recordings
// under test/agents/payloads.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Event = Readonly<Record<string, unknown>>;
interface Settings {
  readonly hooks?: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

/** One conversation of the played agent in a folder. */
export class AgentPlay {
  private readonly home: string;
  private readonly folder: string;
  private readonly session = randomUUID();
  private turn = randomUUID();
  private calls = 0;

  constructor(home: string, folder: string) {
    this.home = home;
    this.folder = folder;
    this.fire('SessionStart', { source: 'startup' });
  }

  /** The user's prompt; opens a turn. */
  prompt(text: string): void {
    this.turn = randomUUID();
    this.fire('UserPromptSubmit', { prompt: text });
  }

  /** Writes a file, new or not, as the tool Write does. */
  write(path: string, content: string | Uint8Array): void {
    const absolute = join(this.folder, path);
    this.call('Write', { file_path: absolute, content: String(content) }, () => {
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, content);
    });
  }

  edit(path: string, before: string, after: string): void {
    const absolute = join(this.folder, path);
    this.call('Edit', { file_path: absolute, old_string: before, new_string: after }, () => {
      const text = readFileSync(absolute, 'utf8');
      if (!text.includes(before)) throw new Error(`${path} does not hold ${before}`);
      writeFileSync(absolute, text.replace(before, () => after));
    });
  }

  /** A shell command: what it changes is declared by nobody. One that runs on has not ended by what the agent tells. */
  shell(command: string, end: 'ends' | 'runs' = 'ends'): void {
    this.call('Bash', { command }, () => spawnSync('sh', ['-c', command], { cwd: this.folder }), end);
  }

  /** The agent is done with the turn. */
  stop(): void {
    this.fire('Stop', { stop_hook_active: false });
  }

  end(): void {
    this.fire('SessionEnd', { reason: 'other' });
  }

  private call(tool: string, input: Event, work: () => void, end: 'ends' | 'runs' = 'ends'): void {
    const tool_use_id = `toolu_${String((this.calls += 1)).padStart(4, '0')}`;
    this.fire('PreToolUse', { tool_name: tool, tool_input: input, tool_use_id });
    work();
    if (end === 'runs') return;
    this.fire('PostToolUse', { tool_name: tool, tool_input: input, tool_response: {}, tool_use_id });
    this.fire('PostToolBatch', { tool_calls: [{ tool_name: tool, tool_input: input, tool_use_id, tool_response: 'ok' }] });
  }

  private fire(name: string, more: Event): void {
    const event = { session_id: this.session, transcript_path: join(this.home, 'none.jsonl'), cwd: this.folder, prompt_id: this.turn, hook_event_name: name, ...more };
    const settings = JSON.parse(readFileSync(join(this.home, '.claude', 'settings.json'), 'utf8')) as Settings;
    for (const group of settings.hooks?.[name] ?? []) {
      for (const { command } of group.hooks) {
        const run = spawnSync('sh', ['-c', command], { cwd: this.folder, input: JSON.stringify(event), env: { ...process.env, HOME: this.home } });
        const said = `${String(run.stdout)}${String(run.stderr)}`;
        if (run.status !== 0 || said !== '') throw new Error(`The hook for ${name} ended with ${String(run.status)} and said: ${said}`);
      }
    }
  }
}
