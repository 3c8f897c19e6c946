import type { State } from '../snapshot/state.ts';
import type { Timeline } from './model.ts';

/** The hash of every content that a timeline names and that was stored, each once. */
export function namedContents(timeline: Timeline): ReadonlySet<string> {
  const hashes = new Set<string>();
  const add = (hash: string | undefined): void => void (hash !== undefined && hashes.add(hash));
  const addState = (state: State | undefined): void => add(state?.kind === 'content' ? state.hash : undefined);
  for (const { title } of timeline.sessions.values()) add(title);
  for (const { prompt } of timeline.turns.values()) add(prompt);
  for (const { label } of timeline.points.values()) add(label);
  for (const state of timeline.paths.values()) addState(state);
  for (const { before, after } of [...timeline.changes.values()].flat()) [before, after].forEach(addState);
  for (const { before, after } of [...timeline.calls.values()].flatMap(call => [...call.snapshots.values()])) [before, after].forEach(addState);
  for (const { intent, done } of timeline.operations.values()) {
    for (const { before, after, unsaved } of intent.paths) {
      [before, after].forEach(addState);
      add(unsaved);
    }
    for (const { after } of done?.paths ?? []) addState(after);
  }
  return hashes;
}
