import type { ModelStep } from './modelScript.ts';
import type { Availability } from './npmProgram.ts';
import type { Scratch } from './scratch.ts';

export interface AgentRun {
  readonly command: string;
  readonly place: Scratch;
  /** The scripted model's address. */
  readonly modelUrl: string;
  readonly prompt: string;
  /** Whether the prompt goes on with the session of the one before. */
  readonly goesOn: boolean;
}

/** A real agent program, as far as a test has to know how to drive it. */
export interface AgentProgram {
  /** Its name in `turnstone hooks install`. */
  readonly agent: string;
  readonly title: string;
  /** The version that all facts about it come from. */
  readonly version: string;
  /** Its hooks are not told what the user asked. */
  readonly tellsNoPrompts?: boolean;
  ensure(): Promise<Availability>;
  /** The model's steps for what every agent can do, in this one's own tools; paths are relative to the project. */
  readonly steps: {
    write(path: string, content: string): ModelStep;
    /** Makes a folder, where a write does not bring its own. */
    folder?(path: string): ModelStep;
    /** Replaces a text of a file that the agent has read. */
    edit(path: string, old: string, fresh: string): ModelStep;
    read?(path: string): ModelStep;
    shell(command: string): ModelStep;
  };
  /** Writes the settings that the program needs besides hooks into the scratch home and project, before hooks are installed. */
  prepare(place: Scratch, modelUrl: string): void | Promise<void>;
  /** One prompt from its beginning to its end; what it printed. */
  run(run: AgentRun): Promise<{ readonly exitCode: number | null; readonly output: string }>;
  /** Stops what the program left running, by its number. */
  stop?(place: Scratch): void | Promise<void>;
}
