import type { Expectation, FoundContent } from '../core/capture/callFacts.ts';
import type { Shape } from '../core/base/shape.ts';

/** What a tool may change: files that it names, nothing, or anything. */
export type ToolEffect =
  | {
      readonly kind: 'exact';
      readonly paths: readonly string[];
      /** Where none of them is there, the tool looks for a file of that name elsewhere: then it may be any. */
      readonly looksElsewhere?: boolean | undefined;
    }
  | { readonly kind: 'undeclared' }
  | { readonly kind: 'none' };

/** A tool call as its agent tells of it. */
export interface AgentCall {
  readonly tool: string;
  /** The agent's own id of the call. Without one, the end is matched with the first open call of the same tool and input. */
  readonly id: string | undefined;
  readonly input: unknown;
  readonly effect: ToolEffect;
}

/** What an agent tells by one event of its hooks, whichever agent it is. */
export type AgentEvent =
  | { readonly kind: 'session' }
  /** A user's prompt: a turn begins. */
  | { readonly kind: 'prompt'; readonly text: string | undefined }
  /** Something that an earlier turn left running has ended, and the agent goes on with that turn; the call that had started it, where it says. */
  | { readonly kind: 'notification'; readonly call: string | undefined }
  | {
      readonly kind: 'begin';
      readonly call: AgentCall;
      readonly delegate?: string | undefined;
      /** The number of the agent's own process. */
      readonly process?: number | undefined;
      readonly expected?: Expectation | undefined;
    }
  | {
      readonly kind: 'end';
      readonly call: AgentCall;
      readonly outcome: 'done' | 'failed' | 'cancelled';
      readonly expected?: Expectation | undefined;
      /** It has only been started. */
      readonly runsOn?: boolean | undefined;
      /** What the tool says it found, next to what was there before. */
      readonly found?: ((hash: string | undefined, before: () => Uint8Array | undefined) => FoundContent) | undefined;
    }
  /** The calls of one message are over: those that have not ended by themselves never ran. */
  | { readonly kind: 'batch'; readonly calls: readonly (AgentCall & { readonly isRefused: boolean })[] }
  /** The agent is done with its turn, or the user has stopped it in its middle. */
  | { readonly kind: 'turnEnd'; readonly isInterrupted?: boolean | undefined }
  | { readonly kind: 'delegateEnd'; readonly delegate: string }
  | { readonly kind: 'sessionEnd' }
  | { readonly kind: 'none' };

/** Where an event comes from, in the agent's own words. */
export interface Origin {
  readonly session: string;
  /** The agent's working directory: relative paths are meant from there. */
  readonly directory: string;
  /** The agent's id of the turn; without one, the session's newest turn is meant. */
  readonly turn: string | undefined;
  readonly transcript?: string | undefined;
  /** The agent may tell of a call's end before what the call leaves is on the disk. */
  readonly endsEarly?: boolean | undefined;
}

export type Reading =
  | { readonly kind: 'event'; readonly origin: Origin; readonly event: AgentEvent }
  /** Another host reads this agent's settings, too, and the event is of a session of that one. */
  | { readonly kind: 'foreign'; readonly agent: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * One agent: how to read its events. Adapters know payloads and habits; what is recorded of an event is `recordEvent`'s, the same for all.
 *
 * Invariant: an adapter is a pure function of the event, so that every event can be told again from its recording.
 */
export interface Agent {
  /** The word for it on a hook's command line, and on record. Never changes. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** The agent whose settings file is its own, too. */
  readonly readsHooksOf?: string | undefined;
  /** Reads one event; its name is the hook's own, and empty where an older hook did not give it. */
  read(event: string, payload: Shape, environment: NodeJS.ProcessEnv): Reading;
}
