import type { State } from '../snapshot/state.ts';
import type { JournalRecord, RecordOf } from './records.ts';

/** Who made a change. Drift has no owner: it is the user's, a formatter's, another program's. */
export type ChangeOwner =
  | { readonly kind: 'call'; readonly call: string; readonly turn: string; readonly session: string }
  | { readonly kind: 'operation'; readonly operation: string; readonly session: string | undefined }
  | { readonly kind: 'drift' };

/** One change of one path, between two observations. `seq` is the record that observed `after`. */
export interface Change {
  readonly seq: number;
  readonly path: string;
  readonly before: State;
  readonly after: State;
  readonly by: ChangeOwner;
}

export interface DirectoryEntry {
  readonly path: string;
  readonly mode: number;
}

/** Folders that something brought, and that it took away. One that is in both got other permissions: those in `removed` are what it had before. */
export interface FolderWork {
  readonly made: readonly DirectoryEntry[];
  readonly removed: readonly DirectoryEntry[];
}

/** What one call did to one path. */
export interface Snapshot {
  readonly path: string;
  readonly before: State;
  /** Undefined while the call is open. */
  readonly after: State | undefined;
  /** The hash of what the call will leave, where its input tells. */
  readonly expects: string | undefined;
  readonly missing: readonly string[];
  readonly made: readonly DirectoryEntry[];
}

export interface Call {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly session: string;
  readonly turn: string;
  readonly tool: string;
  readonly agentCall: string | undefined;
  readonly delegate: string | undefined;
  readonly undeclared: boolean;
  readonly outside: readonly { readonly path: string; readonly reason: string }[];
  readonly outcome: 'open' | RecordOf<'call.close'>['outcome'];
  /** Whether its agent has said how it ended; while it is open, that it has, and its bytes are still to come. */
  readonly reported: boolean;
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** What looks at all files found; the folders that it had to make for a declared path are with that. */
  readonly folders: FolderWork;
}

export interface Turn {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly session: string;
  /** Hash of the prompt's text; undefined where the prompt was not seen. */
  readonly prompt: string | undefined;
  /** The agent was asked in another folder; here the turn begins where it came. */
  readonly elsewhere: boolean;
  readonly state: 'open' | 'closed' | 'interrupted';
  readonly closedAt: number | undefined;
  readonly calls: readonly string[];
  /** What this turn did that is not, or may not be, on record. */
  readonly gaps: readonly string[];
}

export interface Session {
  readonly id: string;
  readonly seq: number;
  readonly agent: string;
  readonly agentSession: string;
  readonly transcript: string | undefined;
  /** Hash of what it is called, where its agent says. */
  readonly title: string | undefined;
  readonly turns: readonly string[];
}

/** A named point to go back to: a step of a turn, or a checkpoint made by hand, which belongs to no session. */
export interface NamedPoint {
  readonly id: string;
  readonly kind: 'step' | 'checkpoint';
  readonly seq: number;
  readonly at: number;
  readonly session: string | undefined;
  readonly turn: string | undefined;
  /** Hash of its name. */
  readonly label: string | undefined;
}

/** A restore: what was meant, and how it ended. */
export interface Operation {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly intent: RecordOf<'restore.intent'>;
  readonly done: RecordOf<'restore.done'> | undefined;
}

/** The fold of a journal up to `seq`. */
export interface Timeline {
  /** Sequence number of the last folded record; 0 before the first. */
  readonly seq: number;
  readonly at: number;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly turns: ReadonlyMap<string, Turn>;
  readonly calls: ReadonlyMap<string, Call>;
  readonly points: ReadonlyMap<string, NamedPoint>;
  readonly operations: ReadonlyMap<string, Operation>;
  /** All changes of each path, oldest first. */
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  /** The last observation of each path. */
  readonly paths: ReadonlyMap<string, State>;
  /** Records that are not what they should be; the store is read-only then. */
  readonly invalid: readonly string[];
}

/** A record with its place in the journal. */
export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly record: JournalRecord;
}
