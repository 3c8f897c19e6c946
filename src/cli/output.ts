import { TurnstoneError, messageOf, type ErrorCode } from '../core/base/errors.ts';
import { plainLine } from './plainText.ts';

/** What a command prints and how it exits. `json` is the one document of `--json`, `text` the words for people. */
export interface Output {
  readonly json: object;
  readonly text: string;
  readonly exitCode: number;
  /** Nothing but why there is nothing else. */
  readonly isRefusal?: boolean;
}

/** Exit codes are a contract: people script against them. */
export const exitCodes = { done: 0, leftovers: 1, usage: 2, conflict: 3, notFound: 4, unusable: 5 } as const;

const codeOfError: Record<ErrorCode, number> = {
  usage: exitCodes.usage,
  notFound: exitCodes.notFound,
  busy: exitCodes.unusable,
  damaged: exitCodes.unusable,
  readOnly: exitCodes.unusable,
  invalidPath: exitCodes.usage,
};

export function outputOfError(error: unknown): Output {
  const code = TurnstoneError.is(error) ? error.code : 'internal';
  const message = messageOf(error);
  const exitCode = TurnstoneError.is(error) ? codeOfError[error.code] : exitCodes.unusable;
  return { json: { error: { code, message } }, text: plainLine(message), exitCode, isRefusal: true };
}

/** What was found, and beside it why that may not be all. */
export function incomplete(error: TurnstoneError, { json, text }: Output): Output {
  const refusal = outputOfError(error);
  return { json: { ...json, ...refusal.json }, text: `${refusal.text}\n${text}`, exitCode: refusal.exitCode };
}
