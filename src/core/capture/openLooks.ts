import { join } from 'node:path';
import { replaceFile, readIfThere } from '../base/fileTools.ts';
import type { Files } from '../base/files.ts';
import { countAt, isShape, listAt, textAt } from '../base/shape.ts';

/** A call that may change anything and has not ended, with the look that it began with. */
export interface OpenLook {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** What belongs to the last look at a tree and is not in it. */
export interface LookState {
  /** The newest record when it was made: what is recorded after this may not be in it. */
  readonly seq: number;
  readonly open: readonly OpenLook[];
}

const none: LookState = { seq: 0, open: [] };
const name = 'open.json';

function openIn(value: unknown): readonly OpenLook[] {
  if (!isShape(value)) return [];
  const [session, turn, call, tool, since] = [textAt(value, 'session'), textAt(value, 'turn'), textAt(value, 'call'), textAt(value, 'tool'), countAt(value, 'since')];
  return session === undefined || turn === undefined || call === undefined || tool === undefined || since === undefined ? [] : [{ session, turn, call, tool, since }];
}

/** Reads it; as if no call was open where there is nothing that we wrote. */
export function readLookState(files: Files, directory: string): LookState {
  try {
    const value: unknown = JSON.parse(Buffer.from(readIfThere(files, join(directory, name)) ?? []).toString('utf8'));
    const seq = isShape(value) ? countAt(value, 'seq') : undefined;
    return !isShape(value) || seq === undefined ? none : { seq, open: (listAt(value, 'open') ?? []).flatMap(openIn) };
  } catch {
    return none;
  }
}

export function writeLookState(files: Files, directory: string, state: LookState): void {
  replaceFile(files, join(directory, name), Buffer.from(JSON.stringify(state)), 0o600);
}
