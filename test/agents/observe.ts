import { deepEqual, equal, ok } from 'node:assert/strict';
import { playScenario } from './playScenario.ts';
import type { PlayedScenario } from './playScenario.ts';
import { installRecorder, shortNames } from './recordedEvents.ts';
import type { ClaudeEvent, RecordedEvent } from './recordedEvents.ts';
import type { Scenario } from './scenario.ts';
import { hashOf, makeScratch, treeOf } from './scratch.ts';
import type { Scratch } from './scratch.ts';

export interface Observed extends PlayedScenario {
  readonly place: Scratch;
  readonly events: readonly RecordedEvent[];
  readonly names: readonly string[];
}

/** Plays a scenario with the recorder as its only hook, and proves that it left the files it should. */
export async function observe(scenario: Scenario, command: string): Promise<Observed> {
  const place = makeScratch(scenario.before);
  const events = installRecorder(place.home);
  const played = await playScenario(scenario, command, place);
  const tree = Object.fromEntries(Object.entries(scenario.after).map(([path, text]) => [path, hashOf(text)]));
  deepEqual(treeOf(place.project), tree);
  return { ...played, place, events: events(), names: shortNames(events()) };
}

export function prompts(events: readonly RecordedEvent[]): readonly ClaudeEvent[] {
  return events.map(({ event }) => event).filter((event) => event.hook_event_name === 'UserPromptSubmit');
}

/** Every exact edit that ran: its file is unchanged at Pre, changed at Post, and both carry the call's id. */
export function expectBracketed(events: readonly RecordedEvent[]): void {
  const exact = new Set(['Write', 'Edit', 'NotebookEdit']);
  const calls = events.filter(({ event }) => event.hook_event_name === 'PreToolUse' && exact.has(event.tool_name ?? ''));
  ok(calls.length > 0);
  for (const { event, tree } of calls) {
    const after = events.find(
      (other) => other.event.hook_event_name === 'PostToolUse' && other.event.tool_use_id === event.tool_use_id,
    );
    const path = String(event.tool_input?.['file_path'] ?? event.tool_input?.['notebook_path']);
    const name = path.slice(event.cwd.length + 1);
    const earlier = events.slice(0, events.findIndex((other) => other.event === event)).at(-1);
    equal(tree[name], earlier?.tree[name], `${name} is unchanged at Pre`);
    ok(after?.tree[name] !== undefined && after.tree[name] !== tree[name], `${name} is changed at Post`);
  }
}
