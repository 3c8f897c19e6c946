// One of several processes that append to one store at once: node appender.ts '{"directory": …}'
import { writeSync } from 'node:fs';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { TurnstoneError } from '../../../../src/core/base/errors.ts';
import { nodeFiles, type Files } from '../../../../src/core/base/files.ts';
import type { JournalRecord } from '../../../../src/core/timeline/records.ts';
import { StoreWriter } from '../../../../src/core/timeline/storeWriter.ts';

export interface Work {
  readonly directory: string;
  readonly name: string;
  readonly rounds: number;
  /** How many commits are made at once, each time. */
  readonly atOnce: number;
  /** How long a record is, about, in characters. */
  readonly length: number;
  /** It dies by SIGKILL instead of this sync of the journal: under the lock, with lines written and not synced. */
  readonly diesAtSync?: number;
}

export const identity = { format: 1, key: 'r-x', store: 'j-1', path: '/nowhere', identity: 'x' } as const;

/** Every process has a text of its own for each number, and one that all have. */
export function textsOf(name: string, number: number): readonly string[] {
  return [`${name} wrote ${number}\n`.repeat(1 + (number % 7)), `everybody wrote ${number}\n`];
}

export function recordsOf(name: string, number: number, length: number): readonly JournalRecord[] {
  const labels = number % 3 === 0 ? [`${name}/${number}`] : [`${name}/${number}`, `${name}/${number}+`];
  return labels.map(label => ({ type: 'session.open', session: label, agent: 'test', agentSession: 'x'.repeat(length) }));
}

function mortal(diesAt: number | undefined): Files {
  let syncs = 0;
  return {
    ...nodeFiles,
    open(path, flag, mode) {
      const file = nodeFiles.open(path, flag, mode);
      if (!path.endsWith('.log')) return file;
      return {
        write: (bytes, position) => file.write(bytes, position),
        truncate: size => file.truncate(size),
        setMode: value => file.setMode(value),
        size: () => file.size(),
        syncData() {
          syncs += 1;
          if (syncs === diesAt) process.kill(process.pid, 'SIGKILL');
          file.syncData();
        },
        sync: () => file.sync(),
        close: () => file.close(),
      };
    },
  };
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function append(writer: StoreWriter, { name, length }: Work, number: number): Promise<void> {
  const contents = new Map(textsOf(name, number).map(text => [sha256(Buffer.from(text)), Buffer.from(text)]));
  for (;;) {
    try {
      await writer.commit(contents, recordsOf(name, number, length));
      return say(`done ${number}`);
    } catch (error) {
      // On a slow machine somebody may wait in vain; nothing was written then, and it is done again.
      if (!TurnstoneError.is(error, 'busy')) throw error;
      say('busy');
    }
  }
}

async function run(work: Work): Promise<void> {
  const writer = new StoreWriter(mortal(work.diesAtSync), systemClock, work.directory, identity);
  for (let round = 0; round < work.rounds; round += 1) {
    await Promise.all(Array.from({ length: work.atOnce }, (_, index) => append(writer, work, round * work.atOnce + index)));
  }
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '') as Work);
