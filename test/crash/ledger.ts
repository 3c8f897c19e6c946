// Who was told what: the only thing that decides afterwards whether something acknowledged is gone. It listens at the
// store's own `commit`, and reads nothing that the store has written.
import type { RootStore } from '../../src/core/timeline/store.ts';
import { must } from './finding.ts';

/** `acknowledged`: `commit` returned, so its records are there for ever. `open`: it did not return, or threw: all of them are there, or none. */
interface Entry {
  readonly records: readonly string[];
  readonly fate: 'acknowledged' | 'open';
}

export class Ledger {
  private entries: readonly Entry[] = [];
  /** Counts what was noted. */
  version = 0;

  /** Notes from now on what a process that opened the store is told. */
  watch(store: RootStore): void {
    const commit = store.commit.bind(store);
    store.commit = async (contents, records, mustFollow) => {
      const entry: Entry = { records: records.map(record => JSON.stringify(record)), fate: 'open' };
      this.version += 1;
      this.entries = [...this.entries, entry];
      const written = await commit(contents, records, mustFollow);
      this.version += 1;
      // What was not written because it did not follow must not be there; nobody but its own caller was told of it.
      this.entries = this.entries.flatMap(other => (other !== entry ? [other] : written ? [{ ...entry, fate: 'acknowledged' as const }] : []));
      return written;
    };
  }

  copy(): Ledger {
    const copy = new Ledger();
    copy.entries = this.entries;
    return copy;
  }

  /** How many records were acknowledged. */
  get acknowledged(): number {
    return this.entries.filter(({ fate }) => fate === 'acknowledged').reduce((sum, { records }) => sum + records.length, 0);
  }

  /** The records are all that were acknowledged, in order, with an open batch between or after them at most; never anything else. */
  check(found: readonly unknown[], where: string): void {
    const texts = found.map(record => JSON.stringify(record));
    const matches = (at: number, index: number): boolean => {
      const entry = this.entries[index];
      if (entry === undefined) return at === texts.length;
      const isThere = entry.records.every((record, offset) => texts[at + offset] === record);
      return (isThere && matches(at + entry.records.length, index + 1)) || (entry.fate === 'open' && matches(at, index + 1));
    };
    must(matches(0, 0), 'lost', () => {
      const told = this.entries.map(({ records, fate }) => `${fate}: ${records.join(' ')}`);
      return `${where}: ${this.acknowledged} records were acknowledged, and these are there:\n  ${texts.join('\n  ') || 'none'}\nThe ledger:\n  ${told.join('\n  ')}`;
    });
  }
}
