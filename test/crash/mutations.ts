// Mistakes to build into the product through its ports, each of which the sweep has to find. What is listed here with
// a scenario is swept there by mutations.test.ts; sweep.test.ts sweeps the same scenario by the same function without
// the mistake, and finds nothing.
import type { Contents } from '../../src/core/timeline/storeWriter.ts';
import type { Files, OpenFile } from '../../src/core/base/files.ts';
import type { JournalRecord } from '../../src/core/timeline/records.ts';
import { RootStore } from '../../src/core/timeline/store.ts';
import { prepare } from './ground.ts';
import type { Product } from './machine.ts';
import { scenarios } from './scenarios.ts';
import { sweepOperations, type Findings } from './sweep.ts';

export interface Mutation {
  readonly name: string;
  /** The name of the scenario in which it shows. */
  readonly scenario: string;
  readonly product: Product;
  /** Whether the processes that come after the crash make the mistake too; without it only the interrupted one does. */
  readonly lasts?: boolean;
}

/** The same files with some methods replaced. */
function instead(files: Files, methods: (files: Files) => Partial<Files>): Files {
  return Object.assign(Object.create(files) as Files, methods(files));
}

/** Opened files whose path matches do some things otherwise. */
function opening(pattern: RegExp, change: (file: OpenFile, path: string, files: Files) => Partial<OpenFile>): (files: Files) => Files {
  return files =>
    instead(files, ({ open }) => ({
      open(path, flag, mode) {
        const file = open.call(files, path, flag, mode);
        return pattern.test(path) ? { ...file, ...change(file, path, files) } : file;
      },
    }));
}

function withoutSync(pattern: RegExp, kind: 'syncData' | 'sync'): Product {
  return { through: opening(pattern, () => ({ [kind]: () => undefined })) };
}

function withoutDirectorySync(pattern: RegExp): Product {
  return { through: files => instead(files, ({ syncDirectory }) => ({ syncDirectory: path => (pattern.test(path) ? undefined : syncDirectory.call(files, path)) })) };
}

/** Appends the records, and then stores the contents that they name. */
class RecordFirst extends RootStore {
  override async commit(contents: Contents, records: readonly JournalRecord[], mustFollow?: number): Promise<boolean> {
    return this.lock.exclusively(() => {
      const group = this.journal.groupLocked();
      const batch = group.add(records, mustFollow);
      this.journal.writeLocked(group);
      this.blobs.addLocked(contents);
      return batch !== undefined;
    });
  }
}

/** Takes a dead owner's lock, and with it what that one may not have synced, for granted. */
class Careless extends RootStore {
  constructor(...parts: ConstructorParameters<typeof RootStore>) {
    super(...parts);
    this.journal.settle = () => undefined;
    this.blobs.settle = () => undefined;
  }
}

/** Sweeps a mistake's scenario until it is found. */
export async function sweepMutation(name: string, seed: number): Promise<Findings> {
  const mutation = mutations.find(candidate => candidate.name === name);
  const scenario = scenarios.find(candidate => candidate.name === mutation?.scenario);
  if (mutation === undefined || scenario === undefined) throw new Error(`there is no mutation ${name}, or no scenario for it`);
  const ground = await prepare(scenario, mutation.product);
  const moments = mutation.lasts === true ? ground.moments : ground.moments.map(({ machine, operation }) => ({ machine: machine.copy({}), operation }));
  return sweepOperations({ ...ground, moments }, seed, true);
}

const segment = /\/journal\/\d+\.log$/;

/** A segment is written anew as a whole instead of being appended to. */
const rewriting = opening(segment, (file, path, files) => ({
  write(bytes, position) {
    const all = Buffer.concat([files.read(path).subarray(0, position), bytes]);
    file.truncate(0);
    file.write(all, 0);
  },
}));

/** What is to be set aside goes nowhere, so that the torn end is just written over. */
const forgetting = opening(/\.broken$/, () => ({ write: () => undefined }));

export const mutations: readonly Mutation[] = [
  { name: "the journal's data sync dropped", scenario: 'the first call of a session', product: withoutSync(segment, 'syncData') },
  { name: "the pack's data sync dropped", scenario: 'the first call of a session', product: withoutSync(/\.pack$/, 'syncData') },
  { name: 'the directory sync after a new segment dropped', scenario: 'a journal that goes on in new segments', product: withoutDirectorySync(/\/journal$/) },
  { name: 'the directory sync after a new pack dropped', scenario: 'the first call of a session', product: withoutDirectorySync(/\/blobs$/) },
  { name: "a restored file's sync dropped", scenario: 'a rewind', product: withoutSync(/\/project\/.*\.tmp$/, 'sync') },
  { name: 'the sync of a file written in place dropped', scenario: 'a rewind', product: withoutSync(/twin\.txt$/, 'sync') },
  { name: 'the directory sync after a restored file dropped', scenario: 'a rewind', product: withoutDirectorySync(/^\/project/) },
  { name: "an heir that syncs nothing of its dead owner's", scenario: 'the first call of a session', product: { openStore: (...parts) => new Careless(...parts) }, lasts: true },
  { name: 'the record written before the blob', scenario: 'the first call of a session', product: { openStore: (...parts) => new RecordFirst(...parts) } },
  { name: 'a segment truncated and written anew instead of appended to', scenario: 'the first call of a session', product: { through: rewriting } },
  { name: "the journal's torn end written over instead of set aside", scenario: 'the first call of a session', product: { through: forgetting }, lasts: true },
];

