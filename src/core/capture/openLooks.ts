import { join } from 'node:path';
import { replaceFile, readIfThere } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { isGone, type ProcessIdentity } from '../base/processes.ts';
import { countAt, isShape, listAt, textAt } from '../base/shape.ts';
import type { CallStart } from './callFacts.ts';

/** A call that may change anything and has not ended, with the look that it began with. */
export interface OpenLook extends Pick<CallStart, 'session' | 'turn' | 'call' | 'tool' | 'agentCall'> {
  /** Its agent has been told that it runs on, and is told again when it ends. Nothing that happens meanwhile is provably its doing. */
  readonly isBackground?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The agent's own process, where it is known. */
  readonly agent?: ProcessIdentity | undefined;
}

/** What belongs to the last look at a tree and is not in it. */
export interface LookState {
  /** The newest record when it was made: what is recorded after this may not be in it. */
  readonly seq: number;
  readonly open: readonly OpenLook[];
  /** What it could not see, though nothing ignores it. */
  readonly uncovered: readonly string[];
}

const none: LookState = { seq: 0, open: [], uncovered: [] };
const name = 'open.json';

/** What looks remember is in this folder of a store. */
export const treeFolder = 'tree';

function processIn(value: unknown): ProcessIdentity | undefined {
  if (!isShape(value)) return undefined;
  const [host, boot, started, pid] = [textAt(value, 'host'), textAt(value, 'boot'), textAt(value, 'started'), countAt(value, 'pid')];
  return host === undefined || boot === undefined || started === undefined || pid === undefined ? undefined : { host, boot, started, pid };
}

function openIn(value: unknown): readonly OpenLook[] {
  if (!isShape(value)) return [];
  const [session, turn, call, tool, since] = [textAt(value, 'session'), textAt(value, 'turn'), textAt(value, 'call'), textAt(value, 'tool'), countAt(value, 'since')];
  return session === undefined || turn === undefined || call === undefined || tool === undefined || since === undefined ? [] : [{ session, turn, call, tool, since, agentCall: textAt(value, 'agentCall'), isBackground: value['isBackground'] === true, agent: processIn(value['agent']) }];
}

/** A shell may outlive its agent for so long; what changes later is not its doing. In milliseconds. */
const outlives = 15 * 60_000;
/** A call of an agent that nobody can look for is given up after this. */
const keptFor = 24 * 60 * 60_000;

/** Whether a call may still be at work, though nobody has said that it ended. */
export function isAlive(files: Files, { since, agent }: OpenLook, now: number): boolean {
  if (now - since < outlives) return true;
  return agent === undefined ? now - since < keptFor : !isGone(files, agent);
}

/** Reads it; as if no call was open where there is nothing that we wrote. */
export function readLookState(files: Files, directory: string): LookState {
  try {
    const value: unknown = JSON.parse(Buffer.from(readIfThere(files, join(directory, name)) ?? []).toString('utf8'));
    const seq = isShape(value) ? countAt(value, 'seq') : undefined;
    if (!isShape(value) || seq === undefined) return none;
    return { seq, open: (listAt(value, 'open') ?? []).flatMap(openIn), uncovered: (listAt(value, 'uncovered') ?? []).filter(path => typeof path === 'string') };
  } catch {
    return none;
  }
}

/** Whether calls are open in a store that may change anything, and are looked at. */
export function hasOpenLooks(files: Files, store: string): boolean {
  return readLookState(files, join(store, treeFolder)).open.length > 0;
}

export function writeLookState(files: Files, directory: string, state: LookState): void {
  replaceFile(files, join(directory, name), Buffer.from(JSON.stringify(state)), 0o600);
}
