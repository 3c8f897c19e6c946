import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tree } from './scratch.ts';

/** An event as Claude Code hands it to its hooks, as far as tests read it. */
export type ClaudeEvent = Readonly<Record<string, unknown>> & {
  readonly session_id: string;
  readonly hook_event_name: string;
  readonly cwd: string;
  readonly prompt_id?: string;
  readonly prompt?: string;
  readonly source?: string;
  readonly reason?: string;
  readonly agent_id?: string;
  readonly tool_name?: string;
  readonly tool_use_id?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
  readonly tool_response?: unknown;
  readonly tool_calls?: readonly ClaudeEvent[];
};

export interface RecordedEvent {
  readonly event: ClaudeEvent;
  readonly tree: Tree;
}

const eventNames = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'Stop',
  'SessionEnd',
];

/** Installs the recorder for every event in the scratch home; reading the log gives what came so far. */
export function installRecorder(home: string): () => readonly RecordedEvent[] {
  const log = join(home, 'events.jsonl');
  const recorder = fileURLToPath(new URL('recordEvents.mjs', import.meta.url));
  const command = [process.execPath, recorder, log].map((part) => `"${part}"`).join(' ');
  const hooks = Object.fromEntries(eventNames.map((name) => [name, [{ hooks: [{ type: 'command', command }] }]]));
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  return () => (existsSync(log) ? readRecordedEvents(log) : []);
}

function readRecordedEvents(log: string): readonly RecordedEvent[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedEvent);
}

/** The order of events in short: "PreToolUse Write". */
export function shortNames(events: readonly RecordedEvent[]): readonly string[] {
  return events.map(({ event }) => [event.hook_event_name, event.tool_name].filter(Boolean).join(' '));
}
