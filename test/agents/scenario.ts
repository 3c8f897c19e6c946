import type { ModelScript } from './modelScript.ts';
import type { Files } from './scratch.ts';

/** How a turn is cut off, and what must have happened before. */
export interface Interruption {
  readonly signal: 'SIGINT' | 'SIGKILL';
  /** A project file that a running shell command writes, or the main-lane turn where the model hangs. */
  readonly once: { readonly file: string } | { readonly reached: number };
}

export interface ScenarioPrompt {
  readonly text: string;
  readonly interruption?: Interruption;
  /** What exact tools (Write, Edit, NotebookEdit) did to each path in this turn. */
  readonly exact: Readonly<Record<string, 'added' | 'modified'>>;
  /** What shell commands created, changed or deleted in this turn, exact edits of the same path included. */
  readonly shell?: readonly string[];
  /** What a command in the background did: nobody's on record, unless another command ran meanwhile. */
  readonly background?: readonly string[];
}

/** One session with the real program, and what it must leave behind. */
export interface Scenario {
  readonly name: string;
  readonly before: Files;
  readonly prompts: readonly ScenarioPrompt[];
  readonly script: ModelScript;
  /** What the program may do without asking; headless it is refused the rest. */
  readonly allowedTools?: readonly string[];
  /** Every file that is there after the last prompt. */
  readonly after: Files;
}
