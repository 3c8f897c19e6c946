import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaudeEvent } from './recordedEvents.ts';
import { replayEffects, type ReplayEffects } from './replayEffects.ts';
import type { Scratch } from './scratch.ts';

export interface ReplayOptions {
  /** Also does to the disk what the tools did, between their Pre and their Post event. */
  readonly effects?: boolean | ((events: readonly ClaudeEvent[], project: string) => ReplayEffects);
}

const payloads = join(import.meta.dirname, 'payloads');

/** Reads one recording, such as `claude-code/all-tools.jsonl`, with its paths moved to a real project and home. */
export function readPayloads(file: string, place: Scratch): readonly ClaudeEvent[] {
  return readFileSync(join(payloads, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => movePaths(JSON.parse(line), place) as ClaudeEvent);
}

/** Hands a recorded session on event by event, as the agent would have, and waits for each to be taken. */
export async function replayPayloads(
  file: string,
  place: Scratch,
  onEvent: (event: ClaudeEvent, index: number) => void | Promise<void>,
  options: ReplayOptions = {},
): Promise<void> {
  const events = readPayloads(file, place);
  const make = options.effects === true ? replayEffects : options.effects;
  const effects = make ? make(events, place.project) : undefined;
  for (const [index, event] of events.entries()) {
    effects?.before(event);
    await onEvent(event, index);
    effects?.after(event);
  }
}

/** The recordings say /w/project, /h and /t; Claude Code names a project's folder by its path with dashes. */
function movePaths(value: unknown, place: Scratch): unknown {
  if (typeof value === 'string') {
    return value
      .replaceAll('/-w-project/', () => `/${place.project.replace(/[^a-zA-Z0-9]/g, '-')}/`)
      .replaceAll('/w/project', () => place.project)
      .replaceAll('/t/claude/', () => `${join(place.home, 'tmp')}/claude/`)
      .replace(/^\/h(?=\/)/, () => place.home);
  }
  if (Array.isArray(value)) return value.map((item) => movePaths(item, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, movePaths(item, place)]));
}
