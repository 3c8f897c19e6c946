/**
 * What went wrong, for a program: the CLI turns it into an exit code, the editor into words.
 *
 * - `usage`: the caller asked for something that makes no sense.
 * - `notFound`: an id, root or operation is unknown, or out of the window.
 * - `busy`: somebody alive holds a lock for longer than we wait.
 * - `damaged`: stored bytes are not what was written; nothing is served from there.
 * - `readOnly`: the store can't be written now (rights, full disk, a failed sync).
 * - `invalidPath`: a path leaves its root or is one that is never touched.
 */
export type ErrorCode = 'usage' | 'notFound' | 'busy' | 'damaged' | 'readOnly' | 'invalidPath';

/** The one error class of the core. Refusals that a user can answer (a conflict) are values, not this. */
export class TurnstoneError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TurnstoneError';
    this.code = code;
  }

  /** By name, not by class: the hook's bundle and the other one each have a class of their own. */
  static is(error: unknown, code?: ErrorCode): error is TurnstoneError {
    return error instanceof Error && error.name === 'TurnstoneError' && (code === undefined || (error as TurnstoneError).code === code);
  }
}

/** The operating system's code of an error ("ENOENT"), where it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** One line that says what an error of any kind says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
