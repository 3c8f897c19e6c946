import type { RecordOf } from '../timeline/records.ts';
import type { Looking } from './treeLooks.ts';

/** A tool execution as its wrapper knows it. Paths are absolute, as the tool names them. */
export interface CallStart {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
  readonly tool: string;
  /** The agent's own id of the call. */
  readonly agentCall?: string | undefined;
  readonly delegate?: string | undefined;
  /** The number of the agent's own process, where it tells. */
  readonly agentProcess?: number | undefined;
  /** The files that it says it will change; undefined for a tool that may change anything. */
  readonly paths: readonly string[] | undefined;
  readonly expected?: Expectation | undefined;
  /** Calls of its session may have been reported whose bytes have come only since. */
  readonly settles?: boolean | undefined;
}

/** What a tool will leave in one of its files that holds `before`, where its input tells. */
export type Expectation = (path: string, before: Uint8Array | undefined) => Uint8Array | undefined;

export interface CallEnd {
  readonly session: string;
  readonly turn: string;
  readonly call: string;
  readonly outcome: RecordOf<'call.close'>['outcome'];
  readonly paths: readonly string[];
  /** It had declared nothing: all files are looked at. */
  readonly mayChangeAnything?: boolean | undefined;
  /** It has only been started: the agent is told when it has ended. */
  readonly runsOn?: boolean | undefined;
  /** It may be told before what the tool leaves is on the disk. */
  readonly mayBeEarly?: boolean | undefined;
  readonly expected?: Expectation | undefined;
  /** Names it where its beginning is not on record. */
  readonly tool?: string | undefined;
  /** What the tool says it found in the file, next to what was there before: its hash, and its bytes on demand. */
  readonly found?: ((hash: string | undefined, before: () => Uint8Array | undefined) => FoundContent) | undefined;
}

/** What a tool says about the content it found: the same as before, other bytes, or other content whose bytes nobody can tell. */
export type FoundContent = { readonly kind: 'same' } | { readonly kind: 'other'; readonly bytes: Uint8Array } | { readonly kind: 'unknown' };

/** What a call declared about a path: the folders above it that were missing, and the content that was there. */
export interface Declared {
  readonly missing: readonly string[];
  readonly kind: string | undefined;
  readonly hash: string | undefined;
  readonly mode: number | undefined;
}

export type DeclaredPaths = ReadonlyMap<string, Declared>;

/** How a turn ended: its agent was done, or was stopped in its middle. */
export type TurnOutcome = RecordOf<'turn.close'>['outcome'];

/** Finds a call's beginning in the whole history; undefined where it is not there. */
export type FindInHistory = (call: string) => Promise<DeclaredPaths | undefined>;

/** Looks at all files of the root; undefined where nobody does. */
export type Looks = () => Promise<Looking | undefined>;

export interface SessionStart {
  readonly session: string;
  readonly agent: string;
  readonly agentSession: string;
  readonly transcript?: string | undefined;
}

/** A turn that was begun elsewhere and comes to this folder. */
export interface Arrival {
  readonly opening: SessionStart;
  readonly turn: string;
  /** Whether it comes for the first time. */
  readonly isNew: boolean;
  readonly prompt: Uint8Array | undefined;
  readonly elsewhere: boolean;
  /** The id under which the agent goes on with it, where that is another one. */
  readonly goesOnAs?: string | undefined;
}
