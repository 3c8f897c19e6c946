import { sha256 } from '../base/digest.ts';
import type { Observation } from '../snapshot/observe.ts';
import type { JournalRecord } from '../timeline/records.ts';

/** Contents and records that are made together. */
export class Draft {
  readonly contents = new Map<string, Uint8Array>();
  readonly records: JournalRecord[] = [];

  /** Keeps a text that a record names, and returns its hash. */
  keepText(text: string): string {
    return this.keepBytes(Buffer.from(text, 'utf8'));
  }

  keepBytes(bytes: Uint8Array): string {
    const hash = sha256(bytes);
    this.contents.set(hash, bytes);
    return hash;
  }

  keep(observation: Observation): Observation['state'] {
    if (observation.state.kind === 'content' && observation.bytes !== undefined) this.contents.set(observation.state.hash, observation.bytes);
    return observation.state;
  }
}
