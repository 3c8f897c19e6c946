import { sha256 } from '../core/base/digest.ts';
import { pathsBeingRestored } from '../core/capture/effects.ts';
import type { Timeline } from '../core/timeline/model.ts';
import { Refused } from './toolResult.ts';

/** Names what a file holds, short enough for a model to repeat. */
export function versionOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'absent' : sha256(bytes).slice(0, 12);
}

interface Seen {
  readonly version: string;
  /** The journal's end when it was so. */
  readonly seq: number;
}

/**
 * What a session's model knows of a folder's files, as far as it came by these tools. What it reads by other means nobody here
 * sees: it says so by naming the version.
 */
export class Knowledge {
  private readonly since: number;
  private readonly seen = new Map<string, Seen>();

  constructor(since: number) {
    this.since = since;
  }

  note(path: string, bytes: Uint8Array | undefined, seq: number): void {
    this.seen.set(path, { version: versionOf(bytes), seq });
  }

  /** Refuses a call that builds on something else than what is in the file. `named` is the version that the call gives. */
  mustBeFresh(timeline: Timeline, path: string, bytes: Uint8Array | undefined, named: string | undefined): void {
    if (pathsBeingRestored(timeline).includes(path)) throw new Refused('restored', `${path} is being taken back by a rewind that has not ended. Nothing was written. Wait until the user has it finished, then read the file again.`);
    const now = versionOf(bytes);
    const again = bytes === undefined
      ? `Nothing was written. The file is not there now. If it is still to be made, repeat the call with version "${now}".`
      : `Nothing was written. Read the file again, and if the change is still right, repeat the call with version "${now}".`;
    if (named !== undefined) {
      if (named !== now) throw new Refused('changed', `${path} is not at version ${JSON.stringify(named)} any more. ${again}`);
      return;
    }
    const known = this.seen.get(path);
    const restored = timeline.changes.get(path)?.findLast(({ by }) => by.kind === 'operation');
    if (restored !== undefined && restored.seq > (known?.seq ?? this.since)) throw new Refused('restored', `${path} was changed by a rewind or an undo of one after you last saw it. ${again}`);
    if (known !== undefined && known.version !== now) throw new Refused('changed', `${path} was changed after you last saw it. ${again}`);
  }
}
