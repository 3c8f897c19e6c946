import type { Turn } from '../core/timeline/model.ts';
import { promptOf, titleOf } from '../core/timeline/view.ts';
import type { KnownFolder } from './knownFolder.ts';
import { agentName, timeOf } from './words.ts';

/** A turn, as one folder's history tells it. */
export interface TurnIn {
  readonly folder: KnownFolder;
  readonly turn: Turn;
}

/**
 * A turn in the folder in which the agent was asked, if that is in the window, else in one that knows its prompt. Where it came from elsewhere it
 * may have left its calls and nothing else: it was recorded by an earlier version, or the hooks' notes were lost.
 */
export function turnAtHome(folder: KnownFolder, turn: Turn): TurnIn {
  const here = { folder, turn };
  if (turn.prompt !== undefined && !turn.elsewhere) return here;
  const others = folder.inWindow().flatMap(other => {
    const same = other.store.timeline.turns.get(turn.id);
    return same === undefined ? [] : [{ folder: other, turn: same }];
  });
  const knowing = [here, ...others].filter(({ turn: { prompt } }) => prompt !== undefined);
  return knowing.find(({ turn: { elsewhere } }) => !elsewhere) ?? knowing[0] ?? here;
}

/** Whose session it is; like a turn's prompt, not every folder may know. */
export function agentOf(folder: KnownFolder, session: string): string {
  const told = [folder, ...folder.inWindow()].map(({ store }) => store.timeline.sessions.get(session)?.agent ?? 'unknown');
  return told.find(agent => agent !== 'unknown') ?? 'unknown';
}

/** What a session is called; its agent's name where nobody says. */
export function sessionTitle(folder: KnownFolder, session: string): string {
  for (const { store } of [folder, ...folder.inWindow()]) {
    const hash = store.timeline.sessions.get(session)?.title;
    if (hash === undefined) continue;
    try {
      return titleOf(Buffer.from(store.blobs.read(hash)).toString('utf8'));
    } catch {
      // Another folder may have it.
    }
  }
  return agentName(agentOf(folder, session));
}

/** The whole prompt of a turn. */
export function turnPrompt(folder: KnownFolder, turn: Turn): string {
  const home = turnAtHome(folder, turn);
  return promptOf(home.turn, home.folder.store.blobs);
}

/** Whether the agent is still at it. */
export function turnState(folder: KnownFolder, turn: Turn): Turn['state'] {
  return turnAtHome(folder, turn).turn.state;
}

const titles = new Map<string, string>();
const titleLimit = 5000;

/** The first line of a turn's prompt. It is asked for at every change of the history, and a hash's text stays the same. */
export function turnTitle(folder: KnownFolder, turn: Turn): string {
  const home = turnAtHome(folder, turn);
  const { prompt } = home.turn;
  const { blobs } = home.folder.store;
  const known = prompt === undefined ? undefined : titles.get(prompt);
  if (known !== undefined) return known;
  const title = titleOf(promptOf(home.turn, blobs));
  // A prompt that can't be read now may be there a moment later.
  if (prompt !== undefined && blobs.has(prompt)) titles.set(prompt, title);
  const oldest = titles.keys().next().value;
  if (titles.size > titleLimit && oldest !== undefined) titles.delete(oldest);
  return title;
}

/** The name of a step or a checkpoint, or when it was made where it has none; undefined for what is neither. */
export function pointTitle(folder: KnownFolder, id: string): string | undefined {
  for (const { store } of [folder, ...folder.inWindow()]) {
    const point = store.timeline.points.get(id);
    if (point === undefined) continue;
    try {
      const title = point.label === undefined ? '' : titleOf(Buffer.from(store.blobs.read(point.label)).toString('utf8'));
      return title === '' ? timeOf(point.at) : title;
    } catch {
      return timeOf(point.at);
    }
  }
  return undefined;
}

/** The title of the turn that an id names, or holds: a call has no title of its own. A restore may have gone back to a turn of another folder. */
export function titleById(folder: KnownFolder, id: string): string {
  for (const candidate of [folder, ...folder.inWindow()]) {
    const { turns, calls } = candidate.store.timeline;
    const turn = turns.get(calls.get(id)?.turn ?? id);
    if (turn !== undefined) return turnTitle(candidate, turn);
  }
  return id;
}
