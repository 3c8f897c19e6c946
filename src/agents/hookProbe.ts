import { join } from 'node:path';
import type { Files } from '../core/base/files.ts';
import { replaceFile } from '../core/base/fileTools.ts';

const token = '[a-z0-9-]{8,80}';
const start = '{"turnstoneProbe":"';
const whole = new RegExp(`^\\{"turnstoneProbe":"(${token})"\\}$`);

/** What Turnstone tells a hook in place of an agent's event, to see whether events arrive. No agent sends this: theirs have sessions. */
export function probePayload(name: string): string {
  return `${start}${name}"}`;
}

/** What the names of files begin with that hooks answer in. */
export const probeFiles = 'probe-';

/** Where a hook answers a probe: a file that whoever asks has put there before, in the storage that he expects events in. */
export function probePath(storage: string, name: string): string {
  return join(storage, `${probeFiles}${name}`);
}

export function probeAnswer(agent: string, event: string): string {
  return `${agent} ${event}`;
}

/**
 * Answers a probe; false where it is an event like any other. Nothing is recorded of it. Only a file that is there is written to, so that whatever an agent
 * can be made to send, it makes none.
 */
export function answerProbe(files: Files, storage: string, agent: string, event: string, payload: string): boolean {
  const name = payload.startsWith(start) ? whole.exec(payload)?.[1] : undefined;
  if (name === undefined) return false;
  const path = probePath(storage, name);
  if (files.stat(path)?.kind === 'file') replaceFile(files, path, Buffer.from(probeAnswer(agent, event)), 0o600);
  return true;
}
