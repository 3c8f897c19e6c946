import { messageOf, TurnstoneError } from '../core/base/errors.ts';
import { Refused } from '../tools/toolResult.ts';
import type { TurnstoneError as PublishedError, TurnstoneErrorCode } from './turnstone.d.ts';

/** The one error that clients of the API see. */
export class TurnstoneApiError extends Error implements PublishedError {
  override readonly name = 'TurnstoneApiError';
  readonly code: TurnstoneErrorCode;

  constructor(code: TurnstoneErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** What kept a call from being recorded before it began. */
export function notRecorded(error: unknown): TurnstoneApiError {
  if (error instanceof TurnstoneApiError) return error;
  if (error instanceof Refused) {
    const code = error.code === 'outside' || error.code === 'input' ? error.code : 'notRecording';
    return new TurnstoneApiError(code, error.message, error);
  }
  return new TurnstoneApiError('notRecording', `Not recording: ${TurnstoneError.is(error) ? error.message : `Turnstone failed: ${messageOf(error)}`} Nothing has run, because it could not be taken back.`, error);
}

/** What kept a restore from being done. */
export function notRestored(error: unknown): TurnstoneApiError {
  if (error instanceof TurnstoneApiError) return error;
  const isUsage = TurnstoneError.is(error, 'usage');
  return new TurnstoneApiError(TurnstoneError.is(error, 'notFound') ? 'notFound' : isUsage ? 'input' : 'failed', messageOf(error), error);
}

export const superseded = 'The turn that this call belongs to was rewound. Go on in a new turn, and read files again before changing them.';
