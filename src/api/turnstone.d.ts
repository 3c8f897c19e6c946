/**
 * Turnstone's API for other extensions, version 1.
 *
 *     const api = vscode.extensions.getExtension<TurnstoneExports>('turnstone.turnstone')!.exports.getApi(1);
 *     const session = api.openSession({ agent: 'my-agent', title: 'Add a login' });
 *     const turn = session.openTurn({ prompt });
 *     await turn.run({ tool: 'edit_file', paths: ['src/a.ts'] }, async signal => { … });
 *
 * Copy this file beside your own sources; nothing of it is there at run time. Each object that `getApi` returns knows the sessions
 * that were opened through it, and no others.
 */
export interface TurnstoneExports {
  /** Throws `unsupported` for a version that this Turnstone doesn't have. */
  getApi(version: 1): TurnstoneApi;
}

export interface TurnstoneApi {
  /** Begins a conversation with an agent. It leaves no trace before its first turn. */
  openSession(options: SessionOptions): AgentSession;
  /** Whether what is wrapped for this file is recorded now: its folder is, the workspace is trusted, and the history can be written. */
  isRecording(uri: FileUri): boolean;
  /** The turns and steps of your sessions that are on record, oldest first; also those that were rewound. */
  checkpoints(): readonly Checkpoint[];
  /** Takes files back to before a turn, or to a step: all that its session did from there on. A conflict writes nothing and is a result, no error. */
  rewind(id: string, options?: RewindOptions): Promise<RestoreResult>;
  /** Takes back what one turn did; later turns stay. */
  rollback(id: string, options?: Pick<RewindOptions, 'onConflict'>): Promise<RestoreResult>;
  /** Tells of every restore that concerned one of your sessions, whoever asked for it: the user, the command line, or you. */
  readonly onDidRewind: (listener: (event: RewindEvent) => void) => Disposable;
}

export interface SessionOptions {
  /** The agent's name, as the timeline shows it. */
  readonly agent: string;
  /** What the conversation is called there. */
  readonly title?: string;
  /** Needed for going back in the conversation: without it only files can be rewound. */
  readonly conversation?: ConversationAdapter;
}

export interface ConversationAdapter {
  /** The conversation ends with this turn now; with none where it is back at its beginning. */
  rewindTo(turn: string | undefined): void | PromiseLike<void>;
}

export interface AgentSession {
  readonly id: string;
  /** Begins a turn: one prompt and all that the agent does for it. The session's turn before it is over. */
  openTurn(options: { readonly prompt: string }): AgentTurn;
}

export interface AgentTurn {
  /** Names the turn as a checkpoint: rewinding to it goes to before it. */
  readonly id: string;
  /**
   * Runs a tool in between the two records of its call. `work` is called only when the states before are durable: where they can't be kept, `run`
   * rejects with `notRecording` and nothing has run. A rewind aborts the signal and waits for `work`; then, and for every later call of a turn
   * that was rewound, `run` rejects with `superseded`. A result that comes although the signal was aborted is dropped.
   */
  run<T>(call: CallOptions, work: (signal: AbortSignal) => T | PromiseLike<T>): Promise<T>;
  /** A named point inside the turn; returns its id. */
  step(label: string): Promise<string>;
  /** The agent is done, when the calls that are running have ended. */
  close(): Promise<void>;
}

export interface CallOptions {
  /** The tool's name, as the timeline shows it. */
  readonly tool: string;
  /**
   * The files that the tool may create, change or delete: absolute, or relative to a folder of the window. Without them all files of the recorded folders are
   * looked at before and after, which takes longer and leaves out what git ignores.
   */
  readonly paths?: readonly (string | FileUri)[];
}

/** What a `vscode.Uri` is, too. */
export interface FileUri {
  readonly scheme: string;
  readonly fsPath: string;
}

export interface Checkpoint {
  readonly id: string;
  readonly kind: 'turn' | 'step';
  readonly session: string;
  readonly turn: string;
  /** The prompt, or the step's label. */
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether a rewind has taken it back. */
  readonly rewound: boolean;
}

export interface RewindOptions {
  /** Default `code`. The others need the session's `conversation`. */
  readonly scope?: 'code' | 'conversation' | 'both';
  /** Default `session`. `workspace` takes along what other sessions did since. */
  readonly reach?: 'session' | 'workspace';
  /** A file that holds work which is not being taken back: `stop` (default) writes nothing at all, `skip` leaves such files, `merge` merges where all can be merged cleanly. */
  readonly onConflict?: 'stop' | 'skip' | 'merge';
}

export interface RestoreResult {
  /** `partly`: some files could not be written or were left, see `files`. `conflict`: nothing was written. `already`: there was nothing to do. */
  readonly kind: 'done' | 'partly' | 'conflict' | 'already';
  readonly message: string;
  /** Names the restore, where there was one. */
  readonly operation?: string;
  /** Files that your sessions have changed. */
  readonly files: readonly RestoredFile[];
}

export interface RestoredFile {
  readonly path: string;
  readonly action: 'restore' | 'create' | 'delete' | 'merge' | 'unchanged' | 'conflict' | 'unavailable';
  readonly outcome?: 'done' | 'failed' | 'skipped';
  readonly reason?: string;
}

export interface RewindEvent {
  readonly operation: string;
  readonly kind: 'rewind' | 'rollback' | 'undo' | 'redo' | 'switch' | 'fork';
  readonly scope: 'code' | 'conversation' | 'both';
  readonly session: string;
  /** The session's newest turns of which code and conversation are in force now; undefined before the first. */
  readonly heads: { readonly code: string | undefined; readonly conversation: string | undefined };
  /** Absolute paths of files that the session had changed and that were written or deleted. */
  readonly paths: readonly string[];
  /** What the user had asked for in the turn that was gone back to: to be put back for editing. */
  readonly prompt?: string;
}

/** What everything here throws, or rejects with. Whatever `work` throws comes through as it is. */
export interface TurnstoneError extends Error {
  readonly name: 'TurnstoneApiError';
  readonly code: TurnstoneErrorCode;
}

export type TurnstoneErrorCode =
  /** What was passed is not what is expected. */
  | 'input'
  /** What was asked for is not there in this version, or not for this session. */
  | 'unsupported'
  /** Nothing of yours has this id. */
  | 'notFound'
  /** The states before can't be kept: no folder is recorded, recording is paused, or the history can't be written. Nothing has run. */
  | 'notRecording'
  /** A path is in no recorded folder, or is never touched. Nothing has run. */
  | 'outside'
  /** A rewind has cancelled the call or taken the turn back. Go on in a new turn, and read files again. */
  | 'superseded'
  /** The turn is over. Nothing has run. */
  | 'closed'
  /** Another process keeps the history busy, it is damaged or can't be written, or Turnstone failed. */
  | 'failed';

export interface Disposable {
  dispose(): void;
}
